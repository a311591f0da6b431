"""On which scale numbers of several runs add up: logarithms of ratios, logits of shares, differences as they are."""

import math
from enum import StrEnum

from benchbook.model import Effect, Estimate
from benchbook.statistics import intervals


class Scale(StrEnum):
    """Of a number; what comes back from it never leaves the number's own range."""

    RATIO = "ratio"
    SHARE = "share"
    REST = "share that disappears"
    DIFFERENCE = "difference"

    def on(self, value: float) -> float:
        """A number's place on the scale, rising with it; infinite where the scale ends."""
        if self is Scale.RATIO:
            return math.log(value) if value > 0 else -math.inf
        if self is Scale.REST:
            return -math.log(1 - value) if value < 1 else math.inf
        if self is Scale.SHARE:
            return math.log(value / (1 - value)) if 0 < value < 1 else math.copysign(math.inf, value - 0.5)
        return float(value)

    def back(self, place: float) -> float:
        """The number that has a place on the scale."""
        if self is Scale.RATIO:
            return math.exp(place)
        if self is Scale.REST:
            return 1 - math.exp(-place)
        if self is Scale.SHARE:
            return 1 / (1 + math.exp(-place)) if place > 0 else math.exp(place) / (1 + math.exp(place))
        return place


def of(*estimates: Estimate) -> Scale:
    """The scale on which all of these add up."""
    own = {*map(_own, estimates)}
    if len(own) == 1:
        return own.pop()
    if Scale.SHARE in own and all(0 <= end <= 1 for each in estimates for end in (each.low, each.high)):
        return Scale.SHARE
    return Scale.DIFFERENCE


def _own(estimate: Estimate) -> Scale:
    method = intervals.of_blocks(estimate.method)
    if isinstance(estimate, Effect) and estimate.scale == "difference":
        return Scale.DIFFERENCE
    if method in intervals.ON_LOGITS:
        return Scale.SHARE
    if method in intervals.ON_COMPLEMENTS:
        return Scale.REST
    return Scale.RATIO if estimate.low > 0 else Scale.DIFFERENCE


def half(estimate: Estimate, scale: Scale) -> float:
    """Half of an interval on the scale; of one that reaches the end of the scale, the half that does not."""
    low, point, high = map(scale.on, (estimate.low, estimate.point, estimate.high))
    halves = [each for each in (point - low, high - point) if math.isfinite(each)]
    return sum(halves) / len(halves) if halves else math.inf
