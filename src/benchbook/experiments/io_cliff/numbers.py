"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.experiments.families.pgbench.treatment import cap_share
from benchbook.experiments.families.pgbench.words import UNKNOWN, repeated
from benchbook.experiments.io_cliff import tables
from benchbook.experiments.io_cliff.arms import (
    A_10_1,
    A_10_5,
    A_80,
    A_FREE,
    B_10_5,
    B_FREE,
    BASELINE,
    CHECKPOINTS,
    DEFAULT_TIMEOUT,
    DEFAULT_WAL,
    FREE_AGAIN,
    REPEATED,
    A,
    B,
)
from benchbook.experiments.io_cliff.causes import (
    PAGES_NAMED,
    background_not_reached,
    departs_from_checkpoints,
    departs_in_course,
    departs_in_depth,
    nothing_slowed,
    same_pools,
    told_apart,
)
from benchbook.experiments.io_cliff.estimands import (
    acting,
    after_onset,
    between_checkpoints,
    drawdown,
    eliminated,
    of_course,
    of_large,
    rising,
    second,
    shape,
    trials,
    with_cliff,
)
from benchbook.experiments.io_cliff.summary import Summary, share_of_peak
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, ratio
from benchbook.experiments.shape.named import Number, Told, departing, percent
from benchbook.experiments.shape.tables import NOT_ESTIMABLE
from benchbook.experiments.shape.telling import listed
from benchbook.statistics import Gate

BESIDE = "C042"
"""The claim beside whose number stands what other pools do."""


def first(summary: Summary) -> str:
    """The configuration that is measured twice: A, or where the run has no capped ones A without a cap."""
    return A if A in summary.configurations else A_FREE


def again(summary: Summary) -> str:
    """The same under its second name."""
    return REPEATED if A in summary.configurations else FREE_AGAIN


AA = (again, first)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Counts, memory and equal starts. No claim of the chapter is about a latency."""
    return [*summary.consistency_gates(), *summary.state_gates(answer.estimand.names(summary))]


def _other_pools(summary: Summary) -> str:
    """What stands beside the claim, at the beginning of its verdict's reason."""
    beside = summary.chapter.answers.by_claim()[BESIDE].beside
    clauses = beside(summary) if beside else ""
    return f"{clauses[:1].upper()}{clauses[1:]}; with a pool of 20 % under the cap, of the blocks in which it falls"


_COURSE: dict[str, Estimand | Number] = {
    "cliff": with_cliff(BASELINE),
    "cliff_A": with_cliff(A, BASELINE),
    "no_cliff_B": percent(trials(B, "cliff", lambda cliff: np.asarray(cliff == 0))),
    "eliminated": percent(
        custom(of_course(eliminated), Quantity.SHARE_OF_TRIALS, A, B, idle=same_pools, working=_other_pools)
    ),
    "limit": ratio(A, A_10_1, "tps", idle=nothing_slowed(A)),
    "background": ratio(A_10_1, A_10_5, "tps", idle=background_not_reached(A_10_1, A_10_5)),
    "limits_B": ratio(B, B_10_5, "tps", idle=nothing_slowed(A)),
    "late_peak_A": trials(A, "peak_interval", lambda peak: peak >= 3),
    "early_peak": trials(BASELINE, "peak_interval", lambda peak: peak <= 2),
    "last_B": shape(B, "last_over_first"),
    "late_growth_B": shape(B, "late_growth"),
    "fall_B": of_large(drawdown),
    "rising_B": of_large(rising),
}
_DEPTH = {
    "highest": shape(BASELINE, "peak_over_mean", bounded=True),
    "lowest": shape(BASELINE, "min_over_peak", share_of_peak, bounded=True),
    "lowest_A": shape(A, "min_over_peak", share_of_peak, bounded=True),
    "end": shape(BASELINE, "end_over_peak", share_of_peak, bounded=True),
    "last_third": shape(BASELINE, "post_cliff_over_peak", share_of_peak, bounded=True),
    "after_onset": custom(of_course(after_onset), Quantity.SHAPE, BASELINE, bounded=True, idle=acting(BASELINE)),
}
"""How deep a fall is follows from how much the storage lets pass."""
_SPACED = {
    "timeout": between_checkpoints(DEFAULT_TIMEOUT, "checkpoint_timeout"),
    "wal": between_checkpoints(DEFAULT_WAL, "max_wal_size"),
}
_LIMITS = {"": A, "_10_5": A_10_5}
NUMBERS = {
    **departing(departs_in_course, _COURSE),
    **departing(departs_in_depth, _DEPTH),
    **departing(departs_from_checkpoints, _SPACED),
    "gain_B": ratio(B, A, "tps"),
    "gain_free": ratio(A_FREE, A, "tps"),
    "gain_80": ratio(A_80, A, "tps"),
    "gain_over_80": ratio(B, A_80, "tps"),
    "gain_B_free": ratio(B_FREE, A_FREE, "tps"),
    **{f"fell{name}": second(Summary.fell_s, arm) for name, arm in _LIMITS.items()},
    **{f"reached{name}": second(Summary.reached_s, arm) for name, arm in _LIMITS.items()},
    "begun": custom(lambda summary, _: summary.started(A_10_5, A), Quantity.COMPARISON, A_10_5, A),
}


