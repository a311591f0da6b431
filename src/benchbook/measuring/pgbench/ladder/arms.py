"""The configurations: note 003's rounds and settings, note 002's workers and Scenario B, flushes, codecs, combinations.

What a configuration sets on the server stands in its settings under the server's own names; the other names say how
its trial is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from benchbook.measuring.pgbench.ladder import screening
from benchbook.measuring.pgbench.ladder.parameters import LARGEST_RAM_OVER_DATA, Parameters
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import BOTH, NOTE_003, Settings, restarted
from benchbook.model import Configuration, Scalar

__all__ = ["Parameters", "configurations"]


class Start(StrEnum):
    """How a trial begins: from a restart with the data in the OS cache, with both caches cold, or on a filled pool."""

    RESTART = "restart"
    COLD = "cold"
    WARM = "warm"


TRIAL = (
    "start", "runs", "pool_over_data", "ram_over_data", "capped", "slow_flush", "second", "naptime_trials",
    "cache_over_data",
)  # fmt: skip
"""Names that say how a trial is run; all others are the server's own."""
_OF_003: Settings = {
    "pool_over_data": 0.4, "ram_over_data": SMALL_RAM_OVER_DATA, "naptime_trials": 1, "cache_over_data": 1.1,
    "work_mem": "27MB", "wal_buffers": "128MB", "wal_compression": None, "autovacuum": True,
    "autovacuum_max_workers": 2, "max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h",
}  # fmt: skip
"""Of all of note 003's rounds; the data are 2.5 times a pool of a quarter of the memory."""
_FITS: Settings = {"pool_over_data": 1 / 0.92, "ram_over_data": LARGEST_RAM_OVER_DATA}
_FIRST: Settings = _OF_003 | BOTH | {
    "commit_delay": 0, "commit_siblings": 5, "bgwriter_lru_maxpages": 1000, "bgwriter_lru_multiplier": 2.0,
    "effective_io_concurrency": 200, "wal_writer_flush_after": "1MB",
    "max_worker_processes": 4, "max_parallel_workers": 4, "max_parallel_workers_per_gather": 2,
}  # fmt: skip
_SECOND: Settings = _OF_003 | NOTE_003
_THIRD: Settings = _SECOND | {
    "pool_over_data": 0.6, "wal_compression": "off", "bgwriter_lru_multiplier": 5.0, "naptime_trials": 10,
}  # fmt: skip

Changed = Mapping[str, tuple[str, Settings]]
"""Configurations by name: label, and what each sets otherwise."""
DELAYS = {10: "delay_10", 50: "delay_50", 200: "delay_200"}
"""commit_delay in us, to configurations of round 2 with it."""
OF_ROUND_2: Changed = {
    "no_compression": ("wal_compression off", {"wal_compression": "off"}),
    "multiplier_5": ("bgwriter_lru_multiplier 5", {"bgwriter_lru_multiplier": 5.0}),
    "naptime_10": ("autovacuum_naptime 10 trials", {"naptime_trials": 10}),
    "wal_buffers_16": ("wal_buffers 16 MB", {"wal_buffers": "16MB"}),
    "wal_writer_200": ("wal_writer_delay 200 ms", {"wal_writer_delay": "200ms"}),
    "page_cost_4": ("random_page_cost 4", {"random_page_cost": 4.0}),
    "workers_default": ("workers 8/8/2", {"max_worker_processes": 8, "max_parallel_workers": 8}),
    "bgwriter_200": ("bgwriter_delay 200 ms", {"bgwriter_delay": "200ms"}),
    "delay_10_siblings_2": ("commit_delay 10 µs, commit_siblings 2", {"commit_delay": 10, "commit_siblings": 2}),
    **{name: (f"commit_delay {delay} µs", {"commit_delay": delay}) for delay, name in DELAYS.items()},
}
OF_ROUND_1: Changed = {
    "round_1_multiplier_4": ("bgwriter_lru_multiplier 4", {"bgwriter_lru_multiplier": 4.0}),
    "round_1_maxpages_500": ("bgwriter_lru_maxpages 500", {"bgwriter_lru_maxpages": 500}),
    "round_1_siblings_3": ("commit_siblings 3", {"commit_siblings": 3}),
    "round_1_flush_2mb": ("wal_writer_flush_after 2 MB", {"wal_writer_flush_after": "2MB"}),
}
OF_B: Changed = {
    "b_cache_default": ("effective_cache_size 0.2 × data", {"cache_over_data": 0.2}),
    "b_work_mem_4": ("work_mem 4 MB", {"work_mem": "4MB"}),
    "b_bgwriter_200": ("bgwriter_delay 200 ms", {"bgwriter_delay": "200ms"}),
    "b_multiplier_2": ("bgwriter_lru_multiplier 2", {"bgwriter_lru_multiplier": 2.0}),
    "b_maxpages_1000": ("bgwriter_lru_maxpages 1,000", {"bgwriter_lru_maxpages": 1000}),
    "b_delay_0": ("commit_delay 0", {"commit_delay": 0}),
    "b_siblings_5": ("commit_siblings 5", {"commit_siblings": 5}),
}
"""Scenario B with one setting at what it was before."""
WORKERS: Mapping[str, tuple[str, int, str, Settings]] = {
    "baseline": ("baseline: workers 8/8/4", 20, "8/8/4", {}),
    "processes_32": ("workers 32/8/4", 20, "32/8/4", {}),
    "parallel_32": ("workers 32/32/4", 20, "32/32/4", {}),
    "scenario_a": ("A: workers 32/32/8", 20, "32/32/8", {}),
    "scenario_a_again": ("A again (A/A)", 20, "32/32/8", {}),
    "no_workers": ("workers 2/0/0", 20, "2/0/0", {}),
    "small_bgwriter_200": ("A, bgwriter_delay 200 ms", 20, "32/32/8", {"bgwriter_delay": "200ms"}),
    "small_multiplier_2": ("A, bgwriter_lru_multiplier 2", 20, "32/32/8", {"bgwriter_lru_multiplier": 2.0}),
    "scenario_a_free": ("A, not capped", 20, "32/32/8", {"capped": False}),
    "baseline_pool_80": ("baseline, pool 80 %", 80, "8/8/4", {}),
    "scenario_a_pool_80": ("A, pool 80 %", 80, "32/32/8", {}),
}
"""Label, pool in % of the data, processes, parallel workers, those per gather, and what else is set."""
FLUSHES = {0: "slow_flush_0", 50: "slow_flush_50", 200: "slow_flush_200"}
"""commit_delay in us where flushes are slow."""
CODECS = {codec: f"second_{codec}" for codec in ("off", "pglz", "lz4", "zstd")}
"""wal_compression on the second server."""


