"""How much a part of the performance measurement does, round by round, and what it gives back before it is stored."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from benchbook.bench.record import Timing
from benchbook.model import Scalar


@dataclass(frozen=True)
class Sizes:
    """repeats: rounds that count, each with every contestant once; at least two, because one has no interval.

    samples: latencies that are analysed. seconds, resamples: of the timeline whose mean is resampled.
    keys, lookups: of the index; rows: of each engine; rounds: inside one process of the C++ program.
    chapters: sizes of the books that are built, 0 standing for all.
    """

    repeats: int = 5
    samples: int = 10_000_000
    seconds: int = 600
    resamples: int = 2_000
    keys: int = 10_000_000
    lookups: int = 2_000_000
    rows: int = 1_000_000
    rounds: int = 2
    chapters: tuple[int, ...] = (1, 4, 0)
    small: bool = False


FULL = Sizes()
SMALL = Sizes(
    repeats=2,
    samples=100_000,
    seconds=60,
    resamples=200,
    keys=10_000,
    lookups=10_000,
    rows=1_000,
    rounds=1,
    chapters=(1,),
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


Contestant = Callable[[], float]
"""Does its work once and returns the seconds that one operation took."""


def interleaved(
    contestants: Mapping[str, Contestant], repeats: int, *, seed: int, say: Say, warm_ups: int = 1
) -> dict[str, list[float]]:
    """Seconds by contestant, one value per round that counts, in the order of the rounds.

    So whatever changes on the machine meanwhile meets all of them, and a round is a block. seed: of the order.
    warm_ups: rounds before, which are dropped.
    """
    generator = np.random.default_rng(seed)
    names = list(contestants)
    found: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_ups, repeats):
        for place in generator.permutation(len(names)):
            name = names[place]
            seconds = contestants[name]()
            if number >= 0:
                found[name].append(seconds)
        say(f"warming up, {-number} to go" if number < 0 else f"round {number + 1} of {repeats}")
    return found


def timed(work: Callable[[], object]) -> Contestant:
    """A contestant whose whole call is one operation."""

    def run() -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return run
