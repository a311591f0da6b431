"""How many blocks a run still lacks for intervals of a given width, by what is stored of it."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook.cli import pilot, pilot_run
from benchbook.cli.pilot_run import Asked
from benchbook.errors import BenchbookError
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter
from benchbook.runner.growth import MOST


def lacking(module: Chapter, asked: Asked, half_width: float, arms: Sequence[str]) -> tuple[int, list[str]]:
    """The blocks to add so that every headline ratio is so narrow, 0 where it is; and the settings of what is stored.

    arms: only these configurations against the first. Raises BenchbookError where no plan has so many blocks,
    NoStoredRunError where nothing is stored of which the spread could be known.
    """
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{module.name} measures nothing, so it has no blocks to add", "leave out --half-width")
    found = pilot_run.newest(module, asked)
    every = pilot_run.arms(module, found)
    compared = [each for name in pilot.metrics(found, []) for each in pilot.comparisons(found, every, name)]
    needed = {each: each.blocks_for(half_width) for each in pilot.chosen(compared, arms)}
    for each, blocks in needed.items():
        if blocks is None or blocks > MOST:
            raise BenchbookError(
                f"{each.metric} of {each.configuration} needs more than the {MOST:,} blocks of a plan",
                "ask for a wider half-width, or name other configurations with --arm",
            )
    return max(0, max(filter(None, needed.values())) - found.blocks), asked.of(module, found)
