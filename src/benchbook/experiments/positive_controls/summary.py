"""What the run says: counters per operation with their intervals, and checks of what they stand on."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from benchbook import statistics
from benchbook.experiments.positive_controls.arms import CHECKPOINT, LARGE, SMALLEST, TPCB, Parameters
from benchbook.experiments.positive_controls.metric_words import METRICS
from benchbook.experiments.shape import summary as shape
from benchbook.experiments.shape.metrics import Metrics
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate

WORKERS, LOOKUPS = "parallel_workers_per_operation", "index_cache_lookups_per_operation"
IN_POOL = 0.99
"""Share of the data in the pool from which all of it counts as there: the protocol's certificate."""


class Summary(shape.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS
    MEND: ClassVar[str] = "use PostgreSQL 18 or later, which counts parallel workers, and see `benchbook verify`"

    def count(self, arm: str, metric: str) -> Estimate:
        """Arithmetic mean over trials of a count that may be 0."""
        return statistics.arithmetic_mean(self.values(arm, metric), sessions=self.sessions)

    def total(self, arms: tuple[str, ...], metric: str) -> float:
        """What all trials of these configurations counted together."""
        return float(sum(self.values(arm, metric).sum() for arm in arms))

    def least(self, arms: tuple[str, ...], metric: str) -> float:
        """The fewest that any of their trials counted."""
        return float(min(self.values(arm, metric).min() for arm in arms))

    def slower(self) -> Effect:
        """Time of a look-up in the encrypted store, index cache of 1 MiB over 1,024 MiB."""
        return self.ratio((SMALLEST, "kept_mean_ns"), (LARGE, "kept_mean_ns"))

    def left(self, pages: str, *, confidence: float = 0.95) -> Estimate:
        """Share of the dirty or the resident pages that are so after the CHECKPOINT too; none comes from nowhere.

        pages: "dirty" or "resident". Raises NotEstimableError where there were none before.
        """
        before = self.values(CHECKPOINT, f"{pages}_pages_before")
        if before.min() < 1:
            raise NotEstimableError(f"there were no {pages} pages before the CHECKPOINT", "raise tpcb_seconds")
        shares = np.minimum(self.values(CHECKPOINT, f"{pages}_pages_after") / before, 1.0)
        return statistics.share(shares, before, confidence=confidence, sessions=self.sessions)

    def gates(self) -> list[Gate]:
        """Client and tables counted as many transactions; at the CHECKPOINT all data in the pool, no autovacuum."""
        trials, own = self.of([*TPCB, CHECKPOINT]), self.in_blocks(CHECKPOINT)
        differ = int((trials["server_transactions"] != trials["transactions"]).sum())
        missing = int((own["resident_pages_before"] < IN_POOL * own["data_pages"]).sum())
        cleaned = int((own["autovacuums"] != 0).sum())
        return [
            Gate("counts agree", differ == 0, float(differ), f"client and tables count otherwise in {differ} trials"),
            Gate("full pool", missing == 0, float(missing), f"the pool lacked some of the data in {missing} trials"),
            Gate("no autovacuum", cleaned == 0, float(cleaned), f"autovacuum was at work in {cleaned} trials"),
        ]