def _labelled(arms: Iterable[str], ask: Callable[[Summary, str], dict[str, Any]], summary: Summary) -> list[Any]:
    """What is asked of each of these configurations that the run has, with its label."""

    def each(arm: str) -> dict[str, Any]:
        return {"label": summary.label(arm), **ask(summary, arm)}

    return [each(arm) for arm in arms if arm in summary.configurations]


def _with_cliff(summary: Summary) -> list[Any]:
    summary.check_course()
    return _labelled(summary.having((A, A_FREE, A_80, B, B_FREE), "cliff"), _cliffs, summary)


def _cliffs(summary: Summary, arm: str) -> dict[str, Any]:
    found, of = summary.cliffs(arm)
    return {"found": found, "of": of}


def _end(summary: Summary, arm: str) -> dict[str, Any]:
    values = summary.values(arm, "end_over_peak")
    return {"share": Told(share_of_peak(values, sessions=summary.sessions))}


def _near(summary: Summary, arm: str) -> dict[str, Any]:
    reached = summary.values(arm, "limit_reached")
    both = (reached > 0) & (summary.values(arm, "cliff") > 0)
    near = {"found": int(reached.sum()), "of": reached.size, "both": int(both.sum())}
    return {"label": summary.label(arm), **near}


def _begun(summary: Summary, arm: str) -> dict[str, Any]:
    begun = summary.values(arm, "checkpoints")
    return {"least": int(begun.min()), "most": int(begun.max())}


def _too_short(summary: Summary) -> str:
    """Why trials have no course; "" where they do."""
    try:
        summary.check_course()
    except BenchbookError as error:
        return f"{error.problem} ({error.mend})"
    return ""


def _least_cached(summary: Summary) -> float:
    return min(float(summary.values(arm, "data_in_os_cache_start").min()) for arm in summary.note_arms)


def _looking(summary: Summary) -> float | None:
    """Share of a trial's time that sampling took."""
    shares = summary.run.trials.get("look_share", pd.Series(dtype=float)).dropna()
    return float(shares.mean()) if len(shares) else None


def _mean(arm: str, metric: str, unit: float = 1.0) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric) / unit


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": lambda summary: summary.apparatus(),
    "bounded": lambda summary: summary.run.provenance.get("memory_bound", UNKNOWN),
    "cached": _least_cached,
    "pages": lambda summary: summary.mean(B if summary.capped else B_FREE, "transactions_per_account_page"),
    "pages_named": lambda summary: PAGES_NAMED,
    "capped_writes": _mean(A, "storage_write_iops"),
    "free_writes": _mean(A_FREE, "storage_write_iops"),
    "write_ms": _mean(A, "storage_write_p50_us", 1000),
    "cap_share": lambda summary: cap_share(summary, A, A_FREE),
    "noted_writes": lambda summary: NOTE_WRITES_PER_TRANSACTION,
    "looking": _looking,
    "capped": lambda summary: summary.capped,
    "too_short": _too_short,
    "with_cliff": _with_cliff,
    "ends": partial(_labelled, (A, A_FREE, B), _end),
    "evicting": partial(_labelled, (A, A_FREE, A_80, B), lambda s, arm: {"pages": s.mean(arm, "evictions")}),
    "near": lambda summary: listed(*(partial(_near, summary, arm) for arm in (A, A_10_5, A_FREE, B))),
    "falls_80": lambda summary: _cliffs(summary, A_80),
    "falls_free": lambda summary: _cliffs(summary, A_FREE),
    "dirty_mb": _mean(A, "dirty_peak_bytes", 1e6),
    "dirty_mb_10_5": _mean(A_10_5, "dirty_peak_bytes", 1e6),
    "told_apart": lambda summary: told_apart(summary, A, A_10_5),
    "idle": nothing_slowed(A),
    "checkpointed": lambda summary: _labelled(summary.having(CHECKPOINTS, "checkpoints"), _begun, summary),
    "baseline": lambda summary: summary.label(first(summary)),
    "itself": lambda summary: (
        repeated(summary, again(summary), first(summary), "tps", "min_over_peak", "end_over_peak") or NOT_ESTIMABLE
    ),
}  # fmt: skip
TABLES = {"note_timeline": tables.note_timeline, "settings": tables.settings, "overview": tables.overview}
