"""What the trials of a run show: metrics in words, checks, which cause acted in them, what they lack of the claims.

A setting with which a trial ran, and which the workload has nothing for, has been judged: the claim is on this
workload, and no machine would launch a parallel worker for it. The check of such a setting is that it was in force. A
cause that needs a state of the machine, such as pages to clean or cold caches, is checked by its counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.ladder import arms, screening
from benchbook.measuring.pgbench.ladder.arms import Parameters, Start
from benchbook.measuring.pgbench.ladder.states import METRICS
from benchbook.measuring.pgbench.treatment import PER_PAGE_002, PER_PAGE_003, off_proportion, too_few
from benchbook.model import Effect
from benchbook.numbers.estimands import Arm, named
from benchbook.numbers.inert import Control, cannot_act


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_slow_storage=true and second_server=true, as root"

    def effect(self, column: int) -> Effect:
        """Throughput with a factor of the combinations at its high level over that at its low one, over blocks.

        Each side is the geometric mean of the eight combinations of a block.
        """

        def side(*, high: bool) -> np.ndarray:
            names = [screening.name(run) for run in range(screening.RUNS) if screening.high(run, column) is high]
            return np.asarray(np.exp(np.mean([np.log(self.values(name, "tps")) for name in names], axis=0)))

        return self.estimated(statistics.ratio, side(high=True), side(high=False))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        missing = [part for part in type(p).model_fields["parts"].default if part not in p.parts]
        found = {
            f"{len(missing)} of {len(missing) + len(p.parts)} parts left out": bool(missing),
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]


Words = Callable[[Summary], str]
_no_parallel_plan = partial(
    cannot_act, "parallel_workers", None, counted="0 parallel workers were launched in {} trials",
    why="pgbench's statements have no parallel plan (they write, or look up one row by its key)",
    control=Control("sum_scenario_a", "parallel_workers",
                    "a sum over the same table launched at least {} a trial under note 002's own settings"),
)  # fmt: skip
no_parallel_plan = _no_parallel_plan()
"""Why settings of parallel workers cannot act on these transactions, here or on the note's machine."""
own_line = _no_parallel_plan(
    scope="the numbers of this line are of the note's own two runs and are right as such; the settings did not cause "
    "their difference",
    refutes=False,
)
"""The same of a line of the note's own timeline."""


def wrote_in_each_session(summary: Summary) -> str:
    """That backends wrote no page in some session, so that there was nothing to reduce; "" where they did in all."""
    written, sessions = summary.values(arms.ROUND_1_BASE, "backend_writes_per_transaction"), summary.sessions
    wrote = [written[sessions == each].any() for each in sorted({*sessions.tolist()})]
    if all(wrote):
        return ""
    none = f"{wrote.count(False)} of {len(wrote)} sessions of “{summary.label(arms.ROUND_1_BASE)}”"
    return f"backends wrote no page in {none}"


def any_vacuumed(summary: Summary) -> str:
    """That autovacuum worked on no table in any trial of round 2, so that there was no overhead; "" where it did."""
    found = summary.values(arms.ROUND_2, "autovacuums")
    return "" if found.any() else f"autovacuum worked on no table in any of {len(found)} trials"


def launched(summary: Summary, *names: str) -> np.ndarray:
    """Parallel workers launched in each trial of those of these configurations that count them."""
    counted = summary.having(names or summary.arms, "parallel_workers")
    return np.concatenate([[], *(summary.values(arm, "parallel_workers") for arm in counted)])


def no_workers(*names: str) -> Words:
    """How many parallel workers the trials of these configurations launched, for a verdict's reason."""

    def said(summary: Summary) -> str:
        found = launched(summary, *names)
        if not found.size:
            return "This release does not count parallel workers"
        return f"Parallel workers launched in {found.size} trials: {found.sum():,.0f}"

    return said


def departs(*given: Arm, also: Iterable[Words] = ()) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not.

    also: further departures of what is compared.
    """

    def what(summary: Summary) -> str:
        names, found = {named(arm, summary) for arm in given}, []
        starts = {arms.start_of(summary.configurations[arm]) for arm in names & summary.configurations.keys()}
        if Start.RESTART in starts:
            found.append(too_few(summary, {arms.BASELINE_80, arms.A_80, arms.B, arms.B_AGAIN, *names}, PER_PAGE_002))
            if not summary.parameters.allow_vm_settings:
                found.append("this machine's own dirty limits where the claim names 4 and 1 %")
        if starts - {Start.RESTART}:
            found.append(too_few(summary, names, PER_PAGE_003))
        return " and ".join(filter(None, [*found, *(each(summary) for each in also)]))

    return what


def no_cap(summary: Summary) -> str:
    """That there was no cap; "" where there was."""
    return "" if summary.parameters.allow_slow_storage else "storage without a cap where the claim names one"


def not_in_proportion(summary: Summary) -> str:
    """The same where the claim gives a size, which depends on how deep a small pool falls, and so on the cap."""
    return off_proportion(summary, arms.A, arms.A_FREE) if summary.parameters.allow_slow_storage else ""
