"""The configurations: note 003's rounds and settings, note 002's workers and Scenario B, flushes, codecs, combinations.

What a configuration sets on the server stands in its settings under the server's own names; the other names say how
its trial is run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from benchbook.measuring.pgbench.ladder import screening
from benchbook.measuring.pgbench.ladder.parameters import LARGEST_RAM_OVER_DATA, Parameters
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, SMALL_RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import BOTH, NOTE_003, restarted
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

ROUND_1, ROUND_2, ROUND_2_AGAIN, ROUND_3 = "round_1", "round_2", "round_2_again", "round_3"
ROUND_1_COLD, ROUND_2_COLD, ROUND_3_COLD = "round_1_cold", "round_2_cold", "round_3_cold"
ROUND_1_COLD_AGAIN = "round_1_cold_again"
ROUND_1_FITS, ROUND_2_FITS, FITS_WARM = "round_1_fits", "round_2_fits", "round_2_fits_warm"
ROUND_1_BASE, ONE_IO = "round_1_beside", "round_1_cold_io_100"
MULTIPLIER_4, MAXPAGES_500, SIBLINGS_3, FLUSH_2MB = (
    "round_1_multiplier_4", "round_1_maxpages_500", "round_1_siblings_3", "round_1_flush_2mb",
)  # fmt: skip
OFF, MULTIPLIER_5, NAPTIME_10 = "no_compression", "multiplier_5", "naptime_10"
BUFFERS_16, WRITER_200, COST_4, WORKERS_8, BGWRITER_200 = (
    "wal_buffers_16", "wal_writer_200", "page_cost_4", "workers_default", "bgwriter_200",
)  # fmt: skip
DELAYS = {10: "delay_10", 50: "delay_50", 200: "delay_200"}
"""commit_delay in us, to configurations of round 2 with it."""
OPTION_B = "delay_10_siblings_2"
BASELINE, PROCESSES_32, PARALLEL_32, A, A_AGAIN = (
    "baseline", "processes_32", "parallel_32", "scenario_a", "scenario_a_again",
)  # fmt: skip
NO_WORKERS, CAPPED_BGWRITER_200, CAPPED_MULTIPLIER_2, A_FREE = (
    "no_workers", "small_bgwriter_200", "small_multiplier_2", "scenario_a_free",
)  # fmt: skip
BASELINE_80, A_80 = "baseline_pool_80", "scenario_a_pool_80"
B, B_AGAIN = "scenario_b", "scenario_b_again"
B_DEFAULTS: Mapping[str, tuple[str, str, Scalar]] = {
    "b_cache_default": ("effective_cache_size 0.2 × data", "cache_over_data", 0.2),
    "b_work_mem_4": ("work_mem 4 MB", "work_mem", "4MB"),
    "b_bgwriter_200": ("bgwriter_delay 200 ms", "bgwriter_delay", "200ms"),
    "b_multiplier_2": ("bgwriter_lru_multiplier 2", "bgwriter_lru_multiplier", 2.0),
    "b_maxpages_1000": ("bgwriter_lru_maxpages 1,000", "bgwriter_lru_maxpages", 1000),
    "b_delay_0": ("commit_delay 0", "commit_delay", 0),
    "b_siblings_5": ("commit_siblings 5", "commit_siblings", 5),
}
"""Scenario B with one setting at what it was before: configuration to label, name and value."""
FLUSHES = {0: "slow_flush_0", 50: "slow_flush_50", 200: "slow_flush_200"}
"""commit_delay in us where flushes are slow."""
CODECS = {"off": "second_off", "pglz": "second_pglz", "lz4": "second_lz4", "zstd": "second_zstd"}
"""wal_compression on the second server."""

_ROUND_1: dict[str, Scalar] = BOTH | {
    "commit_delay": 0, "commit_siblings": 5, "bgwriter_lru_maxpages": 1000, "bgwriter_lru_multiplier": 2.0,
    "effective_io_concurrency": 200, "wal_writer_flush_after": "1MB",
    "max_worker_processes": 4, "max_parallel_workers": 4, "max_parallel_workers_per_gather": 2,
}  # fmt: skip
_OF_003: dict[str, Scalar] = {
    "pool_over_data": 0.4, "ram_over_data": SMALL_RAM_OVER_DATA, "naptime_trials": 1, "cache_over_data": 1.1,
    "work_mem": "27MB", "wal_buffers": "128MB", "wal_compression": None, "autovacuum": True,
    "autovacuum_max_workers": 2, "max_wal_size": "50GB", "min_wal_size": "2GB", "checkpoint_timeout": "1h",
}  # fmt: skip
"""Of all of note 003's rounds; the data are 2.5 times a pool of a quarter of the memory."""
_FITS: dict[str, Scalar] = {"pool_over_data": 1 / 0.92, "ram_over_data": LARGEST_RAM_OVER_DATA}
_FIRST: dict[str, Scalar] = {**_OF_003, **_ROUND_1}
_SECOND: dict[str, Scalar] = {**_OF_003, **NOTE_003}
_THIRD: dict[str, Scalar] = _SECOND | {
    "pool_over_data": 0.6, "wal_compression": "off", "bgwriter_lru_multiplier": 5.0, "naptime_trials": 10,
}  # fmt: skip
_OF_002: dict[str, Scalar] = {
    "start": str(Start.RESTART), "ram_over_data": RAM_OVER_DATA, "cache_over_data": 2.25, "work_mem": "53MB",
    "wal_buffers": "16MB", "wal_compression": None,
}  # fmt: skip


