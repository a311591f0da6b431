"""Seconds with the unit in which they are read best."""

from __future__ import annotations

_UNITS = ((3600.0, "h"), (60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_LEAST_MINUTES = 120.0
"""Up to two minutes are told in seconds, up to two hours in minutes."""


def unit(seconds: float) -> tuple[float, str]:
    """Size in seconds and name of the unit for a duration > 0."""
    for size, name in _UNITS:
        if seconds >= (_LEAST_MINUTES / 60 * size if size > 1 else size):
            return size, name
    return _UNITS[-1]


def text(seconds: float) -> str:
    """Three digits and the unit, such as "31.2 µs"."""
    size, name = unit(seconds)
    return f"{seconds / size:.3g} {name}"


def with_interval(point: float, low: float, high: float) -> str:
    """All three in the point's unit, such as "31.2 µs (30.1 to 32.4)"."""
    size, name = unit(point)
    return f"{point / size:.3g} {name} ({low / size:.3g} to {high / size:.3g})"
