"""What can be set, and the configurations: four engines, one of them in three forms, each in turns and by itself."""

from __future__ import annotations

from pydantic import Field

from benchbook.measuring.kv.options import AFTER, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration

TURNS, ALONE = "turns", "alone"
WAYS = {TURNS: "in turns", ALONE: "one after the other"}
"""How the configurations of a block are measured, and what figures call it."""

BASE, AGAIN, SMALL = "value_file", "value_file_again", "value_file_small_pages"
USES: dict[str, Options] = {
    BASE: {"engine": "value_file", "value_index": "alex_huge_pages", "sync": False},
    SMALL: {"engine": "value_file", "value_index": "alex", "sync": False},
    "lmdb": {"engine": "lmdb", "sync": False, "transaction": "read"},
    "sqlite": {
        "engine": "sqlite",
        "prepare": "once",
        "transaction": "read",
        "mutex": "none",
        "mmap_bytes": 8 << 30,
    },
    "rocksdb": {"engine": "rocksdb", **AFTER, "write_ahead_log": False},
}
"""Options of each engine; what a lookup takes spans a factor of ten."""
ENGINES = {
    BASE: "value file",
    AGAIN: "value file, again (A/A)",
    SMALL: "value file, small pages",
    "lmdb": "LMDB",
    "sqlite": "SQLite",
    "rocksdb": "RocksDB",
}
"""What is measured, and its labels. The value file's index lies in huge pages; in small ones the kernel deals each
process other memory, which neither way of measuring can take out."""


class Parameters(TurnParameters):
    """Defaults are the standard profile. Both ways take the same turns; one has nobody else's in between."""

    blocks: int = Field(12, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(500_000, ge=1_000, le=100_000_000, description="rows of each store")
    value_bytes: int = Field(100, ge=8, le=4096, description="length of a value")
    warm_lookups: int = Field(
        50_000, ge=1, le=100_000_000, description="uniform lookups that warm a store before its first turn"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )


def name(engine: str, way: str) -> str:
    """Configuration name of an engine measured in one of the ways."""
    return f"{engine}_{way}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every engine in both ways; those by themselves are a group of one."""
    return tuple(
        Configuration(
            name(engine, way),
            f"{label}, {words}",
            {"use": BASE if engine == AGAIN else engine, "way": way},
            TURNS if way == TURNS else engine,
        )
        for way, words in WAYS.items()
        for engine, label in ENGINES.items()
    )
