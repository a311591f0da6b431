"""One measurement at a time on a machine, in the order of who came: two at once would measure each other."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from benchbook import children
from benchbook.engines import leftovers
from benchbook.errors import BusyError
from benchbook.runner import lock_file, lock_socket, queue
from benchbook.runner.progress import Progress
from benchbook.runner.queue import Place

_LOOKS = 3
"""Before it is refused: for a moment somebody may only look whether a place is free."""


@contextmanager
def host_lock(progress: Progress, *, wait: bool = True) -> Iterator[Place]:
    """Hold the machine for one measurement; wait for those who came before, or refuse when ``wait`` is False.

    The programs that measure hold it too, so that it ends with the last of them. What a killed measurement left behind
    is removed first, and ended if it still measures; and again after waiting, for it may have been killed meanwhile.
    Raises MachineError where the lock cannot be had at all.
    """
    leftovers.remove(progress.say)
    with queue.place() as place, _taken(progress, place, wait=wait):
        place.begins()
        leftovers.remove(progress.say)
        yield place


def is_taken() -> bool:
    """Whether anybody holds the machine, as far as it can be seen from here; nothing is taken or ended."""
    return lock_file.is_taken() or (sys.platform == "linux" and lock_socket.is_taken())


def _taken(progress: Progress, place: Place, *, wait: bool) -> ExitStack:
    """What holds the lock until it is left."""
    told, looks = False, 0
    while True:
        before = [turn for turn in queue.turns() if turn.number < place.number]
        held = None if before else _attempt()
        if held is not None:
            return held
        looks += 1
        if not wait and looks == _LOOKS:
            raise BusyError(
                f"another Benchbook run is measuring on this machine{queue.told(before)}",
                "wait for it to end, or leave out --no-wait to let this one wait",
            )
        if wait and not told:
            progress.say(f"another run is measuring on this machine: waiting for it to end{queue.told(before)}")
            told = True
        time.sleep(0.5 if wait else 0.05)


def _attempt() -> ExitStack | None:
    """The same, or None while somebody else has a part of the lock."""
    with ExitStack() as held:
        if _enter(held):
            return held.pop_all()
    return None


def _enter(held: ExitStack) -> bool:
    """Take each part of the lock, and let programs inherit it; whether none is another's.

    A socket's name is the same in all folders, the file in all networks: decision 24 says where each is needed.
    """
    if sys.platform == "linux":
        sockets = lock_socket.taken()
        if sockets is None:
            return False
        owner, inherited = sockets
        held.enter_context(owner)
        held.enter_context(inherited)
        held.enter_context(children.holding(inherited.fileno()))
    descriptor = lock_file.taken()
    if descriptor is None:
        return False
    held.callback(os.close, descriptor)
    held.enter_context(children.holding(descriptor))
    return True