def start_of(arm: Configuration) -> Start:
    """How the trials of a configuration begin."""
    return Start(str(arm.settings["start"]))


def _warm(name: str, label: str, group: str, settings: Mapping[str, Scalar], **more: Scalar) -> Configuration:
    return Configuration(name, label, {"start": "warm", **settings, **more}, group)


def _cold(name: str, label: str, settings: Mapping[str, Scalar], runs: int = 1) -> Configuration:
    return Configuration(name, label, {"start": "cold", "runs": runs, **settings}, "cold")


def configurations(parameters: Parameters) -> Iterator[Configuration]:
    """Every arm that the claims name, as far as the parts ask for it; what is compared stands together in a block."""
    p = parameters
    yield _warm("round_2", "round 2", "round 2", _SECOND)
    yield _warm("round_2_again", "round 2 again (A/A)", "round 2", _SECOND)
    yield _cold("round_1_cold", "round 1, cold", _FIRST)
    yield _cold("round_2_cold", "round 2, cold, three runs", _SECOND, runs=3)
    if "states" in p.parts:
        yield _warm("round_1", "round 1", "round 2", _FIRST)
        yield _warm("round_3", "round 3", "round 2", _THIRD)
        yield _cold("round_1_cold_again", "round 1, cold, again (A/A)", _FIRST)
        yield _cold("round_3_cold", "round 3, cold", _THIRD)
        yield _cold("round_1_fits", "round 1, cold, data fit the pool", _FIRST | _FITS)
        yield _cold("round_2_fits", "round 2, cold, data fit the pool", _SECOND | _FITS)
        yield _warm("round_2_fits_warm", "round 2, data fit the pool", "cold", _SECOND | _FITS)
    if "singles" in p.parts:
        for name, (label, settings) in OF_ROUND_2.items():
            yield _warm(name, f"round 2, {label}", "round 2", _SECOND | settings)
        yield _warm("round_1_beside", "round 1 beside its settings", "round 1", _FIRST)
        for name, (label, settings) in OF_ROUND_1.items():
            yield _warm(name, f"round 1, {label}", "round 1", _FIRST | settings)
        io = {"effective_io_concurrency": 100}
        yield _cold("round_1_cold_io_100", "round 1, cold, effective_io_concurrency 100", _FIRST | io)
    if "workers" in p.parts:
        for name, (label, pool, workers, settings) in WORKERS.items():
            if p.allow_slow_storage or "capped" not in settings:
                given = _restarted(pool, 1000, workers) | {"capped": p.allow_slow_storage and pool == 20} | settings
                yield Configuration(name, label, given, "workers" if pool == 20 else "stated pool")
    if "scenario_b" in p.parts:
        b = _restarted(100, 1250, "32/32/8") | {"capped": False}
        for name, (label, settings) in {"scenario_b": ("", {}), "scenario_b_again": (" again (A/A)", {})}.items():
            yield Configuration(name, f"B{label}", b | settings, "scenario B")
        for name, (label, settings) in OF_B.items():
            yield Configuration(name, f"B, {label}", b | settings, "scenario B")
    if "flushes" in p.parts and p.allow_slow_storage:
        for delay, name in FLUSHES.items():
            label = f"flushes {p.flush_ms:g} ms slower, commit_delay {delay} µs"
            yield _warm(name, label, "slow flushes", _SECOND, commit_delay=delay, slow_flush=True)
    if p.has_second:
        for codec, name in CODECS.items():
            label = f"second server, wal_compression {codec}"
            yield _warm(name, label, "codecs", _SECOND, wal_compression=codec, second=True)
    if "screening" in p.parts:
        for run in range(screening.RUNS):
            own = {"bgwriter_lru_maxpages": screening.MAXPAGES} | screening.settings(run)
            yield _warm(screening.name(run), f"combination {run + 1}", "screening", _SECOND | own)


def _restarted(pool: int, maxpages: int, workers: str) -> Settings:
    """Note 002's, from a restart. pool: in % of the data. workers: processes, parallel ones, those per gather."""
    names = ("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather")
    return restarted(32, maxpages) | {
        "start": "restart", "ram_over_data": RAM_OVER_DATA, "cache_over_data": 2.25, "work_mem": "53MB",
        "wal_buffers": "16MB", "wal_compression": None, "pool_over_data": pool / 100,
        **dict(zip(names, map(int, workers.split("/")), strict=True)),
    }  # fmt: skip
