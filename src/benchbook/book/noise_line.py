"""The newest published noise floor in, one sentence for the record of each measured figure out."""

from __future__ import annotations

from benchbook import store
from benchbook.errors import BenchbookError
from benchbook.experiments import noise_floor


def noise_line() -> str:
    """Which differences this machine can show at all; "" where no noise floor is published, or not of this version."""
    entries = [
        entry
        for entry in store.catalogue(noise_floor.NAME)
        if entry.published and entry.record and entry.record["measurement_version"] == noise_floor.MEASUREMENT_VERSION
    ]
    if not entries:
        return ""
    run = store.read_run(entries[-1].folder, published=True)
    try:
        return noise_floor.noise_floor_line(noise_floor.summarize(run))
    except BenchbookError:  # too few blocks for a spread
        return ""
