"""A claim's number beside what the claim needs, as the first half of a verdict's reason."""

from __future__ import annotations

from benchbook.claims import reasons
from benchbook.claims.record import Claim, Rule
from benchbook.claims.regions import Region
from benchbook.model import Estimate

SHARE_UNITS = {"fraction", "share"}


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
    number = reasons.interval_text(effect95, limits)
    apart = effect95.low < effect95.high and not effect95.bare
    if claim.rule is Rule.NO_DIFFERENCE and effect90 is not None and apart:
        shown = reasons.interval_text(effect90, limits)
        number = f"{number} and {shown[shown.index('[') :]}"
    start = f"{working.rstrip('.')}: the" if working else "The"
    subject = reasons.subject_text(claim, effect95)
    return f"{start} {subject} is {number}; the claim needs {reasons.need_text(claim, asked)}"
