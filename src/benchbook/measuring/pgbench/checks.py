"""What several chapters ask alike: of the machine huge pages, of a claim's trials checks and note 003's lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from benchbook.engines import huge_pages, kernel_settings
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.settings import Part
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.treatment import PER_PAGE_003, too_few
from benchbook.numbers.answers import Answer
from benchbook.numbers.littles_law import littles_gate
from benchbook.statistics import Gate


def has_huge_pages(p: Any, pool_over_data: float, beside_mib: int = 256) -> None:
    """Raise MachineError where the parameters ask for huge pages and the machine has none for a pool of this size.

    beside_mib: shared memory beside the pool.
    """
    if not p.allow_vm_settings:
        return
    wanted = int(pool_over_data * p.data_bytes) + beside_mib * 2**20
    if refusal := kernel_settings.refusal() or huge_pages.refusal(wanted, allowed=True):
        raise MachineError(
            f"huge pages cannot be reserved here: {refusal}",
            "set allow_vm_settings=false to measure with ordinary pages",
        )


def claim_checks(length: Callable[[Any], float]) -> Callable[[Summary, Answer], Iterable[Gate]]:
    """Equal counts, bounded memory, full pools of warm trials; Little's law for latencies. length: seconds of a trial
    by the parameters.
    """

    def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
        names = answer.estimand.names(summary)
        yield from [*summary.counts_gate(names), summary.bound_gate(names)]
        if warm := names & {*summary.where("start", Part.WARM)}:
            yield summary.full_gate(warm)
        if answer.estimand.metric in ("latency_mean_ns", "latency_sd_ns"):
            yield littles_gate(summary.of(names), float(length(summary.parameters)))

    return checks


def claimed(departs: Callable[[Any, str], Iterable[str]], number: Any, **ground: Any) -> Any:
    """A number that note 003's claims are judged by. departs: a summary, and that its trials are too short for the
    data, or "", to all by which they depart from what the claims name. ground: as in an estimand.
    """

    def what(summary: Summary) -> str:
        few = too_few(summary, number.names(summary), PER_PAGE_003)
        return " and ".join(filter(None, departs(summary, few)))

    return replace(number, departs=what, **ground)
