"""The numbers of the chapter, each once and by name, what its claims stand on, and the chapter's own tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from benchbook import notes, statistics
from benchbook.chapters.io_cliff import arms, causes, seen
from benchbook.chapters.io_cliff.seen import share_of_peak, share_that_falls
from benchbook.chapters.io_cliff.trials import SHORTEST_COURSE_S, Summary, overview
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.parameters import INTERVALS, NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.treatment import cap_share
from benchbook.measuring.pgbench.words import UNKNOWN, repeated
from benchbook.model import Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Compute, Estimand, custom, ratio
from benchbook.numbers.quantities import Number, departing, percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE
from benchbook.statistics import Gate

BESIDE = "C042"
"""The claim beside whose number stands what other pools do."""
APART_S = 2.0
"""Dirty data is looked at once a second: limits that are met closer together than this cannot be told apart."""
AA = (Summary.again, Summary.first)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Counts, memory and equal starts. No claim of the chapter is about a latency."""
    return summary.gates(answer.estimand.names(summary))


def _of_course(compute: Compute, quantity: Quantity, arm: str, *others: str, **ground: Any) -> Estimand:
    """A number of trials that are long enough to have a course. others: whose trials must begin alike.

    Of a course of B too what the small pool did is asked: that nothing falls says little where nothing could.
    """

    def checked(summary: Summary) -> Estimate:
        summary.check_course()
        return compute(summary)

    acting = causes.nothing_slowed(arms.A if arm == arms.B else arm)
    return custom(checked, quantity, arm, *others, **{"idle": acting, **ground})


def _share_of_twelfths(values: ArrayLike, **how: Any) -> Estimate:
    """Mean over trials of a share of the steps from one twelfth to the next."""
    return statistics.share(values, INTERVALS - 1, **how)


def _shape(arm: str, metric: str, mean: Callable[..., Estimate] = statistics.geometric_mean, **more: Any) -> Estimand:
    """Mean over trials of what each trial's course gives."""

    def compute(summary: Summary) -> Estimate:
        return summary.estimated(mean, summary.values(arm, metric))

    return _of_course(compute, Quantity.SHAPE, arm, **{"aa": metric, **more})


def _trials(arm: str, metric: str, as_asked: Callable[[np.ndarray], Any], *others: str) -> Estimand:
    """Share of the trials of one configuration whose metric is as asked."""

    def compute(summary: Summary) -> Estimate:
        which = as_asked(summary.values(arm, metric))
        return statistics.share_of_trials(int(which.sum()), which.size)

    return _of_course(compute, Quantity.SHARE_OF_TRIALS, arm, *others)


def _after_onset(summary: Summary) -> Estimate:
    """Throughput after a fall of the baseline over that before it, in the trials that have one."""
    fell = summary.values(arms.BASELINE, "cliff") > 0
    if fell.sum() < 2:
        problem = f"{causes.counted(fell)} of the baseline show a cliff; two are needed"
        raise NotEstimableError(problem, "give a lower storage_iops, or longer trials")
    depth = summary.in_blocks(arms.BASELINE)["post_onset_over_peak"].to_numpy(dtype=float)[fell]
    return summary.estimated(statistics.geometric_mean, depth, of=fell)


def _eliminated(summary: Summary) -> Estimate:
    """Share of the blocks with a cliff in A that have none in B."""
    fell = summary.values(arms.A, "cliff") > 0
    if not fell.any():
        problem = f"none of the {fell.size} trials of A (pool 20 %) shows a cliff, so there is none to eliminate"
        raise NotEstimableError(problem, "give a lower storage_iops, or longer trials")
    gone = fell & (summary.values(arms.B, "cliff") == 0)
    return statistics.share_of_trials(int(gone.sum()), int(fell.sum()))


def _other_pools(summary: Summary) -> str:
    """What stands beside the claim, at the beginning of its verdict's reason."""
    (beside,) = (each.beside for each in summary.chapter.answers.given if each.claim == BESIDE and each.beside)
    clauses = beside(summary)
    return f"{clauses[:1].upper()}{clauses[1:]}; with a pool of 20 % under the cap, of the blocks in which it falls"


