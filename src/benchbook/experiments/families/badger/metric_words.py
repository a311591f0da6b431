"""The metrics of the event suite in words. Times of the burst are those of the call alone, unless said otherwise."""

from __future__ import annotations

from benchbook.experiments.shape.metrics import Metric, Metrics

MS = 1e-6
MB = 1e-6

METRICS: Metrics = {
    "burst_mean_ns": Metric("burst mean", "ms", MS),
    "burst_p50_ns": Metric("burst P50", "ms", MS),
    "burst_p95_ns": Metric("burst P95", "ms", MS),
    "burst_p99_ns": Metric("burst P99", "ms", MS),
    "response_mean_ns": Metric("burst mean from its schedule", "ms", MS),
    "query_mean_ns": Metric("query mean", "ms", MS),
    "peak_test_events_per_s": Metric("saves per s in the peak test"),
    "burst_events_per_s": Metric("saves per s in the burst", heading="burst saves per s"),
    "accesses": Metric("number of reads of the block cache"),
    "hit_ratio": Metric("block cache hit ratio", "%", 100, heading="hit ratio"),
    "hit_ratio_until_#_peak": Metric("hit ratio from opening to the end of a peak test", "%", 100),
    "hit_ratio_until_#_burst": Metric("hit ratio from opening to the end of a burst", "%", 100),
    "hit_ratio_until_#_mixed": Metric("hit ratio from opening to the end of a mixed test", "%", 100),
    "hit_ratio_until_#_query": Metric("hit ratio from opening to the end of a query test", "%", 100),
    "hit_ratio_until_#_concurrent": Metric("hit ratio from opening to the end of a concurrent test", "%", 100),
    "hit_ratio_within_#_peak": Metric("hit ratio within a peak test", "%", 100),
    "hit_ratio_within_#_burst": Metric("hit ratio within a burst", "%", 100),
    "hit_ratio_within_#_mixed": Metric("hit ratio within a mixed test", "%", 100),
    "hit_ratio_within_#_query": Metric("hit ratio within a query test", "%", 100),
    "hit_ratio_within_#_concurrent": Metric("hit ratio within a concurrent test", "%", 100),
    "misses_per_hit": Metric("number of misses per hit"),
    "keys_added": Metric("number of keys added to the block cache", heading="keys added"),
    "keys_added_per_miss": Metric("number of keys added per miss"),
    "turned_away_share": Metric("share of the misses turned away", "%", 100),
    "evicted_share": Metric("share of the added keys that were evicted", format="{:,.4f}".format,
                            heading="evicted / added"),
    "evicted_within_2s_share": Metric("share of the evicted keys that stayed less than 2 s", "%", 100),
    "lives": Metric("number of evicted keys whose time in the cache is known"),
    "cost_per_key_bytes": Metric("charge per key", "kB", 1e-3),
    "resident_blocks": Metric("number of blocks that stayed in the cache"),
    "burst_misses": Metric("number of misses in the burst"),
    "burst_device_reads": Metric("number of blocks of 4 KiB read from the device in the burst"),
    "burst_major_faults": Metric("number of major page faults in the burst"),
    "device_reads_per_miss": Metric("number of device reads per miss"),
    "query_index_cache_lookups": Metric("number of look-ups in the index cache during the query test"),
    "stored_keys": Metric("number of stored keys"),
    "tables_bytes": Metric("size of all tables", "MB", MB),
    "largest_table_bytes": Metric("size of the largest table", "MB", MB),
    "index_bytes": Metric("size of all indexes", "MB", MB),
    "peak_resident_bytes": Metric("peak resident memory", "MB", MB, heading="peak memory"),
    "peak_anonymous_bytes": Metric("peak anonymous memory", "MB", MB),
    "peak_go_heap_bytes": Metric("peak size of Go's heap", "MB", MB),
    "peak_go_overhead_bytes": Metric("peak memory of Go's runtime", "MB", MB),
    "peak_badger_heap_bytes": Metric("peak memory of Badger without its caches", "MB", MB),
    "peak_index_cache_charged_bytes": Metric("peak charge of the index cache", "MB", MB),
}  # fmt: skip
