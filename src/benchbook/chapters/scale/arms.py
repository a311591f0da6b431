"""What can be set, and the configurations: the note's engine and SQLite, each used in two ways, by number of rows."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import options
from benchbook.measuring.kv.options import ENGINE, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import asked

MOST_ROWS = 100_000_000
ASKED_ROWS = TEN_K, HUNDRED_K, MILLION, TEN_MILLION = 10_000, 100_000, 1_000_000, 10_000_000
"""Sizes for which claims were registered."""


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's sizes and look-ups, 10 million rows with sequential keys only."""

    blocks: int = Field(8, ge=2, le=100, description="complete blocks; each measures every configuration once")
    rows: tuple[int, ...] = Field(
        ASKED_ROWS,
        description="numbers of rows with sequential keys; all four systems at each",
    )
    random_rows: tuple[int, ...] = Field(
        (10_000, 100_000, 1_000_000),
        description="numbers of rows with random keys; the state before the options and both uses of SQLite at each",
    )
    again_rows: tuple[int, ...] = Field(
        ASKED_ROWS,
        description="of rows, the sizes at which the state before the options is measured a second time (A/A)",
    )
    lookups: int = asked(
        1_000,
        "look-ups a trial",
        ge=100,
        le=1_000_000,
        description="look-ups at a fixed stride, each key once, unwarmed",
    )
    batch_lookups: int = Field(
        100, ge=10, le=65_536, description="look-ups between two readings of the clock; must divide lookups"
    )
    tail_rows: int = Field(
        1_000_000, ge=1_000, le=MOST_ROWS, description="rows of the trials that time each look-up, sequential keys"
    )
    tail_lookups: int = Field(
        100_000, ge=1_000, le=10_000_000, description="look-ups of these, uniform and timed one by one"
    )
    tail_warm_lookups: int = Field(
        10_000, ge=0, le=10_000_000, description="look-ups from the same distribution before them"
    )
    kept_samples: int = Field(
        5_000, ge=100, le=1_000_000, description="times of single look-ups stored per trial, evenly taken from all"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name, least in (("rows", 2), ("random_rows", 0), ("again_rows", 1)):
            sizes: tuple[int, ...] = getattr(self, name)
            if len(sizes) < least or len(set(sizes)) != len(sizes):
                raise ValueError(f"{name}={list(sizes)} must name at least {least} sizes, each once")
            if sizes and not (min(sizes) >= self.lookups and max(sizes) <= MOST_ROWS):
                raise ValueError(
                    f"{name}={list(sizes)} must lie between lookups={self.lookups:,}, since each key is asked for "
                    f"once, and {MOST_ROWS:,}"
                )
        if not set(self.again_rows) <= set(self.rows):
            raise ValueError(f"again_rows={list(self.again_rows)} must be among rows={list(self.rows)}")
        if self.lookups % self.batch_lookups:
            raise ValueError(f"lookups={self.lookups} is no multiple of batch_lookups={self.batch_lookups}")
        return self


BEFORE, AFTER, AS_RUN, WELL = "before", "after", "sqlite_as_run", "sqlite_well"
AGAIN = "before_again"
SYSTEMS = {
    BEFORE: "ALEX + RocksDB, before",
    AFTER: "ALEX + RocksDB, after",
    AS_RUN: "SQLite as run",
    WELL: "SQLite used well",
}
"""The four systems and their labels; before and after mean the note's five options of RocksDB."""
SEQUENTIAL, RANDOM = "sequential", "random"
STRIDE, UNIFORM = "stride", "uniform"

OPTIONS: dict[str, Options] = {
    BEFORE: {**ENGINE, **options.BEFORE},
    AFTER: {**ENGINE, **options.AFTER},
    # The note's client library opens SQLite without a mutex; all else is SQLite's default.
    AS_RUN: {"engine": "sqlite", "prepare": "query", "mutex": "none"},
    WELL: {
        "engine": "sqlite",
        "prepare": "once",
        "transaction": "read",
        "mutex": "none",
        "journal": "wal",
        "synchronous": "normal",
        "cache_kib": 64 << 10,
        "mmap_bytes": 8 << 30,
    },
}
"""What the probe is asked to open for each system."""


def name(system: str, rows: int, keys: str = SEQUENTIAL, distribution: str = STRIDE) -> str:
    """Configuration name of a system at a size."""
    return f"{system}_{rows}_{keys if distribution == STRIDE else distribution}"


def short(rows: int) -> str:
    """A number of rows in few signs: 10k, 100k, 1M; with all digits where that would not be exact."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if rows >= unit and rows % (unit // 100) == 0:
            return f"{rows / unit:g}{sign}"
    return f"{rows:,}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    return (
        *(_arm(system, rows) for rows in sorted(p.rows) for system in SYSTEMS),
        *(_arm(BEFORE, rows, named=AGAIN) for rows in sorted(p.again_rows)),
        *(_arm(system, rows, RANDOM) for rows in sorted(p.random_rows) for system in (BEFORE, AS_RUN, WELL)),
        *(_arm(system, p.tail_rows, distribution=UNIFORM) for system in SYSTEMS),
    )


def _arm(
    system: str, rows: int, keys: str = SEQUENTIAL, distribution: str = STRIDE, *, named: str | None = None
) -> Configuration:
    label = f"{SYSTEMS[system]}, {short(rows)}"
    label += {(SEQUENTIAL, UNIFORM): " uniform", (RANDOM, STRIDE): " random"}.get((keys, distribution), "")
    label += " again (A/A)" if named else ""
    settings: dict[str, Scalar] = {"system": system, "rows": rows, "keys": keys, "law": distribution}
    group = f"{distribution if distribution == UNIFORM else keys} {rows}"
    return Configuration(name(named or system, rows, keys, distribution), label, settings, group)
