"""What chapters have in common whose data may lie on a volume that is made slow."""

from __future__ import annotations

from benchbook.engines.storage import refusals
from benchbook.errors import MachineError


def check(*, allowed: bool) -> None:
    """Raise MachineError where a run's parameters allow slow storage and this machine has none."""
    why = refusals.refusal(allowed=True) if allowed else None
    if why is not None:
        raise MachineError(
            f"storage cannot be made slow here: {why.problem}",
            f"{why.mend}; or set allow_slow_storage=false to leave out the configurations on slow storage",
        )
