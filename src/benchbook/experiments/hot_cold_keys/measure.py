"""Trials as every chapter on feature serving measures them."""

from benchbook.experiments.families.features.bench import needs, session
from benchbook.experiments.families.features.reduction import reduce

__all__ = ["needs", "reduce", "session"]
