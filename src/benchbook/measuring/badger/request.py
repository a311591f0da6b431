"""A configuration of the event suite, and what the probe is asked for in a trial of it (probes/badger/README.md)."""

from __future__ import annotations

from typing import Any

from benchbook.engines.badger import Build
from benchbook.measuring.badger.parameters import Bursts, OneRound, Suite
from benchbook.model import Configuration, Scalar

PHASES = ("peak", "burst", "mixed", "query", "concurrent")
TESTS = {"burst": ["peak", "burst"], "query": ["peak", "burst", "query"], "suite": [*PHASES]}
"""By scope, how far a trial goes: to the end of the burst, to a query test behind it, or through all tests in rounds;
"lookups" looks up rows of a store that is there (lookups.py)."""
TEST_LIMIT_S = 120


def arm(name: str, label: str, block_mib: int, index_mib: int, **others: Scalar) -> Configuration:
    """A configuration with these sizes of the block and the index cache.

    others: build (NOTE), compression ("none"), scope ("burst"); events where not the parameters' number is saved.
    """
    settings: dict[str, Scalar] = {"build": str(Build.NOTE), "block_mib": block_mib, "index_mib": index_mib}
    settings |= {"compression": "none", "scope": "burst"}
    settings |= {key: str(value) if isinstance(value, Build) else value for key, value in others.items()}
    return Configuration(name, label, settings)


def request_of(parameters: Bursts, configuration: Configuration, seed: int) -> dict[str, Any]:
    p, settings, scope = parameters, configuration.settings, str(configuration.settings["scope"])
    mem_table_mib, base_table_mib = p.table_sizes_mib(settings)
    later = p if isinstance(p, OneRound) else Suite()  # the probe wants these even where a trial ends before
    return {
        "seed": seed,
        "workload": "suite",
        "options": {
            "block_cache_bytes": int(settings["block_mib"] or 0) << 20,
            "index_cache_bytes": int(settings["index_mib"] or 0) << 20,
            "compression": settings["compression"], "block_bytes": p.block_bytes,
            "mem_table_bytes": mem_table_mib << 20, "base_table_bytes": base_table_mib << 20,
            "value_log_file_bytes": 256 << 20, "value_threshold_bytes": threshold_bytes(mem_table_mib),
            "compact_l0_on_close": True,
        },
        "load": {"events": int(settings.get("events") or p.events), "same_time": True},
        "run": {
            "workers": p.workers, "rounds": p.rounds if scope == "suite" and isinstance(p, Suite) else 1,
            "tests": TESTS[scope], "limit_s": TEST_LIMIT_S, "bursts": p.bursts, "burst_spread_ms": p.burst_spread_ms,
            "burst_quiet_ms": p.burst_quiet_ms, "mixed_seeded": later.query_events // 10,
            "mixed_operations": later.mixed_operations, "query_seeded": later.query_events, "query_s": later.query_s,
            "concurrent_seeded": later.query_events // 2, "concurrent_s": later.concurrent_s, "pause_s": 0,
        },
    }  # fmt: skip


def threshold_bytes(mem_table_mib: int) -> int:
    """Values from this size on go to the value log: below 15 % of a memtable, as Badger wants it; ours are smaller."""
    return min(1 << 20, (mem_table_mib << 20) // 10)


def limit_s(request: dict[str, Any]) -> float:
    run = request["run"]
    return float(run["rounds"] * (3 * TEST_LIMIT_S + run["query_s"] + run["concurrent_s"]))
