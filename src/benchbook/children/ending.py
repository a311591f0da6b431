"""The end of a process that is known only by its number, which the system may have given to another one since."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable


def end_if(number: int, still: Callable[[], bool]) -> bool:
    """Kill a process if it is still the one that is meant; whether a signal was sent.

    still: asked while the process is held by a descriptor, so that its number cannot go to another one meanwhile. A
    number below 1 is no process: in a list it stands for one that cannot be seen from here, and to ``kill`` it would
    mean the caller's whole group. Nothing is sent to somebody else's process, and where the kernel has no descriptors
    of processes.
    """
    if number < 1:
        return False
    try:
        process = os.pidfd_open(number)
    except OSError:
        return False
    try:
        if still():
            signal.pidfd_send_signal(process, signal.SIGKILL)
            return True
    except OSError:
        pass
    finally:
        os.close(process)
    return False
