"""Trials with bounded memory, as this chapter's bench measures them."""

from __future__ import annotations

from benchbook.experiments.families.features import bench as family
from benchbook.experiments.families.features.reduction import reduce
from benchbook.experiments.feature_buffers.arms import Parameters
from benchbook.experiments.feature_buffers.bench import session
from benchbook.experiments.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's: disk for the data and its log, memory for what a trial may use."""
    return family.needs(parameters)
