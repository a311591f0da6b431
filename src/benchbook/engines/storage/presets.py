"""The volumes that the notes had, as far as they can be imitated on a local disk."""

from __future__ import annotations

from typing import Any

LONGEST_MS = 100.0
"""That a read or a flush may be delayed."""
PRESETS = {"gp3_3000": (3_000, 125), "gp3_16000": (16_000, 1_000)}
"""EBS gp3 volumes by the names that a parameter takes: operations, and MB, a second."""


def iops(value: Any) -> Any:
    """A parameter's operations per second: those of the volume that it names, else the value as it is."""
    return PRESETS[value][0] if isinstance(value, str) and value in PRESETS else value


def mb_per_s(value: Any) -> Any:
    return PRESETS[value][1] if isinstance(value, str) and value in PRESETS else value
