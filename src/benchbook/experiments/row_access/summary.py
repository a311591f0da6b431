"""What a run of this chapter is asked beside what every run is: means that may be 0, and whether its counts agree."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from benchbook import statistics
from benchbook.experiments.row_access.arms import LOOKUPS, RANDOM, RELATED, ZIPF, Parameters
from benchbook.experiments.row_access.metric_words import METRICS
from benchbook.experiments.shape import summary
from benchbook.experiments.shape.metrics import Metrics
from benchbook.model import Estimate
from benchbook.statistics import Gate

INDEX_ONLY = "Index Only Scan"


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS
    MEND: ClassVar[str] = "see `benchbook show row_access` for what a run can leave out"

    def average(self, arm: str, metric: str) -> Estimate:
        """Mean over trials with its interval, of a count that may be 0."""
        return statistics.arithmetic_mean(self.values(arm, metric), sessions=self.sessions)

    def drawn(self, *draws: str) -> list[str]:
        """The configurations that look keys up in one of these ways, in the order of the figures."""
        found = self.configurations.items()
        return [arm for arm, each in found if each.settings["kind"] == LOOKUPS and each.settings["draw"] in draws]

    def tables_of(self, arm: str) -> int:
        """How many tables a request of a configuration reads."""
        tables = str(self.configurations[arm].settings["tables"])
        return self.parameters.n_tables if tables.startswith(("width", "cover")) else 4 if tables == "defined" else 1

    def counts_agree(self, arms: Collection[str]) -> Gate:
        """Whether the server counted a look-up by index for each key and table; of batches it counts otherwise."""
        differ = 0
        for arm in set(arms) & set(self.drawn("uniform", ZIPF)):
            wanted = self.values(arm, "requests") * self.tables_of(arm)
            differ += int((self.values(arm, "index_scans") != wanted).sum())
        return Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")

    def addresses_agree(self, arms: Collection[str]) -> Gate:
        """Whether the pool held just the heap pages on which the rows lie by the server's own addresses."""
        differ = 0
        for arm in set(arms) & set(self.drawn("uniform", RELATED, RANDOM)):
            if self.has(arm, "heap_pages_by_address"):
                apart = self.values(arm, "heap_pages_by_address") != self.values(arm, "distinct_heap_pages")
                differ += int(apart.sum())
        return Gate("pages agree", differ == 0, float(differ), f"pool and row addresses differ in {differ} trials")

    def index_only(self, arm: str) -> bool:
        """Whether a configuration read no heap row in any trial: by its plan, its heap fetches and the map."""
        plans = set(self.in_blocks(arm)["plan"])
        fetched = self.values(arm, "heap_fetches").max()
        return plans == {INDEX_ONLY} and fetched == 0 and self.values(arm, "all_visible_share").min() == 1.0
