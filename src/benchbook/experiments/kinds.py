"""What kind of chapter a module of this package is: measured on an engine, simulated, or recomputed from the notes."""

from __future__ import annotations

from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """MEASUREMENT: trials on a real engine, with an A/A arm. SIMULATION: trials of drawn numbers, no engine.

    Both are planned, run, stored and published. ANALYSIS: recomputed from data/notes each time; nothing is stored.
    """

    MEASUREMENT = "measurement"
    SIMULATION = "simulation"
    ANALYSIS = "analysis"


def kind_of(module: Any) -> Kind:
    """The module's KIND; a measurement when it names none."""
    return Kind(getattr(module, "KIND", Kind.MEASUREMENT))
