"""The share of a configuration's trials that showed something, with its interval over trials."""

from __future__ import annotations

from dataclasses import replace

from benchbook.model import Estimate
from benchbook.statistics import intervals
from benchbook.statistics.estimates import wilson


def share_of_trials(successes: int, trials: int, *, confidence: float = 0.95) -> Estimate:
    """Share of the trials that showed it, with its Wilson interval; here each trial is one replicate.

    0 <= successes <= trials, trials >= 1. Six of six give 61 to 100 %: few trials never say "always".
    Raises BenchbookError for other counts. Source: Wilson 1927, as ``wilson``.
    """
    return replace(wilson(successes, trials, confidence=confidence), n=trials, method=intervals.WILSON_TRIALS)
