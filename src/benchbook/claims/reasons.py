"""The words of a verdict's reason, with no more digits than it needs."""

from __future__ import annotations

import math
from collections.abc import Iterable

from benchbook.claims.ground import Ground, Quantity
from benchbook.claims.record import Claim, Rule
from benchbook.claims.regions import EQUAL, Region
from benchbook.model import Effect, Estimate
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.intervals import over_visits

_MORE_DECIMALS = 8
UNSOUND = "; but the machine does not allow a verdict: "
"""What stands in a verdict's reason between what was found and what leaves it open."""
SHARE_UNITS = {"fraction", "share"}
_SUBJECTS = {"ratio": "ratio", "fraction": "share", "share": "share", "count": "count", "exponent": "exponent"}


def interval_text(estimate: Estimate, edges: Iterable[float]) -> str:
    """Point and interval, such as "0.31 [0.29, 0.34] (95 %, 8 blocks)"; a counted number stands alone.

    edges: numbers that the text is compared with; there are enough digits to show on which side of them it lies.
    """
    numbers = (estimate.point, estimate.low, estimate.high)
    decimals = _decimals(numbers, tuple(edges))
    # over powers of ten, such as the interval of a ratio can span, what is above 0 is not written as 0
    wide = min(numbers) > 0 and not round(min(numbers), decimals)
    point, low, high = (number_text(each, max(decimals, _two_digits(each)) if wide else decimals) for each in numbers)
    unit = replicate(estimate)
    if estimate.low == estimate.high:
        return f"{point} in each of {estimate.n} {unit}s" if estimate.n > 1 else point
    trials = f"{estimate.n} {unit}{'' if estimate.n == 1 else 's'}"
    if estimate.bare:
        return f"{point} ({trials}, too few for an interval)"
    return f"{point} [{low}, {high}] ({100 * estimate.confidence:.4g} %, {trials})"


def replicate(estimate: Estimate) -> str:
    """What its n counts: visits, the blocks of a comparison, or the trials of one configuration."""
    if over_visits(estimate.method):
        return "visit"
    return "block" if isinstance(estimate, Effect) else "trial"


def bounds_text(estimate: Estimate, edges: Iterable[float]) -> str:
    """The interval alone, such as "[0.23, 0.43]", with digits as ``interval_text`` gives them."""
    text = interval_text(estimate, edges)
    return text[text.index("[") : text.index("]") + 1] if "[" in text else text


def ground_text(ground: Ground) -> str:
    """What kind of quantity a verdict is about, in how many visits and on which processors it was measured."""
    if ground.quantity is Quantity.COUNTER:
        return f"{ground.quantity}, which does not depend on the machine's speed"
    where = f"{ground.visits} visit{'s' * (ground.visits != 1)}"
    if len(ground.processors) == 1:
        where += f", on one processor model ({ground.processors[0]})"
    elif ground.processors:
        where += f", on {len(ground.processors)} processor models ({', '.join(ground.processors)})"
    left = "".join(f"; left out: {each}" for each in ground.left_out)
    return f"{ground.quantity}; {where}{left}"


def carried_text(visits: int) -> str:
    """How an interval was widened for what visits may do to it, up to its bounds."""
    if visits < 2:
        return "it was measured in one visit, and an interval wider by a quarter does not say the same:"
    if visits < VISITS:
        return f"what {visits} visits may have moved it by widens it to an interval that does not say the same:"
    return "wider by 1 % it does not say the same:"


def number_text(number: float, decimals: int) -> str:
    """A number with a fixed number of decimals and commas between thousands; tiny ones in powers of ten."""
    if number and abs(number) < 1e-6:
        return f"{number:.2e}"
    text = f"{round(number, decimals):,.{max(decimals, 0)}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text


def edge_text(edge: float) -> str:
    """An edge with all digits that the ledger gives it."""
    return f"{edge:,.10g}"


