"""What shows that a setting acted in trials of pgbench, and whether they ran as the notes' did."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.settings import Part
from benchbook.measuring.pgbench.summary import Summary
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Arm, Words, named
from benchbook.numbers.littles_law import littles_gate
from benchbook.statistics import Gate

BUSY = 0.80
"""Share of the processors' time from which they count as short: the ledger's."""
IMAGES = 0.01
"""Full page images per transaction from which there is something to compress."""
PER_PAGE_002, PER_PAGE_003 = 0.62, 0.2
"""Transactions per page of pgbench_accounts: the least of note 002's three runs, and note 003's first round."""
NEAR = 1.25
"""How far the cap may lie from the note's proportion for the depth of a fall to be compared with the note's."""


def cap_share(summary: Summary, capped: str, free: str) -> float:
    """Writes that the cap lets pass, as measured, for each transaction of the same pool without a cap."""
    return float(np.exp(np.log(summary.values(capped, "storage_write_iops") / summary.values(free, "tps")).mean()))


def off_proportion(summary: Summary, capped: str, free: str) -> str:
    """That the cap is not in the note's proportion, in words; "" where it is."""
    share = cap_share(summary, capped, free)
    if 1 / NEAR <= share / NOTE_WRITES_PER_TRANSACTION <= NEAR:
        return ""
    return (
        f"a cap of {share:.2f} writes for each transaction that is made without it, where the claim names "
        f"{NOTE_WRITES_PER_TRANSACTION}"
    )


def too_few(summary: Summary, arms: Iterable[str], least: float) -> str:
    """That even that of these configurations that made most transactions made too few for the data; "" otherwise."""
    metric = "transactions_per_account_page"
    made = max((summary.mean(arm, metric) for arm in summary.having(arms, metric)), default=least)
    return "" if made >= least else f"{made:.2f} transactions per page of the accounts where the claim names {least:g}"


def every(*causes: Words) -> Words:
    """All of these causes have to act: why the first one that did not, did not."""
    return lambda summary: next((why for cause in causes if (why := cause(summary))), "")


def unless(holds: Callable[[Any], Any], words: str) -> Words:
    """Why a cause did not act; "" where this holds."""
    return lambda summary: "" if holds(summary) else words


def applied(setting: str, top: str, bottom: str) -> Words:
    """That a setting was the same in both configurations of some block; "" where it differed in all."""

    def why(summary: Summary) -> str:
        pairs = list(zip(summary.in_force(top, setting), summary.in_force(bottom, setting), strict=True))
        same = sum(one == other for one, other in pairs)
        return f"{setting} had the same value in both configurations in {same} of {len(pairs)} blocks" if same else ""

    return why


def counts_some(arm: str, metric: str, what: str) -> Words:
    """That nothing was there for the setting to change in some trial; "" where there was something in all."""

    def why(summary: Summary) -> str:
        found = summary.values(arm, metric)
        none = int((found <= 0).sum())
        return f"{what} in {none} of {len(found)} trials of “{summary.label(arm)}”" if none else ""

    return why


def images(arm: Arm) -> Words:
    """That there were no full page images to compress; "" where there were."""

    def why(summary: Summary) -> str:
        least = float(summary.values(named(arm, summary), "full_images_per_transaction").min())
        return "" if least >= IMAGES else f"a transaction logged as few as {least:.2g} full page images"

    return why


def outside(ask: Callable[[Any], float], low: float, high: float, words: str) -> Words:
    """That a number lies outside of what a claim names; "" within. words: with {} for the number."""

    def why(summary: Summary) -> str:
        found = ask(summary)
        return "" if low <= found <= high else words.format(found)

    return why


def of_machine(p: Any) -> tuple[str, str]:
    """What of the notes' storage and settings of the kernel was not allowed, each as half a sentence, or ""."""
    free = not getattr(p, "allow_slow_storage", True)
    own = "this machine's own dirty limits, and pools in ordinary pages" * (not p.allow_vm_settings)
    return "all of it on this machine's own disk, without a cap" * free, own


def own_limits(p: Any) -> str:
    """That note 002's limits of dirty data were not allowed; "" where they were."""
    return "this machine's own dirty limits where the claim names 4 and 1 %" * (not p.allow_vm_settings)


def full_pools(summary: Summary, answer: Answer) -> list[Gate]:
    """Checks of a claim: equal counts of client and server, bounded memory, full pools."""
    names = answer.estimand.names(summary)
    return [*summary.counts_gate(names), summary.bound_gate(names), summary.full_gate(names)]


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
