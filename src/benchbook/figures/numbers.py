"""Estimates in words: with as many digits as an interval needs to show what it leaves out."""

import math
from collections.abc import Iterable

from benchbook.figures.prose import digits
from benchbook.model import Estimate

_DIGITS = range(3, 9)
_LEAST = 1e-4


def with_interval(estimate: Estimate, factor: float = 1.0) -> str:
    """Point and interval in another unit, such as "4.2 [3.6, 4.9]"; the point of what was counted, or of two blocks.

    Three digits, and more where a share of nearly all or nearly none would otherwise be written as all or none.
    """
    values = [float(factor * each) for each in (estimate.point, estimate.low, estimate.high)]
    if estimate.low == estimate.high and values[0].is_integer():
        return f"{values[0]:,.0f}"
    if estimate.bare:
        return _text(values[0], _DIGITS[0])
    if factor != 1.0 and _is_a_resolution(estimate.method):
        # the point is half a count away from a share of which no trial saw anything, or nothing else
        if estimate.low <= 0.0:
            return f"at most {_text(values[2], _DIGITS[0])}"
        if estimate.high >= 1.0:
            return f"at least {_text(values[1], _enough(values[1:2], (factor,)))}"
    # A share must not be written as all or none that is neither; an interval that leaves 1 out must show it.
    checked = values if factor != 1.0 else values[1:]
    edges: tuple[float, ...] = (0.0, factor)
    if factor == 1.0 and values[1] < 1.0 < values[2] and len({*map(digits, checked)}) > 1:
        edges = (0.0,)  # it has 1 within, however its ends are written
    wanted = _enough(checked, edges)
    point, low, high = (_text(each, wanted) for each in values)
    return point if low == high else f"{point} [{low}, {high}]"


def _is_a_resolution(method: str) -> bool:
    from benchbook.statistics import intervals  # late: pages need no statistics

    return intervals.of_blocks(method) == intervals.RESOLUTION


def open_end(effect: Estimate) -> str:
    """What follows a ratio of rates whose interval tells no direction; "" where it tells one."""
    return ", which does not tell which is faster" if effect.bare or effect.low <= 1.0 <= effect.high else ""


def spoken(time: Estimate) -> str:
    """A time given in ns with its interval, in ns below a microsecond and in µs from there."""
    return f"{with_interval(time)} ns" if time.point < 1_000 else f"{with_interval(time, 1e-3)} µs"


def _enough(values: Iterable[float], edges: tuple[float, ...]) -> int:
    """The fewest digits with which no value is written as an edge that it is not."""
    checked = list(values)
    return next((d for d in _DIGITS if all(_apart(each, d, edges) for each in checked)), _DIGITS[-1])


def _apart(value: float, wanted: int, edges: tuple[float, ...]) -> bool:
    """Whether the rounded value lies on no edge on which the value itself does not lie."""
    shown = float(f"{value:.{wanted}g}")
    return all(shown != edge or math.isclose(value, edge, rel_tol=1e-9) for edge in edges)


def _text(value: float, wanted: int) -> str:
    if value and abs(value) < _LEAST:
        return f"below {_LEAST:g}" if value > 0 else f"above -{_LEAST:g}"
    return digits(value) if wanted == _DIGITS[0] else f"{value:.{wanted}g}"
