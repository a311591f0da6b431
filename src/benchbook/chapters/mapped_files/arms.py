"""What can be set, and the configurations: four ways to read, by the read-ahead of the disk and the share in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import uses
from benchbook.measuring.kv.options import Options
from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters

VALUE_FILE, SQLITE, LMDB, ROCKSDB, SQLITE_CALLS = "value_file", "sqlite", "lmdb", "rocksdb", "sqlite_calls"
ENGINES: Mapping[str, tuple[str, Options]] = {
    VALUE_FILE: ("value file, mapped", uses.VALUE_FILE),
    SQLITE: ("SQLite, mapped", uses.SQLITE_BEST),
    LMDB: ("LMDB, mapped", uses.LMDB),
    SQLITE_CALLS: ("SQLite, by calls", {**uses.SQLITE_BEST, "mmap_bytes": 0, "cache_kib": 2_000}),
    ROCKSDB: ("RocksDB, by calls", uses.ROCKSDB_SMALL_CACHE),
}
"""Engine to its label and options. By calls: pages are asked for by read calls and not by touching mapped memory, and
the engine's own cache is small, so that the page cache is what holds the file."""
AGAIN = "value_file_again"
MACHINES = -1
"""In place of KiB: the machine's own disk, with whatever read-ahead it has."""
LOAD_BATCH_ROWS = 100_000


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: stores of some 300 MB, about six minutes a block."""

    blocks: int = Field(3, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: int = Field(2_000_000, ge=10_000, le=100_000_000, description="rows of a store")
    value_bytes: int = Field(100, ge=8, le=4096, description="length of a value")
    lookups: int = Field(
        2_000, ge=100, le=1_000_000, description="random look-ups, timed one by one, after as many that do not count"
    )
    memory_percent: tuple[Annotated[int, Field(ge=5, le=95)], ...] = Field(
        (20, 50, 80), min_length=1, description="shares of a store's files that memory holds, in %, growing"
    )
    read_ahead_kib: tuple[Annotated[int, Field(ge=0, le=65_536)], ...] = Field(
        (0, 128, 8_192), min_length=1, description="read-ahead of the volume in KiB, growing (Linux's default is 128)"
    )
    allow_slow_storage: bool = Field(
        True,
        description="put the stores on a volume of their own (a file behind a loop device), whose read-ahead can be "
        "set (root only); without it they lie on this machine's disk as it is",
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _growing(self) -> Self:
        for name in ("memory_percent", "read_ahead_kib"):
            values = list(getattr(self, name))
            if values != sorted(set(values)):
                raise ValueError(f"{name}={values} must grow")
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """The read-aheads that are measured, in KiB; MACHINES where they cannot be set."""
        return self.read_ahead_kib if self.allow_slow_storage else (MACHINES,)

    @property
    def middle(self) -> int:
        """The share of memory that most figures show."""
        return self.memory_percent[len(self.memory_percent) // 2]


def at(engine: str, kib: int, percent: int) -> str:
    """Configuration name."""
    return f"{engine}_{'own' if kib == MACHINES else kib}_{percent}"


def sized(kib: int) -> str:
    """A read-ahead in words."""
    if kib == MACHINES:
        return "the machine's own"
    return "none" if kib == 0 else f"{kib // 1024} MiB" if kib >= 1024 and kib % 1024 == 0 else f"{kib} KiB"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every engine at every share and read-ahead, and one of them twice (A/A)."""
    p = parameters

    def arm(engine: str, kib: int, percent: int, name: str = "", more: str = "") -> Configuration:
        label, options = ENGINES[engine]
        settings: Options = {
            "memory_percent": percent, "read_ahead_kib": kib, "batch_rows": LOAD_BATCH_ROWS,
            "settle": "compact" if engine == ROCKSDB else "nothing",
            **options, **uses.FASTER_LOADING.get(str(options["engine"]), {}),
            **({"write_ahead_log": False} if engine == ROCKSDB else {}),
        }  # fmt: skip
        words = f"{label}, {percent} % in memory, read-ahead {sized(kib)}{more}"
        return Configuration(name or at(engine, kib, percent), words, settings)

    return (
        *(arm(engine, kib, percent) for percent in p.memory_percent for kib in p.sizes for engine in ENGINES),
        arm(VALUE_FILE, p.sizes[0], p.middle, AGAIN, ", again (A/A)"),
    )
