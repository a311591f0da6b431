"""How much a part of the performance measurement does, and what it gives back before it is dated and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchbook.bench.record import Timing
from benchbook.model import Scalar


@dataclass(frozen=True)
class Sizes:
    """repeats: rounds that count, each with every contestant once; at least two, because one has no interval.

    samples: latencies that are analysed. seconds, resamples: of the timeline whose mean is resampled.
    requests: look-ups a repeat by each client; pgbench runs for pgbench_s seconds instead.
    keys, lookups: of the index; rows: of each engine; rounds: inside one process of the C++ program.
    chapters: sizes of the books that are built, 0 standing for all. runs: sizes of the catalogues.
    """

    repeats: int = 5
    samples: int = 10_000_000
    seconds: int = 600
    resamples: int = 2_000
    requests: int = 50_000
    pgbench_s: int = 3
    keys: int = 10_000_000
    lookups: int = 2_000_000
    rows: int = 1_000_000
    rounds: int = 2
    chapters: tuple[int, ...] = (1, 4, 0)
    runs: tuple[int, ...] = (1, 100, 1_000)
    small: bool = False


FULL = Sizes()
SMALL = Sizes(
    repeats=2,
    samples=100_000,
    seconds=60,
    resamples=200,
    requests=1_000,
    pgbench_s=1,
    keys=10_000,
    lookups=10_000,
    rows=1_000,
    rounds=1,
    chapters=(1,),
    runs=(1, 10),
    small=True,
)
"""For trying the parts out; its numbers are not measurements."""

Say = Callable[[str], None]
"""Takes a line about the progress; called between timed regions, never inside one."""


@dataclass(frozen=True)
class Pair:
    """A timing and the peer that it is divided by. main: shown in the book's figure."""

    name: str
    peer: str
    main: bool = False


@dataclass(frozen=True)
class Measured:
    """timings and the pairs among them that are compared. settings: what the labels leave open. versions: of whom."""

    timings: tuple[Timing, ...]
    pairs: tuple[Pair, ...] = ()
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)


Measure = Callable[[Sizes, Say], Measured]
"""Measures one part. Raises MachineError when the machine lacks something, which skips the part alone."""
