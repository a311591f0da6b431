"""The metrics of a trial in words: what the server and Badger counted, and pages around a CHECKPOINT."""

from __future__ import annotations

from benchbook.experiments.shape.metrics import Metric, Metrics

METRICS: Metrics = {
    "operations": Metric("number of transactions, sums or look-ups", heading="operations"),
    "tps": Metric("throughput", heading="TPS"),
    "parallel_workers_planned": Metric("number of parallel workers asked for", heading="workers asked for"),
    "parallel_workers": Metric("number of parallel workers launched", heading="workers launched"),
    "parallel_workers_per_operation": Metric("number of workers launched per transaction or sum"),
    "index_cache_lookups": Metric("number of look-ups in the index cache", heading="index-cache look-ups"),
    "index_cache_lookups_per_operation": Metric("number of look-ups in the index cache per row"),
    "index_cache_misses": Metric("number of misses in the index cache", heading="index-cache misses"),
    "index_cache_hit_ratio": Metric("hit ratio of the index cache", "%", 100),
    "kept_mean_ns": Metric("mean time of an operation", "µs", 1e-3),
    "resident_pages_before": Metric("number of pages in the pool before the CHECKPOINT"),
    "resident_pages_after": Metric("number of pages in the pool after the CHECKPOINT"),
    "dirty_pages_before": Metric("number of dirty pages before the CHECKPOINT"),
    "dirty_pages_after": Metric("number of dirty pages after the CHECKPOINT"),
    "data_pages": Metric("number of pages of tables and indexes"),
    "autovacuums": Metric("number of autovacuums"),
    "checkpoint_s": Metric("time of the CHECKPOINT", "s"),
}
