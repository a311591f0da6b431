"""What a part of the performance measurement gives back, before it is dated and stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchbook.bench.record import Timing
from benchbook.bench.sizes import Sizes
from benchbook.model import Scalar

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
