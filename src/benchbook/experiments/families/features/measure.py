"""Trials as every chapter on feature serving measures them, unless it has a ``measure`` of its own."""

from benchbook.experiments.families.features.bench import needs, session
from benchbook.experiments.families.features.reduction import reduce

__all__ = ["needs", "reduce", "session"]
