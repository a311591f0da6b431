"""What a run of this chapter is asked beside what every run is: means that may be 0, and whether its counts agree."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from benchbook.chapters.row_access.arms import LOOKUPS, RANDOM, RELATED, UNIFORM, ZIPF, Parameters
from benchbook.measuring.features import metric_words
from benchbook.numbers import summary
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.statistics import Gate

INDEX_ONLY = "Index Only Scan"
DEFINED = {
    "numeric_3": "3 NUMERIC",
    "timestamp_4": "4 TIMESTAMPTZ",
    "numeric_10": "10 NUMERIC",
    "numeric_92": "92 NUMERIC",
}
"""The source repository's definitions, by the types of their feature columns."""
_TIMES = ("mean_ns", "min_ns", "max_ns", "sd_ns", "p50_ns", "p95_ns", "p99_ns", "p999_ns")


def _blocks(words: str, heading: str = "") -> Metric:
    return Metric(f"number of {words} per request", format="{:,.3f}".format, heading=heading)


def _pages(words: str, heading: str = "") -> Metric:
    return Metric(f"number of {words} in shared buffers per key", format="{:,.2f}".format, heading=heading)


def _bytes(words: str, heading: str = "") -> Metric:
    return Metric(words, "bytes", format="{:,.0f}".format, heading=heading)


METRICS: Metrics = {
    **{name: metric_words.METRICS[name] for name in _TIMES},
    "first_mean_ns": Metric("mean latency with an empty pool", "ms", metric_words.MS),
    "requests": Metric("number of requests"),
    "keys": Metric("number of keys"),
    "returned_bytes": _bytes("size of a row's values as returned", "values returned per row"),
    "message_bytes": _bytes("size of the message that returns a row"),
    "heap_bytes_per_row": _bytes("heap space per row"),
    **{f"{name}_returned_bytes": _bytes(f"size of the values of a row of {words}") for name, words in DEFINED.items()},
    **{f"{name}_heap_bytes": _bytes(f"heap space of a row of {words}") for name, words in DEFINED.items()},
    "heap_blocks": Metric("number of heap blocks accessed"),
    "heap_blocks_per_request": _blocks("heap blocks accessed", "heap blocks"),
    "index_blocks_per_request": _blocks("index blocks accessed", "index blocks"),
    "toast_blocks_per_request": _blocks("TOAST blocks accessed", "TOAST blocks"),
    "reads_per_request": _blocks("blocks read into shared buffers", "blocks read"),
    "cold_reads_per_request": _blocks("blocks read into an empty pool"),
    "heap_hit_ratio": Metric("heap hit ratio", "%", 100, format="{:.2f}".format),
    "index_scans": Metric("number of look-ups by index"),
    "evictions": Metric("number of evicted pages"),
    "pool_pages": Metric("number of pages of the pool"),
    "table_pages": Metric("number of pages of the tables and indexes"),
    "hash_correlation": Metric("correlation of the hash key with the physical order", format="{:.3f}".format),
    "all_visible_share": Metric("share of all-visible pages", "%", 100),
    "heap_fetches": Metric("number of heap fetches of the explained look-ups"),
    "resident_pages": Metric("number of pages in shared buffers"),
    "resident_pages_per_key": _pages("pages"),
    "resident_heap_pages_per_key": _pages("heap pages", "heap pages in the pool"),
    "resident_index_pages_per_key": _pages("index pages", "index pages in the pool"),
    "resident_toast_pages_per_key": _pages("TOAST pages", "TOAST pages in the pool"),
    "resident_map_pages_per_key": _pages("pages of the visibility map"),
    "keys_per_mib": Metric("number of keys served from a MiB of pool", format="{:,.1f}".format),
    "distinct_heap_pages": Metric("number of distinct heap pages"),
    "expected_heap_pages": Metric("number of heap pages expected by chance", format="{:,.1f}".format),
    "heap_pages_by_address": Metric("number of heap pages by row address"),
    "heap_pages_per_key": Metric("number of distinct heap pages per key", format="{:.3f}".format),
    "cluster_s": Metric("time of CLUSTER", "s", format="{:.2f}".format, heading="CLUSTER"),
    "cluster_s_per_gib": Metric(
        "time of CLUSTER per GiB of heap", "min", 1 / 60, format="{:.2f}".format, heading="CLUSTER per GiB of heap"
    ),
    "clustered_heap_bytes": Metric("heap", "MiB", 2**-20, format="{:,.1f}".format, heading="heap"),
    "clustered_index_bytes": Metric("index", "MiB", 2**-20, format="{:,.1f}".format, heading="index"),
    "correlation_after_cluster": Metric("correlation after CLUSTER", format="{:.3f}".format),
    "correlation_kept_#": Metric("share of the order that is left after upserts", "%", 100, format="{:.1f}".format),
    "hot_update_share": Metric("share of updates within the page", "%", 100, format="{:.1f}".format),
    "rewritten_rows": Metric("number of rows"),
    "upserted_rows": Metric("number of upserted rows"),
    "upserted_heap_bytes": Metric("heap after the upserts", "MiB", 2**-20, format="{:,.1f}".format),
}  # fmt: skip


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS: ClassVar[Metrics] = METRICS
    MEND: ClassVar[str] = "see `benchbook show row_access` for what a run can leave out"

    def written(self, arm: str, metric: str) -> str:
        """Mean of a metric in its unit; "" where a trial has none."""
        return METRICS[metric].written(self.mean(arm, metric)) if self.has(arm, metric) else ""

    def drawn(self, *draws: str) -> list[str]:
        """The configurations that look keys up in one of these ways, in the order of the figures."""
        found = self.configurations.items()
        return [arm for arm, each in found if each.settings["kind"] == LOOKUPS and each.settings["draw"] in draws]

    def of_width(self, arm: str) -> bool:
        """Whether a configuration reads tables of one width, of which there are several alike."""
        return str(self.configurations[arm].settings["tables"]).startswith(("width", "cover"))

    def tables_of(self, arm: str) -> int:
        """How many tables a request of a configuration reads."""
        if self.of_width(arm):
            return self.parameters.n_tables
        return 4 if self.configurations[arm].settings["tables"] == "defined" else 1

    def counts_agree(self, arms: Collection[str]) -> Gate:
        """Whether the server counted a look-up by index for each key and table; of batches it counts otherwise."""
        differ = 0
        for arm in set(arms) & set(self.drawn(UNIFORM, ZIPF)):
            wanted = self.values(arm, "requests") * self.tables_of(arm)
            differ += int((self.values(arm, "index_scans") != wanted).sum())
        return Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")

    def addresses_agree(self, arms: Collection[str]) -> Gate:
        """Whether the pool held just the heap pages on which the rows lie by the server's own addresses."""
        differ = 0
        for arm in set(arms) & set(self.drawn(UNIFORM, RELATED, RANDOM)):
            if self.has(arm, "heap_pages_by_address"):
                apart = self.values(arm, "heap_pages_by_address") != self.values(arm, "distinct_heap_pages")
                differ += int(apart.sum())
        return Gate("pages agree", differ == 0, float(differ), f"pool and row addresses differ in {differ} trials")

    def index_only(self, arm: str) -> bool:
        """Whether a configuration read no heap row in any trial: by its plan, its heap fetches and the map."""
        plans = set(self.in_blocks(arm)["plan"])
        fetched = self.values(arm, "heap_fetches").max()
        return plans == {INDEX_ONLY} and fetched == 0 and self.values(arm, "all_visible_share").min() == 1.0
