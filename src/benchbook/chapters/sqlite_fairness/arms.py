"""What can be set, how SQLite and the note's engine are used, and the configurations: what of it at how many rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import options
from benchbook.measuring.kv.options import ENGINE, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import asked

CLAIMED_SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
CLAIMED_ROWS = CLAIMED_SIZES[-1]


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's sizes and its 1,000 look-ups, and more look-ups at one size."""

    blocks: int = Field(
        3,
        ge=2,
        le=100,
        description="complete blocks of a session; each measures every configuration once; further sessions add more",
    )
    sizes: tuple[int, ...] = Field(
        CLAIMED_SIZES,
        description="rows at which the note's benchmark is repeated, growing",
    )
    queries: int = asked(
        1_000, "look-ups of the benchmark", ge=100, le=10_000_000,
        description="its look-ups: at a fixed stride, none before them",
    )  # fmt: skip
    ladder_rows: int = Field(
        1_000_000, ge=1_000, le=1_000_000_000, description="rows at which SQLite's settings are changed one at a time"
    )
    ladder_queries: int = Field(
        100_000, ge=1_024, le=100_000_000, description="uniform look-ups there, in batches or dependent on each other"
    )
    warm_queries: int = Field(
        50_000, ge=0, le=100_000_000, description="look-ups before them, from the same distribution"
    )
    timed_queries: int = Field(
        100_000, ge=1_000, le=10_000_000, description="look-ups there with a time stamp each, in trials of their own"
    )
    commit_rows: int = Field(1_000, ge=1, le=1_000_000, description="rows of a commit where many are written")
    commits: int = Field(
        100, ge=2, le=1_000_000, description="commits of them; the writer is killed in the second half"
    )
    one_write_rows: int = Field(
        100_000, ge=1_000, le=1_000_000_000, description="rows of the one commit after which the writer is killed"
    )
    allow_power_cut: bool = Field(
        True,
        description="write some stores to a volume of their own (a file behind a loop device) and cut its power after "
        "the kill (root only); without it these configurations are left out",
    )
    kept_samples: int = Field(
        2_000, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        sizes = self.sizes
        if not sizes or list(sizes) != sorted(set(sizes)):
            raise ValueError(f"sizes={sizes} must name one size or more, each once, growing")
        if min(sizes) < self.queries:
            raise ValueError(f"sizes={sizes} must each hold the queries={self.queries} different rows that are asked")
        if max(sizes) > 1_000_000_000:
            raise ValueError(f"sizes={sizes} must not go beyond 1,000,000,000 rows")
        return self

    @property
    def largest(self) -> int:
        """Rows of the largest repetition of the note's benchmark."""
        return self.sizes[-1]


AS_RUN, ONCE, BEST = "as_run", "once", "best"
BEFORE, AFTER = "before", "after"


@dataclass(frozen=True)
class Use:
    """label: for figures. options: of the engine. settle: what is done to the store before it is read."""

    label: str
    options: Options
    settle: str = "nothing"

    def changed(self, label: str, *, settle: str = "nothing", **options: Scalar) -> Use:
        """The same use but for these options."""
        return Use(label, {**self.options, **options}, settle)


# The library through which the note used SQLite opens its connections without a mutex.
_once = Use("SQLite, prepared once", {"engine": "sqlite", "prepare": "once", "mutex": "none"})
_before = Use("OmenDB, options before", {**ENGINE, "index_load": "single", **options.BEFORE})
_after = Use("OmenDB, options after", {**ENGINE, "index_load": "single", **options.AFTER})

LOOKUPS: dict[str, Use] = {
    AS_RUN: _once.changed("SQLite, prepared for every query", prepare="query"),
    ONCE: _once,
    "full_mutex": _once.changed("… with the full mutex", mutex="full"),
    "no_sync": _once.changed("… synchronous off", synchronous="off"),
    "write_ahead_log": _once.changed("… journal WAL", journal="wal"),
    "large_cache": _once.changed("… cache of 256 MiB", cache_kib=262_144),
    "mapped": _once.changed("… file mapped", mmap_bytes=1 << 33),
    "exclusive": _once.changed("… exclusive lock", locking="exclusive"),
    "read_held": _once.changed("… one read transaction", transaction="read"),
    BEST: _once.changed("SQLite, one read transaction, file mapped", transaction="read", mmap_bytes=1 << 33),
    BEFORE: _before,
    AFTER: _after,
    "before_settled": _before.changed("OmenDB, options before, compacted", settle="compact"),
    "after_settled": _after.changed("OmenDB, options after, compacted", settle="compact"),
}
"""Look-ups: the statement of SQLite's changes one thing at a time from "prepared once"."""

_rocksdb = Use("", {"engine": "rocksdb", **options.AFTER})
DEFAULT, EXTRA, UNSYNCED, NO_LOG = "default", "extra", "log_unsynced", "no_log"
# Afterwards all rows are looked for in one read transaction; writing does not change by that.
_written = _once.changed("", transaction="read")
WRITES: dict[str, Use] = {
    DEFAULT: _written.changed("SQLite, its defaults (journal, full)"),
    EXTRA: _written.changed("SQLite, journal, extra", synchronous="extra"),
    "wal_full": _written.changed("SQLite, WAL, full", journal="wal", synchronous="full"),
    "wal_normal": _written.changed("SQLite, WAL, normal", journal="wal", synchronous="normal"),
    "unsynced": _written.changed("SQLite, synchronous off", synchronous="off"),
    "log_synced": _rocksdb.changed("RocksDB, log synced", sync=True),
    UNSYNCED: _rocksdb.changed("RocksDB, log not synced (as run)", sync=False),
    NO_LOG: _rocksdb.changed("RocksDB, without its log", sync=False, write_ahead_log=False),
}
"""Writes: how durable a commit is. The note's index lives in memory and makes nothing durable, so it is left out."""

NOTE, WARM, DEPENDENT, TIMED, COMMITS, ONE_WRITE = "note", "warm", "dependent", "timed", "commits", "one_write"
POWER_CUT = "power_cut"
"""What a trial measures: the note's benchmark; batches of warm look-ups; look-ups that wait for each other; look-ups
with a time stamp each; a writer of many commits, or of one, that is killed; one of one commit whose disk then loses its
power."""
NOTE_USES = (AS_RUN, ONCE, BEST, BEFORE, AFTER)
WARM_USES = tuple(LOOKUPS)
DEPENDENT_USES = (ONCE, BEST, AFTER)
TIMED_USES = (AS_RUN, ONCE, BEST, AFTER)
WRITTEN = (COMMITS, ONE_WRITE, POWER_CUT)


def note(use: str, rows: int) -> str:
    """Configuration name of the note's benchmark in one use at one size."""
    return f"{use}_{rows}"


def at(part: str, use: str) -> str:
    """Configuration name of another part in one use."""
    return f"{part}_{use}"


def note_again(parameters: Parameters) -> str:
    """The A/A arm of the note's benchmark: prepared once, at the largest size, a second time."""
    return f"{note(ONCE, parameters.largest)}_again"


ONCE_WARM = at(WARM, ONCE)
WARM_AGAIN = f"{ONCE_WARM}_again"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    found = []
    for rows in p.sizes:
        found += [_arm(note(use, rows), NOTE, use, rows) for use in NOTE_USES]
    found.append(_arm(note_again(p), NOTE, ONCE, p.largest, again=True))
    for part, uses in ((WARM, WARM_USES), (DEPENDENT, DEPENDENT_USES), (TIMED, TIMED_USES)):
        found += [_arm(at(part, use), part, use, p.ladder_rows) for use in uses]
    found.append(_arm(WARM_AGAIN, WARM, ONCE, p.ladder_rows, again=True))
    found += [_arm(at(COMMITS, use), COMMITS, use, p.commits * p.commit_rows) for use in WRITES]
    for part in (ONE_WRITE, *((POWER_CUT,) if p.allow_power_cut else ())):
        found += [_arm(at(part, use), part, use, p.one_write_rows) for use in WRITES]
    return tuple(found)


def _arm(name: str, part: str, use: str, rows: int, *, again: bool = False) -> Configuration:
    known = WRITES if part in WRITTEN else LOOKUPS
    label = known[use].label + (" (A/A)" if again else "")
    return Configuration(name, label, {"part": part, "use": use, "rows": rows}, _group(part, rows))


def _group(part: str, rows: int) -> str:
    """Lookups take turns with those that they are compared with; a writer syncs, and is killed, alone."""
    if part in WRITTEN:
        return ""
    return f"{NOTE} {rows}" if part == NOTE else part
