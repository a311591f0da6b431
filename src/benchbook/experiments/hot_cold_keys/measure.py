"""Trials as every chapter on feature serving measures them, some on slower storage and over a longer way."""

from functools import partial

from benchbook.experiments.families.features import bench
from benchbook.experiments.families.features.bench import session
from benchbook.experiments.families.features.reduction import reduce
from benchbook.experiments.families.features.surroundings import usable
from benchbook.experiments.hot_cold_keys.arms import Parameters
from benchbook.experiments.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's, and what slows reads and lengthens the way, where the parameters ask for these."""
    reads, trips = (parameters.slower and any(each) for each in (parameters.added_read_ms, parameters.added_trip_ms))
    mend = "give added_read_ms=[] to measure nothing on slower storage"
    return bench.needs(parameters, partial(usable, reads=reads, trips=trips, mend=mend))
