"""What the trials of a run show: metrics in words, checks, which cause acted in them, what they lack of the claims.

A setting with which a trial ran, and which the workload has nothing for, has been judged: the claim is on this
workload, and no machine would launch a parallel worker for it. The check of such a setting is that it was in force. A
cause that needs a state of the machine, such as pages to clean or cold caches, is checked by its counter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.ladder import arms, screening
from benchbook.experiments.families.pgbench.ladder.arms import Parameters, Start
from benchbook.experiments.families.pgbench.ladder.metric_words import OF_RUN
from benchbook.experiments.families.pgbench.treatment import PER_PAGE_002, PER_PAGE_003, every, off_proportion, too_few
from benchbook.experiments.shape.estimands import Arm, named
from benchbook.experiments.shape.inert import Control, cannot_act
from benchbook.experiments.shape.metrics import Metrics
from benchbook.model import Effect

COLD = 0.01
"""Share of the data in a cache up to which it counts as cold: the protocol's certificate."""
FULL = 0.9
"""Share of the pool in use from which it counts as warm, where the data do not fit."""
IN_POOL, IN_OS_CACHE = "data_in_pool_start", "data_in_os_cache_start"

_METRICS: Metrics = {
    **OF_RUN,
    **{
        f"{place}_{name}": metric.but(words=f"{metric.words} of the {place} run", heading="")
        for place in ("second", "third")
        for name, metric in OF_RUN.items()
    },
}
"""Of a trial; of those with several runs without a restart, the first has the names alone."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

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
no_parallel_plan = cannot_act(
    "parallel_workers", None, counted="0 parallel workers were launched in {} trials",
    why="pgbench's statements have no parallel plan (they write, or look up one row by its key)",
    control=Control("sum_scenario_a", "parallel_workers",
                    "a sum over the same table launched at least {} a trial under note 002's own settings"),
)  # fmt: skip
"""Why settings of parallel workers cannot act on these transactions, here or on the note's machine."""


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


def cold(*names: str) -> Words:
    """That the caches of one of these configurations were not empty when a trial began; "" where they were."""

    def why(summary: Summary) -> str:
        for arm in names:
            for metric in (IN_POOL, IN_OS_CACHE):
                most = float(summary.values(arm, metric).max())
                if most > COLD:
                    return f"{summary.in_words(metric)} of “{summary.label(arm)}” was up to {most:.0%}"
        return ""

    return why


def apart(summary: Summary) -> str:
    """That round 2 found the same in the caches whether it began warm or cold; "" where it did not."""
    used = float(summary.values(arms.ROUND_2, "pool_used_share").min())
    filled = "" if used >= FULL else f"the filled pool was in use to {used:.0%} only"
    return cold(arms.ROUND_2_COLD)(summary) or filled


def warmer(later: str) -> Words:
    """That a later run of round 2 began with no fuller pool than its first; "" where it did in every trial."""

    def why(summary: Summary) -> str:
        first, then = (summary.values(arms.ROUND_2_COLD, f"{prefix}{IN_POOL}") for prefix in ("", later))
        return "" if (then > first).all() else "in some trial the pool was no fuller when the later run began"

    return every(cold(arms.ROUND_2_COLD), why)


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


def other_codec(summary: Summary) -> str:
    """That the log is compressed otherwise than in the notes; "" where it is as there, or nobody knows."""
    codec = summary.run.provenance.get("wal_compression", "lz4")
    return "" if codec == "lz4" else f"{codec} where the claim's server had lz4"


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
