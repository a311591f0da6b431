"""What chapters have in common whose data may lie on a volume that is made slow."""

from __future__ import annotations

from benchbook.engines.storage import refusals
from benchbook.errors import MachineError


def check(*, allowed: bool, what: str = "allow_slow_storage") -> None:
    """Raise MachineError where a run's parameters allow storage of its own and this machine has none.

    what: the parameter.
    """
    why = refusals.refusal(allowed=True) if allowed else None
    if why is not None:
        raise MachineError(
            f"storage cannot be made slow here: {why.problem}",
            f"{why.mend}; or set {what}=false to leave out the configurations that need it",
        )
