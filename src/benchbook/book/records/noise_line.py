"""One sentence on the newest published noise floor, for the records of figures with pgbench."""

from __future__ import annotations

from typing import cast

from benchbook.chapters.noise_floor import Summary, noise_floor_line
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue, chosen_runs

PGBENCH = ("noise_floor", "shared_buffers", "io_cliff")
"""The chapters that it speaks of: in the others something else is timed, and their own A/A pair says how it varies."""


def noise_line(blocks: int) -> str:
    """Which differences so many blocks can show; "" where no noise floor is published, or not of this version."""
    chapter = catalogue.experiment("noise_floor")
    run = chosen_runs.run(chapter)
    if run is None:
        return ""
    try:
        return noise_floor_line(cast(Summary, chapter.summarize(run)), blocks)
    except BenchbookError:  # too few blocks for a spread
        return ""
