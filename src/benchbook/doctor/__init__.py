"""A list of checks of this machine: what measuring needs, what it has, and how to get the rest."""

from collections.abc import Callable, Iterator

from benchbook.doctor import machine
from benchbook.doctor.machine import Check, State
from benchbook.doctor.programs import programs

__all__ = ["Check", "State", "examine"]


def examine() -> list[Check]:
    """Look at everything; a look that fails is itself a check that failed."""
    looks: tuple[Callable[[], Iterator[Check]], ...] = (
        machine.servers, machine.account, machine.scratch, machine.storage, machine.computer, machine.profiles,
        programs,
    )  # fmt: skip
    return [check for look in looks for check in look()]
