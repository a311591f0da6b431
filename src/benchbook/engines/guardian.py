"""A process beside the one that measures: it takes down what a killed one had set up.

Run as ``python -m benchbook.engines.guardian MODULE FUNCTION FOLDER`` it says that it is there, and waits until its
standard input closes. A line "done" before that means that the owner tidied up itself; without it the owner was killed,
and the guardian calls the function with the folder.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchbook.errors import MachineError

_DONE = "done"
_PATIENCE_S = 10.0


@contextmanager
def guarded(
    folder: Path, take_down: Callable[[Path], object], after_a_kill: Callable[[Path], object] | None = None
) -> Iterator[None]:
    """Take ``folder`` down at the end; a guardian does so if this process is killed before.

    after_a_kill: a function of a module, with which the guardian does it, by default the same. The guardian is there
    when the body begins. Raises MachineError where none can be started.
    """
    act = after_a_kill or take_down
    guardian = subprocess.Popen(
        [sys.executable, "-m", __name__, act.__module__, act.__name__, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that Ctrl-C does not reach it
        cwd="/",
    )
    try:
        assert guardian.stdout is not None
        if not guardian.stdout.readline():
            raise MachineError(f"no guardian for {folder} can be started", "run `benchbook doctor`")
        yield
    finally:
        try:
            take_down(folder)
        finally:
            try:
                guardian.communicate(f"{_DONE}\n".encode(), timeout=_PATIENCE_S)
            except subprocess.TimeoutExpired:
                guardian.kill()
                guardian.wait()


def main() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    act = getattr(importlib.import_module(sys.argv[1]), sys.argv[2])  # now: nobody knows what lies there after a kill
    if sys.stdin.readline().strip() != _DONE:
        act(Path(sys.argv[3]))


if __name__ == "__main__":
    main()
