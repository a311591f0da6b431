"""What several chapters ask alike: of the machine, whether it has huge pages; of the trials of a claim, checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchbook.engines import huge_pages, kernel_settings
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.settings import Part
from benchbook.measuring.pgbench.summary import Summary
from benchbook.numbers.answers import Answer
from benchbook.numbers.littles_law import littles_gate
from benchbook.statistics import Gate


def has_huge_pages(p: Any, pool_over_data: float) -> None:
    """Raise MachineError where the parameters ask for huge pages and the machine has none for a pool of this size."""
    if not p.allow_vm_settings:
        return
    wanted = int(pool_over_data * p.data_bytes) + 2**28
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