def start_of(arm: Configuration) -> Start:
    """How the trials of a configuration begin."""
    return Start(str(arm.settings["start"]))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims name, as far as the parts ask for it; what is compared stands together in a block."""
    p = parameters
    arms = [*_rounds(states="states" in p.parts)]
    if "singles" in p.parts:
        arms += [*_around_round_2(), *_around_round_1()]
    if "workers" in p.parts:
        arms += [*_workers(capped=p.allow_slow_storage)]
    if "scenario_b" in p.parts:
        b = _small(100, 1250) | {"capped": False}
        arms += [Configuration(name, label, b, "scenario B") for name, label in ((B, "B"), (B_AGAIN, "B again (A/A)"))]
        arms += [
            Configuration(name, f"B, {label}", b | {setting: value}, "scenario B")
            for name, (label, setting, value) in B_DEFAULTS.items()
        ]
    if "flushes" in p.parts and p.allow_slow_storage:
        arms += [
            _warm(name, f"flushes {p.flush_ms:g} ms slower, commit_delay {delay} µs", "slow flushes",
                  _SECOND | {"commit_delay": delay, "slow_flush": True})
            for delay, name in FLUSHES.items()
        ]  # fmt: skip
    if p.has_second:
        arms += [
            _warm(name, f"second server, wal_compression {codec}", "codecs",
                  _SECOND | {"wal_compression": codec, "second": True})
            for codec, name in CODECS.items()
        ]  # fmt: skip
    if "screening" in p.parts:
        arms += [
            _warm(screening.name(run), f"combination {run + 1}", "screening",
                  _SECOND | {"bgwriter_lru_maxpages": screening.MAXPAGES} | screening.settings(run))
            for run in range(screening.RUNS)
        ]  # fmt: skip
    return tuple(arms)


def _warm(name: str, label: str, group: str, settings: Mapping[str, Scalar]) -> Configuration:
    return Configuration(name, label, {"start": str(Start.WARM), **settings}, group)


def _cold(name: str, label: str, settings: Mapping[str, Scalar], runs: int = 1) -> Configuration:
    return Configuration(name, label, {"start": str(Start.COLD), "runs": runs, **settings}, "cold")


def _rounds(*, states: bool) -> Iterable[Configuration]:
    """Note 003's. states: with its third round, and smaller data."""
    group = "round 2"
    yield _warm(ROUND_2, "round 2", group, _SECOND)
    yield _warm(ROUND_2_AGAIN, "round 2 again (A/A)", group, _SECOND)
    yield _cold(ROUND_1_COLD, "round 1, cold", _FIRST)
    yield _cold(ROUND_2_COLD, "round 2, cold, three runs", _SECOND, runs=3)
    if states:
        yield _warm(ROUND_1, "round 1", group, _FIRST)
        yield _warm(ROUND_3, "round 3", group, _THIRD)
        yield _cold(ROUND_1_COLD_AGAIN, "round 1, cold, again (A/A)", _FIRST)
        yield _cold(ROUND_3_COLD, "round 3, cold", _THIRD)
        yield _cold(ROUND_1_FITS, "round 1, cold, data fit the pool", _FIRST | _FITS)
        yield _cold(ROUND_2_FITS, "round 2, cold, data fit the pool", _SECOND | _FITS)
        yield _warm(FITS_WARM, "round 2, data fit the pool", "cold", _SECOND | _FITS)


