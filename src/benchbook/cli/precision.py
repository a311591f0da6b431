"""How many blocks a run still lacks for intervals of a given width, by what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchbook.cli import pilot, pilot_run
from benchbook.cli.pilot_run import Asked
from benchbook.errors import BenchbookError
from benchbook.experiments.manifest import Chapter
from benchbook.parameters.kinds import Kind
from benchbook.runner.growth import MOST


@dataclass(frozen=True)
class Lacking:
    """blocks: to add, 0 where all numbers are so narrow. numbers: which. settings: of what is stored, as name=value."""

    blocks: int
    numbers: tuple[str, ...]
    settings: list[str]

    def said(self, half_width: float) -> str:
        """What is added, and for which numbers."""
        what = (
            f"{self.blocks} block{'s are' if self.blocks > 1 else ' is'} added" if self.blocks else "nothing is added"
        )
        return f"{what} for ±{100 * half_width:.3g} % of {', '.join(self.numbers)}"


def lacking(module: Chapter, asked: Asked, half_width: float, numbers: Sequence[str]) -> Lacking:
    """What half-widths lack. numbers: of the chapter, or claims; without any those of its first screen.

    Raises BenchbookError where no plan has so many blocks, NoStoredRunError where nothing is stored of which the
    spread could be known.
    """
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{module.name} measures nothing, so it has no blocks to add", "leave out --half-width")
    found = pilot_run.newest(module, asked)
    pilot_run.arms(module, found)
    aims = pilot.numbers(module, found, numbers)
    worst, blocks = pilot.widest(aims, half_width)
    if blocks is None or blocks > MOST:
        raise BenchbookError(
            f"{worst.name} needs more than the {MOST:,} blocks of a plan",
            "ask for a wider half-width, or name other numbers with --number",
        )
    return Lacking(max(0, blocks - found.blocks), tuple(each.name for each in aims), asked.of(module, found))
