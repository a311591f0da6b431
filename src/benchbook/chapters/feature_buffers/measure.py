"""Trials with bounded memory, as this chapter's bench measures them."""

from __future__ import annotations

from benchbook.chapters.feature_buffers.arms import Parameters
from benchbook.chapters.feature_buffers.bench import session
from benchbook.measuring.features import bench as family
from benchbook.measuring.features.reduction import reduce
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's: disk for the data and its log, memory for what a trial may use."""
    return family.needs(parameters)
