"""Why a claim is left open, in few words."""

from __future__ import annotations

from benchbook.model import Outcome, Verdict

CANNOT_TELL: dict[str, str] = {
    Outcome.ENVIRONMENT: "the machine drifted too much",
    Outcome.MECHANISM: "the claimed cause did not act here",
}
"""Outcomes that leave a claim open whatever its number is, and why."""
_FAILED = {"A/A": "equal configurations came out too far apart"}
"""Checks that say more than that the machine drifted, and what."""
_TOO_FEW_SESSIONS = "its sessions do not agree, or are too short to"
"""So it is where an interval bears no w: what is asked for is that sessions agree."""
OTHER_DESIGN = "the claim's conditions are not those of this run, or are not named"
_CLOSE = "too close to call"
_IN_FULL = {_CLOSE: "the interval reaches over the edge of what the claim allows"}
_NOTHING = "this run has no number for it"


def why(verdict: Verdict, cause: str = "") -> str:
    """For a sentence that gives the number. cause: what would have to act, where it has a name."""
    if verdict.outcome is Outcome.MECHANISM and cause:
        return f"the claimed cause, {cause}, did not act here"
    if verdict.outcome is Outcome.ENVIRONMENT:
        said = [_FAILED[name] for name in verdict.failed if name in _FAILED]
        if not verdict.failed and verdict.w is None:
            said.append(_TOO_FEW_SESSIONS)
        if said:
            return said[0]
    if verdict.departs and verdict.outcome not in CANNOT_TELL:
        return f"this run departs from the claim: {verdict.departs}"
    known = briefly(verdict)
    return _IN_FULL.get(known, known)


def has_side(verdict: Verdict) -> bool:
    """Whether the number may be said to lie on a side: not where the cause never acted, nor where a check failed.

    Where the machine's movement alone leaves a claim open, the widened interval can still lie on one side of another
    number than the claim's edge.
    """
    if verdict.outcome is Outcome.ENVIRONMENT:
        return verdict.w is not None and not verdict.failed
    return verdict.outcome not in CANNOT_TELL


def close(verdict: Verdict) -> bool:
    """Whether it is the number that leaves it open, and nothing about the run."""
    return briefly(verdict) == _CLOSE


def briefly(verdict: Verdict) -> str:
    """The reason in few words."""
    if verdict.outcome in CANNOT_TELL:
        return CANNOT_TELL[verdict.outcome]
    if verdict.departs:
        return OTHER_DESIGN
    return _NOTHING if verdict.estimate is None else _CLOSE