def _around_round_2() -> Iterable[Configuration]:
    changed: Mapping[str, tuple[str, dict[str, Scalar]]] = {
        OFF: ("wal_compression off", {"wal_compression": "off"}),
        MULTIPLIER_5: ("bgwriter_lru_multiplier 5", {"bgwriter_lru_multiplier": 5.0}),
        NAPTIME_10: ("autovacuum_naptime 10 trials", {"naptime_trials": 10}),
        BUFFERS_16: ("wal_buffers 16 MB", {"wal_buffers": "16MB"}),
        WRITER_200: ("wal_writer_delay 200 ms", {"wal_writer_delay": "200ms"}),
        COST_4: ("random_page_cost 4", {"random_page_cost": 4.0}),
        WORKERS_8: ("workers 8/8/2", {"max_worker_processes": 8, "max_parallel_workers": 8}),
        BGWRITER_200: ("bgwriter_delay 200 ms", {"bgwriter_delay": "200ms"}),
        OPTION_B: ("commit_delay 10 µs, commit_siblings 2", {"commit_delay": 10, "commit_siblings": 2}),
        **{name: (f"commit_delay {delay} µs", {"commit_delay": delay}) for delay, name in DELAYS.items()},
    }
    for name, (label, settings) in changed.items():
        yield _warm(name, f"round 2, {label}", "round 2", _SECOND | settings)


def _around_round_1() -> Iterable[Configuration]:
    group = "round 1"
    yield _warm(ROUND_1_BASE, "round 1 beside its settings", group, _FIRST)
    changed: Mapping[str, tuple[str, dict[str, Scalar]]] = {
        MULTIPLIER_4: ("bgwriter_lru_multiplier 4", {"bgwriter_lru_multiplier": 4.0}),
        MAXPAGES_500: ("bgwriter_lru_maxpages 500", {"bgwriter_lru_maxpages": 500}),
        SIBLINGS_3: ("commit_siblings 3", {"commit_siblings": 3}),
        FLUSH_2MB: ("wal_writer_flush_after 2 MB", {"wal_writer_flush_after": "2MB"}),
    }
    for name, (label, settings) in changed.items():
        yield _warm(name, f"round 1, {label}", group, _FIRST | settings)
    yield _cold(ONE_IO, "round 1, cold, effective_io_concurrency 100", _FIRST | {"effective_io_concurrency": 100})


def _workers(*, capped: bool) -> Iterable[Configuration]:
    def arm(name: str, label: str, pool: int, workers: str, settings: dict[str, Scalar] | None = None) -> Configuration:
        given = _small(pool, 1000) | _workers_of(workers) | (settings or {}) | {"capped": capped and pool == 20}
        return Configuration(name, label, given, "workers" if pool == 20 else "stated pool")

    yield arm(BASELINE, "baseline: workers 8/8/4", 20, "8/8/4")
    yield arm(PROCESSES_32, "workers 32/8/4", 20, "32/8/4")
    yield arm(PARALLEL_32, "workers 32/32/4", 20, "32/32/4")
    yield arm(A, "A: workers 32/32/8", 20, "32/32/8")
    yield arm(A_AGAIN, "A again (A/A)", 20, "32/32/8")
    yield arm(NO_WORKERS, "workers 2/0/0", 20, "2/0/0")
    yield arm(CAPPED_BGWRITER_200, "A, bgwriter_delay 200 ms", 20, "32/32/8", {"bgwriter_delay": "200ms"})
    yield arm(CAPPED_MULTIPLIER_2, "A, bgwriter_lru_multiplier 2", 20, "32/32/8", {"bgwriter_lru_multiplier": 2.0})
    if capped:
        free = _small(20, 1000) | {"capped": False}
        yield Configuration(A_FREE, "A, not capped", free, "workers")
    yield arm(BASELINE_80, "baseline, pool 80 %", 80, "8/8/4")
    yield arm(A_80, "A, pool 80 %", 80, "32/32/8")


def _small(pool: int, maxpages: int) -> dict[str, Scalar]:
    return {**restarted(32, maxpages), **_OF_002, "pool_over_data": pool / 100}


def _workers_of(text: str) -> dict[str, Scalar]:
    processes, parallel, gather = map(int, text.split("/"))
    return {
        "max_worker_processes": processes,
        "max_parallel_workers": parallel,
        "max_parallel_workers_per_gather": gather,
    }
