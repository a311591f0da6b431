"""Trials as every chapter on feature serving measures them, some on slower storage and over a longer way."""

from functools import partial

from benchbook.chapters.hot_cold_keys.arms import Parameters
from benchbook.measuring.features import bench
from benchbook.measuring.features.bench import session
from benchbook.measuring.features.reduction import reduce
from benchbook.measuring.features.surroundings import usable
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's, and what slows reads and lengthens the way, where the parameters ask for these."""
    reads, trips = (parameters.slower and any(each) for each in (parameters.added_read_ms, parameters.added_trip_ms))
    mend = "give added_read_ms=[] to measure nothing on slower storage"
    return bench.needs(parameters, partial(usable, reads=reads, trips=trips, mend=mend))
