"""A judged ratio in words, and the ends of its interval."""

from benchbook.figures.prose import digits
from benchbook.model import Estimate
from benchbook.own_numbers.judged import Judged


def amount(one: Judged) -> str:
    """The ratio, with its interval where it has one."""
    if one.ratio is None or one.ratio.bare:
        return f"{_near(one.point)} [no interval]"
    return f"{_near(one.ratio.point)} [{_near(one.ratio.low)}, {_near(one.ratio.high)}]"


def _near(ratio: float) -> str:
    """A ratio near 1 to three decimals: there its third digit is a percent."""
    return f"{ratio:.3f}" if 0.8 < ratio < 1.25 else digits(ratio)


def ends(estimate: Estimate | None) -> list[float] | None:
    """Of its interval; None where it has none."""
    return None if estimate is None or estimate.bare else [float(estimate.low), float(estimate.high)]
