"""How the numbers of the chapter are made: ratios that a cause must explain, the best of several, pages, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.shape.estimands import Estimand, Words, custom, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import filled
from benchbook.experiments.shared_buffers.arms import A_LOCAL, B_LOCAL, QUARTER, SCENARIO_A, SCENARIO_B, sweep_name
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.experiments.shared_buffers.treatment import departs, departs_in_size, evicts
from benchbook.figures.numbers import with_interval
from benchbook.model import Estimate

NOTE_SCALE, NOTE_POOL_GIB = 1250, 20.0
NOTE_TRANSACTIONS_PER_PAGE = 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
STATED = 80
"""The pool that note 002 states, in % of the data."""
FOLLOWS = "the size follows from the cap, which we set in the note's proportion of writes to transactions"


def times(top: str, bottom: str, idle: Words, metric: str = "tps") -> Estimand:
    """Ratio of a metric of two configurations that takes time."""
    return ratio(top, bottom, metric, idle=idle, departs=departs(top, bottom))


def pools(large: str, small: str) -> Estimand:
    """The same of TPS with a pool that holds the data over a smaller one, which differ only where that one evicts."""
    return times(large, small, evicts(small))


def by_how_much(top: str, bottom: str, metric: str = "tps", *, small: str = SCENARIO_A) -> Estimand:
    """The same where the note gives a size, which the cap decides: other pools and no cap stand beside it."""
    return ratio(
        top, bottom, metric, idle=evicts(small), departs=departs_in_size(top, bottom),
        working=before(metric, turned=bottom == SCENARIO_B),
    )  # fmt: skip


def beside(metric: str = "tps", *, large: str = SCENARIO_B, turned: bool = False) -> Words:
    """The same ratio over the pool that the note states, and over the small one without a cap, as clauses.

    turned: with the larger pool below.
    """
    pairs = ((large, sweep_name(STATED)), (B_LOCAL, A_LOCAL))

    def said(summary: Summary) -> str:
        return "; ".join((*_ratios(summary, pairs, metric, turned), FOLLOWS))

    return said


def before(metric: str = "tps", *, large: str = SCENARIO_B, turned: bool = False) -> Words:
    """The same at the beginning of a verdict's reason, before the number itself."""

    def said(summary: Summary) -> str:
        clauses = beside(metric, large=large, turned=turned)(summary)
        return f"{clauses[:1].upper()}{clauses[1:]}; against a pool of {SMALL} % under the cap"

    return said


def _ratios(summary: Summary, pairs: Iterable[tuple[str, str]], metric: str, turned: bool) -> Iterable[str]:
    words = (
        f"against a pool of {STATED} %, which the note states, {{}}",
        f"against one of {SMALL} % without a cap {{}}",
    )

    def ratio(text: str, top: str, bottom: str) -> str:
        above, below = (bottom, top) if turned else (top, bottom)
        return text.format(with_interval(summary.gain(above, below, metric)))

    return filled(*(partial(ratio, text, *pair) for text, pair in zip(words, pairs, strict=True)))


def in_pool_at_note_length(summary: Summary, confidence: float) -> Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    held = summary.values(SCENARIO_B, "data_in_pool_end")
    longer = np.maximum(1.0, NOTE_TRANSACTIONS_PER_PAGE / summary.values(SCENARIO_B, "transactions_per_account_page"))
    blocks = summary.values(SCENARIO_B, "data_blocks")
    return statistics.share(1 - (1 - held) ** longer, blocks, confidence=confidence, sessions=summary.sessions)


def kept_by_checkpoint(idle: Words) -> Estimand:
    """Pages in the pool after a CHECKPOINT over those before it: a share of them, as none can come from nowhere."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        before = summary.values(QUARTER, "resident_before_checkpoint")
        if before.min() < 1:
            raise NotEstimableError("there were no such pages before the CHECKPOINT", "use a longer warm_fill_seconds")
        shares = np.minimum(summary.values(QUARTER, "resident_after_checkpoint") / before, 1.0)
        return statistics.share(shares, before, confidence=confidence, sessions=summary.sessions)

    return custom(compute, Quantity.COUNTER, QUARTER, bounded=True, idle=idle)


def reads_saved(summary: Summary, confidence: float) -> Estimate:
    a, b = (summary.values(arm, "device_reads_per_transaction") for arm in (SCENARIO_A, SCENARIO_B))
    return statistics.difference(a, b, confidence=confidence, sessions=summary.sessions)


def size_at_note_scale_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise NotEstimableError("this run did not measure two small data sets", "measure again")
    scales = np.array([float(scale) for scale in sizes])
    slope, start = np.polyfit(scales, np.array(list(sizes.values()), dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


def restarts(summary: Summary) -> float:
    contexts = summary.run.provenance.get("contexts") or {}
    wanted = [contexts.get(name) for name in ("shared_buffers", "bgwriter_lru_maxpages")]
    if None in wanted:
        raise NotEstimableError("this run did not record pg_settings", "measure again")
    return wanted.count("postmaster")


def background_writes(summary: Summary, confidence: float) -> Estimate:
    return statistics.exact(float(np.median(summary.values(SCENARIO_B, "buffers_clean"))))


def most_held(summary: Summary) -> str:
    return (
        f"For a trial with fewer transactions per page than the note's {NOTE_TRANSACTIONS_PER_PAGE:g}, the most that "
        "it could then hold is used"
    )
