"""Which stores a run of this chapter has, what it measured of each hot and cold, and how they compare."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from benchbook import notes, statistics
from benchbook.chapters.comparators import arms
from benchbook.chapters.comparators.arms import BASELINE, COLD, DISJOINT, HOT, LABELS, POSTGRES, STAND_IN, name_of
from benchbook.measuring.features import metric_words, summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.metrics import Metric, Metrics

MEAN, KIB = "mean_ns", "device_kib_per_request"
METRICS: Metrics = {
    **metric_words.METRICS,
    KIB: Metric("KiB read from the device per request", format="{:,.1f}".format),
    "checked_values": Metric("number of values that were compared"),
    "files_in_os_cache_at_start": Metric("share of the store's files in the OS page cache at the start", "%", 100),
}


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS

    def label(self, arm: str) -> str:
        """What a figure calls a configuration: one that was not cold throughout, by how much it was."""
        label = super().label(arm)
        if arm not in self.partly_cold:
            return label
        cached = float(np.mean(self.values(arm, "files_in_os_cache_at_start")))
        return label.replace(COLD, f"{100 * (1 - cached):.0f} % {COLD}")

    @cached_property
    def partly_cold(self) -> frozenset[str]:
        """Configurations named cold of which a trial was certified otherwise, and which say how much was in memory."""
        trials = self.run.trials
        if "files_in_os_cache_at_start" not in trials:
            return frozenset()
        off = trials["files_in_os_cache_at_start"].notna() & (trials["cache_state"] != COLD)
        return frozenset(each for each in trials["configuration"][off] if each.endswith(COLD))

    def cold_label(self, store: str) -> str:
        """What a figure calls a store where its cold state is shown."""
        share = self.label(name_of(store, COLD)).rpartition(", ")[2]
        return f"{store_label(store)} ({share})" if name_of(store, COLD) in self.partly_cold else store_label(store)

    def present(self, state: str) -> dict[str, str]:
        """The stores beside PostgreSQL that were measured in this state: name to label."""
        return {each: LABELS[each] for each in LABELS if self.has(name_of(each, state), MEAN)}

    @property
    def measured(self) -> list[str]:
        """The configurations that have numbers, in the order of the figures."""
        return self.having(self.arms, MEAN)

    @property
    def compared(self) -> list[str]:
        """Those of them that are compared: DynamoDB only shows that it works."""
        return [arm for arm in self.measured if self.configurations[arm].settings["store"] != arms.DYNAMODB]

    def pairing(self, store: str, ours: str, theirs: str) -> Effect:
        """How many times as long PostgreSQL takes as another store. ours, theirs: hot or cold."""
        return self.ratio((BASELINE if ours == HOT else DISJOINT, MEAN), (name_of(store, theirs), MEAN))

    def penalty(self, store: str, metric: str = MEAN) -> Effect:
        """How many times as long a store takes cold as hot."""
        if store == POSTGRES:
            return self.ratio((DISJOINT, metric), (BASELINE, metric))
        return self.ratio((name_of(store, COLD), metric), (name_of(store, HOT), metric))

    def mismatch(self, metric: str) -> Estimate:
        """The ratio of two ratios, block by block: PostgreSQL cold over the stand-in hot, and both hot."""
        store, cold, hot = (self.positive(arm, metric) for arm in (name_of(STAND_IN, HOT), DISJOINT, BASELINE))
        return self.estimated(statistics.ratio, cold / store, hot / store)

    def cold_stores(self) -> list[str]:
        """PostgreSQL and the embedded stores that were measured hot and cold."""
        both = set(self.present(HOT)) & set(self.present(COLD))
        return [POSTGRES, *(each for each in arms.EMBEDDED if each in both)]


def store_label(store: str) -> str:
    """What a figure calls a store."""
    return LABELS.get(store, "PostgreSQL")


def stated_ms(what: str) -> float:
    """What the note's repository states of DynamoDB: "typical" (P50 in one notebook, mean in another) or "p99"."""
    if what == "p99":
        return notes.number("lakebase_constants", "value", name="dynamodb_p99")
    return notes.reading("dynamodb_typical_ms")