_COURSE: dict[str, Estimand | Number] = {
    "cliff": percent(_trials(arms.BASELINE, "cliff", lambda cliff: cliff > 0)),
    "cliff_A": percent(_trials(arms.A, "cliff", lambda cliff: cliff > 0, arms.BASELINE)),
    "no_cliff_B": percent(_trials(arms.B, "cliff", lambda cliff: cliff == 0)),
    "eliminated": percent(
        _of_course(_eliminated, Quantity.SHARE_OF_TRIALS, arms.A, arms.B, idle=causes.same_pools, working=_other_pools)
    ),
    "limit": ratio(arms.A, arms.A_10_1, "tps", idle=causes.nothing_slowed(arms.A)),
    "background": ratio(arms.A_10_1, arms.A_10_5, "tps", idle=causes.background_not_reached),
    "limits_B": ratio(arms.B, arms.B_10_5, "tps", idle=causes.nothing_slowed(arms.A)),
    "late_peak_A": _trials(arms.A, "peak_interval", lambda peak: peak >= 3),
    "early_peak": _trials(arms.BASELINE, "peak_interval", lambda peak: peak <= 2),
    "last_B": _shape(arms.B, "last_over_first"),
    "late_growth_B": _shape(arms.B, "late_growth"),
    "fall_B": _shape(arms.B, "max_drawdown", share_that_falls, aa=None),
    "rising_B": _shape(arms.B, "rising_share", _share_of_twelfths, aa=None),
}
_DEPTH = {
    "highest": _shape(arms.BASELINE, "peak_over_mean", bounded=True),
    "lowest": _shape(arms.BASELINE, "min_over_peak", share_of_peak, bounded=True),
    "lowest_A": _shape(arms.A, "min_over_peak", share_of_peak, bounded=True),
    "end": _shape(arms.BASELINE, "end_over_peak", share_of_peak, bounded=True),
    "last_third": _shape(arms.BASELINE, "post_cliff_over_peak", share_of_peak, bounded=True),
    "after_onset": _of_course(_after_onset, Quantity.SHAPE, arms.BASELINE, bounded=True),
}
"""How deep a fall is follows from how much the storage lets pass."""
NUMBERS = {
    **departing(causes.departs_in_course, _COURSE),
    **departing(causes.departs_in_depth, _DEPTH),
    "gain_B": ratio(arms.B, arms.A, "tps"),
    "gain_free": ratio(arms.A_FREE, arms.A, "tps"),
    "gain_80": ratio(arms.A_80, arms.A, "tps"),
    "gain_over_80": ratio(arms.B, arms.A_80, "tps"),
    "gain_B_free": ratio(arms.B_FREE, arms.A_FREE, "tps"),
    "fell": custom(lambda s: s.fell_s(arms.A), Quantity.LEVEL, arms.A),
    "fell_10_5": custom(lambda s: s.fell_s(arms.A_10_5), Quantity.LEVEL, arms.A_10_5),
    "reached": custom(lambda s: s.reached_s(arms.A), Quantity.LEVEL, arms.A),
    "reached_10_5": custom(lambda s: s.reached_s(arms.A_10_5), Quantity.LEVEL, arms.A_10_5),
    "begun": custom(lambda s: s.started(arms.A_10_5, arms.A), Quantity.COMPARISON, arms.A_10_5, arms.A),
}


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


def _server(summary: Summary) -> dict[str, Any]:
    """What the run says of the server and its machine, as far as it knows it."""
    record = {"engine_version": UNKNOWN, "wal_compression": UNKNOWN, "cores": UNKNOWN, **summary.run.provenance}
    major = str(record["engine_version"]).partition(".")[0]
    return {"major": int(major) if major.isdigit() else 0, "data_bytes": summary.parameters.data_bytes, **record}


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "bounded": lambda summary: summary.run.provenance.get("memory_bound", UNKNOWN),
    "server": _server,
    "cached": lambda s: min(float(s.values(arm, "data_in_os_cache_start").min()) for arm in s.note_arms),
    "pages": lambda summary: summary.mean(arms.B if summary.capped else arms.B_FREE, "transactions_per_account_page"),
    "pages_named": lambda summary: causes.PAGES_NAMED,
    "capped_writes": _mean(arms.A, "storage_write_iops"),
    "free_writes": _mean(arms.A_FREE, "storage_write_iops"),
    "write_ms": _mean(arms.A, "storage_write_p50_us", 1000),
    "cap_share": lambda summary: cap_share(summary, arms.A, arms.A_FREE),
    "noted_writes": lambda summary: NOTE_WRITES_PER_TRANSACTION,
    "looking": lambda s: s.run.trials.reindex(columns=["look_share"])["look_share"].astype(float).mean(),
    "capped": lambda summary: summary.capped,
    "shortest": lambda summary: SHORTEST_COURSE_S,
    "all_cliffs": lambda s: np.concatenate([s.values(arm, "cliff") for arm in s.having(s.arms, "cliff")]),
    "falls_A": lambda summary: summary.cliffs(arms.A),
    "falls_B": lambda summary: summary.cliffs(arms.B),
    "falls_80": lambda summary: summary.cliffs(arms.A_80),
    "falls_free": lambda summary: summary.cliffs(arms.A_FREE),
    "waiting_for_disk": seen.waiting_for_disk,
    "dirty_mb": _mean(arms.A, "dirty_peak_bytes", 1e6),
    "dirty_mb_10_5": _mean(arms.A_10_5, "dirty_peak_bytes", 1e6),
    "apart_s": lambda summary: APART_S,
    "idle": causes.nothing_slowed(arms.A),
    "baseline": lambda summary: summary.label(summary.first()),
    "itself": lambda summary: (
        repeated(summary, summary.again(), summary.first(), "tps", "min_over_peak", "end_over_peak") or NOT_ESTIMABLE
    ),
}


def _note_timeline(summary: Summary) -> pd.DataFrame:
    """The note's three timelines side by side, TPS per 5 s."""
    found = notes.table("c8gb_timeline").pivot_table(index="t_s", columns="run", values="tps")
    found.columns = pd.Index(["run 1: baseline", "run 2: A", "run 3: B"])
    found.index.name = "second"
    return found.map(lambda value: "" if pd.isna(value) else f"{value:,.0f}")


TABLES = {"note_timeline": _note_timeline, "overview": overview, "seen": seen.table}