def need_text(claim: Claim, region: Region) -> str:
    """What the claim needs, as the end of a sentence."""
    low, high = (None if edge is None else edge_text(edge) for edge in (region.low, region.high))
    bound = None if region.bound is None else edge_text(float(f"{region.bound:.6g}"))
    if region.best:
        same = f"[{edge_text(EQUAL[0])}, {edge_text(EQUAL[1])}] shows no effect"
        return f"it {'above' if claim.rule is Rule.GREATER else 'below'} 1; wholly inside {same}"
    if claim.rule is Rule.GREATER:
        return f"it above {bound}" + ("" if bound == low else f" ({low} and the margin)")
    if claim.rule is Rule.LESS:
        return f"it below {bound}" + ("" if bound == high else f" ({high} and the margin)")
    if claim.rule is Rule.NO_DIFFERENCE:
        return f"its 90 % interval inside [{low}, {high}]"
    if claim.rule is Rule.EXISTS:
        return f"at least {low}" if high is None else f"{low} to {high}"
    return f"it to be {low}" if low == high else f"it inside [{low}, {high}]"


def subject_text(claim: Claim, estimate: Estimate) -> str:
    """What the number is: a ratio, a difference, a share, a count or a value with its unit."""
    if isinstance(estimate, Effect) and estimate.scale == "difference":
        return "difference"
    unit = "" if claim.unit in {"", "none"} else f" in {claim.unit}"
    return _SUBJECTS.get(claim.unit, f"value{unit}")


def edges(claim: Claim, asked: Region) -> list[float]:
    """Numbers that a claim's own must not be rounded across."""
    found = [edge for edge in (asked.low, asked.high, asked.bound) if edge is not None]
    if claim.unit in SHARE_UNITS:
        found += [0.0, 1.0]  # 0.99998 must not be printed as 1.000
    if claim.unit == "ratio" and (asked.side or asked.neutral is None):
        found.append(1.0)  # nor 0.99998 of what cannot exceed 1
    elif asked.side and asked.neutral is not None:
        found.append(asked.neutral)
    return found


def found_text(claim: Claim, asked: Region, effect95: Estimate, effect90: Estimate | None, working: str) -> str:
    """Such as "The ratio is 1.20 [1.10, 1.31] (95 %, 8 blocks); the claim needs it above 1.05"."""
    limits = edges(claim, asked)
    number = interval_text(effect95, limits)
    apart = effect95.low < effect95.high and not effect95.bare
    if claim.rule is Rule.NO_DIFFERENCE and effect90 is not None and apart:
        shown = interval_text(effect90, limits)
        number = f"{number} and {shown[shown.index('[') :]}"
    start = f"{working.rstrip('.')}: the" if working else "The"
    subject = subject_text(claim, effect95)
    return f"{start} {subject} is {number}; the claim needs {need_text(claim, asked)}"


def _decimals(numbers: tuple[float, ...], edges: tuple[float, ...]) -> int:
    """Two digits of the interval's width, two to four of the point; more where rounding would cross an edge."""
    width = numbers[2] - numbers[1]
    largest = max(abs(number) for number in numbers)
    if largest == 0:
        return 0
    magnitude = math.floor(math.log10(largest))
    if width > 0:
        decimals = 1 - math.floor(math.log10(width))
        decimals = min(max(decimals, 1 - magnitude), 3 - magnitude)
    else:
        decimals = 2 - magnitude
        if all(float(number).is_integer() for number in numbers):
            decimals = 0
    enough = max(decimals, 0)
    apart = [(number, edge) for number in numbers for edge in edges if not math.isclose(number, edge, rel_tol=1e-7)]
    for more in range(_MORE_DECIMALS):
        if all(_side(round(number, enough + more), edge) == _side(number, edge) for number, edge in apart):
            return enough + more
    return enough


def _two_digits(number: float) -> int:
    """Decimals that show two digits of a number above 0."""
    return 1 - math.floor(math.log10(number))


def _side(number: float, edge: float) -> int:
    return (number > edge) - (number < edge)
