"""What each pool and storage did in its trials: falls, ends, evictions, dirty data, and waits for the disk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from benchbook import statistics
from benchbook.chapters.io_cliff import arms
from benchbook.chapters.io_cliff.trials import SHORTEST_COURSE_S, Summary
from benchbook.chapters.io_cliff.watched import WAIT_TYPES
from benchbook.measuring.pgbench.words import UNKNOWN
from benchbook.model import Estimate
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import NOT_ESTIMABLE, means
from benchbook.pages.tables import table as rows_of

SHOWN = (arms.A, arms.A_10_5, arms.A_80, arms.B, arms.A_FREE, arms.B_FREE)


def _of_shares(mean: Callable[..., Estimate]) -> Callable[..., Estimate]:
    """This mean over trials, of shares of each trial's own highest throughput: its interval ends at 0 and 1."""

    def within(values: ArrayLike, **how: Any) -> Estimate:
        found = mean(values, **how)
        return replace(found, low=max(found.low, 0.0), high=min(found.high, 1.0))

    return within


share_of_peak = _of_shares(statistics.geometric_mean)
# Of falls the mean of the trials themselves, as registered: on the logit scale one trial without any would set it.
share_that_falls = _of_shares(statistics.arithmetic_mean)


def table(summary: Summary) -> pd.DataFrame:
    """A row for each pool and storage: trials with a cliff, how they end, pages evicted, trials near the limit."""
    short = summary.parameters.trial_seconds < SHORTEST_COURSE_S

    def trials(metric: str, arm: str) -> str:
        if not summary.has(arm, metric):
            return UNKNOWN
        values = summary.values(arm, metric)
        return f"{int(values.sum())} of {len(values)}"

    def end(arm: str) -> str:
        values = summary.values(arm, "end_over_peak")
        return str(Told(summary.estimated(share_of_peak, values)))

    columns: dict[str, Callable[[str], str]] = {
        "trials with a cliff": lambda arm: NOT_ESTIMABLE if short else trials("cliff", arm),
        "last twelfth over the best": lambda arm: NOT_ESTIMABLE if short else end(arm),
        **means(summary, "evictions", otherwise=UNKNOWN),
        "trials with dirty data near its limit": partial(trials, "limit_reached"),
    }
    return rows_of([({"configuration": summary.label(arm)}, arm) for arm in summary.having(SHOWN, "cliff")], columns)


def waiting_for_disk(summary: Summary) -> float:
    """Share of the connections seen in the first configuration that waited for input or output, in %."""
    first = summary.first()
    if first not in summary.having([first], *(f"waits_{kind.lower()}" for kind in WAIT_TYPES)):
        raise NotEstimableError("this run has no samples of waiting connections", "measure longer trials")
    seen = {kind: float(summary.values(first, f"waits_{kind.lower()}").sum()) for kind in WAIT_TYPES}
    if not (total := sum(seen.values())):
        raise NotEstimableError("this run saw no connection", "measure longer trials")
    return 100 * seen["IO"] / total
