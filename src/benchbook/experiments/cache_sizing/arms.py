"""The configurations: cache sizes, compression, table size, and which build of the probe."""

from __future__ import annotations

from benchbook.engines.badger import Build
from benchbook.experiments.cache_sizing.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan, Scalar

STATED = "stated"
AGAIN = "stated_again"
BLOCK_ONLY = "block_cache_alone"
TUNED = "tuned"
MEDIUM = "medium"
MINIMAL = "minimal"
NO_BLOCK_CACHE = "no_block_cache"
NO_INDEX_CACHE = "no_index_cache"
SNAPPY = "snappy"
ZSTD = "zstd"
SMALL_TABLES = "small_tables"
CURRENT = "current_version"
FEWER = "fewer_events"

BURST, QUERY, SUITE = "burst", "query", "suite"
"""How far a trial goes: to the end of the burst, to a query test behind it, or through all tests in rounds."""


def length(mib: int) -> str:
    """Configuration name of a size in the build that charges a block its own length."""
    return f"own_length_{mib}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    ladder = sorted(parameters.length_ladder_mib)
    return (
        _arm(STATED, "64 / 32 (as stated)", 64, 32, scope=QUERY),
        _arm(AGAIN, "64 / 32, again (A/A)", 64, 32, scope=QUERY),
        _arm(BLOCK_ONLY, "2048 / 32", 2048, 32, scope=QUERY),
        _arm(TUNED, "2048 / 1024 (tuned)", 2048, 1024, scope=SUITE),
        _arm(MEDIUM, "1024 / 512 (medium)", 1024, 512, scope=SUITE),
        _arm("relay_before", "512 / 256 (relay before)", 512, 256),
        _arm(MINIMAL, "384 / 128 (minimal)", 384, 128, scope=SUITE),
        _arm("badger_default", "256 / 0 (Badger's default)", 256, 0),
        _arm(NO_BLOCK_CACHE, "0 / 1024", 0, 1024, scope=SUITE),
        _arm(NO_INDEX_CACHE, "2048 / 0", 2048, 0),
        _arm(SMALL_TABLES, "64 / 32, small tables", 64, 32, small_tables=True),
        _arm(FEWER, f"64 / 32, {parameters.fewer_events:,} events", 64, 32, events=parameters.fewer_events),
        _arm(CURRENT, "2048 / 1024, current Badger", 2048, 1024, build=Build.CURRENT),
        _arm(SNAPPY, "64 / 32, Snappy", 64, 32, compression="snappy"),
        _arm(ZSTD, "64 / 32, ZSTD", 64, 32, compression="zstd"),
        *(_arm(length(mib), f"{mib} / 32, own length", mib, 32, build=Build.LENGTH) for mib in ladder),
    )


def _arm(name: str, label: str, block_mib: int, index_mib: int, **others: Scalar) -> Configuration:
    settings: dict[str, Scalar] = {"build": str(Build.NOTE), "block_mib": block_mib, "index_mib": index_mib}
    settings |= {"compression": "none", "scope": BURST}
    settings |= {key: str(value) if isinstance(value, Build) else value for key, value in others.items()}
    return Configuration(name, label, settings)


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
