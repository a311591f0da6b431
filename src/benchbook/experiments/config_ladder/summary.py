"""Per-block values of a run, the effects of the combinations, checks of its trials, and its metrics in words."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.pgbench import metric_words
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.ladder import screening
from benchbook.experiments.families.pgbench.ladder.arms import Parameters, Start, start_of
from benchbook.experiments.families.pgbench.metric_words import percent
from benchbook.experiments.littles_law import littles_gate
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.model import Effect
from benchbook.statistics import Gate

_OF_RUN: Metrics = {
    **metric_words.METRICS,
    "pool_used_share": percent("share of the pool in use after the discarded run"),
    "peak_tps": Metric("highest throughput of a twelfth", heading="highest twelfth"),
    "min_tps": Metric("lowest throughput of a twelfth", heading="lowest twelfth"),
    "start_tps": Metric("throughput of the first two twelfths"),
    "rest_tps": Metric("throughput of all twelfths but the first"),
    "sustained_tps": Metric("throughput of the last third"),
    "third_quarter_tps": Metric("throughput of the third quarter"),
    "fourth_quarter_tps": Metric("throughput of the last quarter"),
    "cv": Metric("standard deviation over mean of the twelfths", format="{:.2f}".format),
    "early_cv": Metric("standard deviation over mean of the first five twelfths", format="{:.2f}".format),
    "mean_over_peak": Metric("mean over highest twelfth", format="{:.2f}".format),
    "first_over_mean": Metric("first twelfth over the mean", format="{:.2f}".format),
    "cliff": percent("share of the trials with a cliff", "trials with a cliff"),
    "cliff_slot": Metric("place of the sixtieth in which throughput falls"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", format="{:.2f}".format, heading="blocks read per transaction"
    ),
    "evictions": Metric("number of evicted pages", heading="evicted pages"),
    "buffers_clean": Metric(
        "number of pages written by the background writer", heading="pages written by the background writer"
    ),
    "cleaned_per_transaction": Metric(
        "number of pages written by the background writer per transaction", format="{:.2f}".format,
        heading="written by the background writer per transaction",
    ),
    "backend_writes_per_transaction": Metric(
        "number of pages written by clients' backends per transaction", format="{:.4f}".format,
        heading="written by backends per transaction",
    ),
    "clean_stops": Metric(
        "number of rounds that the limit of the background writer cut short", heading="rounds cut short"
    ),
    "wal_bytes_per_transaction": Metric("bytes of log per transaction", heading="log bytes per transaction"),
    "full_images_per_transaction": Metric(
        "number of full page images per transaction", format="{:.2f}".format, heading="full page images per transaction"
    ),
    "flushes_per_transaction": Metric("number of flushes of the log per transaction", format="{:.2f}".format),
    "commits_per_flush": Metric(
        "number of commits per flush of the log", format="{:.2f}".format, heading="commits per flush"
    ),
    "log_bytes_per_write": Metric("bytes of log per write", heading="log bytes per write"),
    "parallel_workers": Metric("number of parallel workers launched", heading="parallel workers"),
    "temp_files": Metric("number of temporary files", heading="temporary files"),
    "autovacuums": Metric("number of tables vacuumed by autovacuum", heading="autovacuums"),
    "cpu_per_transaction_s": Metric(
        "processor time of the server per transaction", "ms", 1e3, "{:.3f}".format, "processor time per transaction"
    ),
    "cpu_busy_share": percent("share of the processors' time that is busy", "processors busy"),
    "wait_read_share": percent("share of the clients that wait for a block", "wait for a block"),
    "wait_lock_share": percent("share of the clients that wait for a row", "wait for a row"),
    "wait_log_share": percent("share of the clients that wait for the log", "wait for the log"),
    "wait_none_share": percent("share of the clients whose backend runs", "run"),
    "storage_write_iops": Metric("writes of 8 KiB that the storage did in a second"),
}  # fmt: skip
_METRICS: Metrics = {
    **_OF_RUN,
    **{
        f"{place}_{name}": metric.but(words=f"{metric.words} of the {place} run", heading="")
        for place in ("second", "third")
        for name, metric in _OF_RUN.items()
    },
}
"""Of a trial; of those with several runs without a restart, the first has the names alone."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

    def starting(self, *starts: Start) -> list[str]:
        """Names of the configurations whose trials begin in one of these ways."""
        return [name for name, arm in self.configurations.items() if start_of(arm) in starts]

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_slow_storage=true and second_server=true, as root"

    def effect(self, column: int, *, confidence: float = 0.95) -> Effect:
        """Throughput with a factor of the combinations at its high level over that at its low one, over blocks.

        Each side is the geometric mean of the eight combinations of a block.
        """

        def side(*, high: bool) -> np.ndarray:
            names = [screening.name(run) for run in range(screening.RUNS) if screening.high(run, column) is high]
            return np.asarray(np.exp(np.mean([np.log(self.values(name, "tps")) for name in names], axis=0)))

        return statistics.ratio(side(high=True), side(high=False), confidence=confidence, sessions=self.sessions)

    def most_per_page(self, arms: Iterable[str]) -> float | None:
        """Transactions per page of the accounts in that of these configurations that made most; None without any."""
        metric = "transactions_per_account_page"
        return max((self.mean(arm, metric) for arm in self.having(arms, metric)), default=None)

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """The same of the warm ones among these configurations."""
        return super().full_gate({*arms} & {*self.starting(Start.WARM)})

    def littles_gate(self, arms: Iterable[str]) -> Gate:
        """Little's law in each trial of these configurations, for claims on their latency."""
        restarted = {*arms} & {*self.starting(Start.RESTART)}
        seconds = self.parameters.restart_seconds if restarted else self.parameters.warm_seconds
        return littles_gate(self.of(arms), float(seconds))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        missing = [part for part in type(p).model_fields["parts"].default if part not in p.parts]
        found = {
            f"{len(missing)} of {len(missing) + len(p.parts)} parts left out": bool(missing),
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]
