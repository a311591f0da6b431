"""What the trials of a run show: its metrics in words, which pools it measured, how it departs from the claims."""

from __future__ import annotations

from benchbook.chapters.memory_pressure.arms import POOLS_BY_DATA, Parameters, name_of
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import MIB, percent
from benchbook.measuring.pgbench.parameters import NOTE_CLIENTS
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.sentences import too_few_blocks

READS, REFAULTS, EVICTIONS = "disk_reads_per_transaction", "refaults_per_transaction", "evictions"
TWICE = "held_twice_share_end"
_COUNT = "{:.2f}".format
METRICS: Metrics = {
    **metric_words.METRICS,
    "part_#_tps": Metric("throughput of a hundred-and-twentieth of the trial"),
    "user_s_per_transaction": Metric(
        "server's processor time in user mode per transaction", "µs", 1e6, heading="user time"
    ),
    "system_s_per_transaction": Metric(
        "server's processor time in the kernel per transaction", "µs", 1e6, heading="system time"
    ),
    "reads_per_transaction": Metric(
        "number of pages read into the pool per transaction", format=_COUNT, heading="pages read into the pool"
    ),
    READS: Metric("number of reads from the device per transaction", format=_COUNT, heading="reads from the device"),
    "disk_read_bytes_per_transaction": Metric("data read from the device per transaction", "KiB", 2**-10),
    "disk_writes_per_transaction": Metric(
        "number of writes to the device per transaction", format=_COUNT, heading="writes to the device"
    ),
    "disk_written_bytes_per_transaction": Metric("data written to the device per transaction", "KiB", 2**-10),
    "bytes_per_read": Metric("size of a read from the device", "KiB", 2**-10, "{:.1f}".format, "size of a read"),
    REFAULTS: Metric(
        "number of pages of 4 KiB that came back into the page cache per transaction", format=_COUNT,
        heading="pages that came back",
    ),
    "own_bytes": Metric("memory of the server beside its pool", "MiB", MIB, heading="server beside its pool"),
    "least_available_share": percent("least available memory, page cache included", "least available memory"),
    "pool_used_share": percent("share of the pool in use"),
    "dirty_pool_start": Metric("number of changed pages in the pool at the start"),
    "resident_share_end": percent("share of the data in either cache at the end", "data in either cache"),
    TWICE: percent("share of the data in both caches at the end", "data in both caches"),
    "data_in_pool_end": percent("share of the data in the pool at the end", "data in the pool"),
    "data_in_os_cache_end": percent("share of the data in the page cache at the end", "data in the page cache"),
    "ram_blocks": Metric("number of blocks that pool and page cache can hold"),
    "pool_share_of_requests": percent("share of requests served by the pool"),
    "os_share_of_requests": percent("share of requests served by the page cache"),
    "device_share_of_requests": percent("share of requests served by the device"),
    "checkpoints": Metric("number of checkpoints"),
    "wait_read_share": percent("share of the clients that wait for a read", "clients that wait for a read"),
    "wait_lock_share": percent("share of the clients that wait for a lock"),
    "wait_log_share": percent("share of the clients that wait for the log"),
    "wait_none_share": percent("share of the clients that wait for nothing"),
    "storage_read_iops": Metric("reads of 8 KiB that the storage did in a second"),
    "storage_read_p50_us": Metric("median time of a read of 8 KiB", "µs"),
    "wal_bytes": Metric("log written", "MiB", MIB),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}  # fmt: skip


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    @property
    def capped(self) -> bool:
        """Whether the reads of this run were capped."""
        return bool(self.parameters.allow_slow_storage)

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_slow_storage=true, as root"

    def pools(self) -> dict[float, list[float]]:
        """Data over memory to the pools that this run measured with them."""
        found = {
            data: [p for p in own if name_of(data, p) in self.configurations] for data, own in POOLS_BY_DATA.items()
        }
        return {data: pools for data, pools in found.items() if pools}

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        clients = self.parameters.clients
        found = {
            "reads that are not capped": not self.capped,
            f"{clients} clients instead of {NOTE_CLIENTS}": clients != NOTE_CLIENTS,
            "memory that nothing bounds": "memory" in self.run.trials and self.free_trials(self.arms) > 0,
        }
        return [*(text for text, departs in found.items() if departs), *too_few_blocks(self.run)]
