"""What kind a chapter is of: measured on an engine, simulated, or recomputed from the notes."""

from enum import StrEnum


class Kind(StrEnum):
    """MEASUREMENT: trials on a real engine, with an A/A arm. SIMULATION: trials of drawn numbers, no engine.

    Both are planned, run, stored and published. ANALYSIS: recomputed from data/notes each time; nothing is stored.
    """

    MEASUREMENT = "measurement"
    SIMULATION = "simulation"
    ANALYSIS = "analysis"
