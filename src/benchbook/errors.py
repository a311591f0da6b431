"""The one exception of the project: what is wrong, and how to mend it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BenchbookError(Exception):
    """A mistake that the user can mend.

    problem: what is wrong, with the offending value. mend: what to do about it, as an instruction.
    The command line prints both and exits 1, without a traceback unless ``--debug`` is given.
    """

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(f"{problem}; {mend}")
        self.problem = problem
        self.mend = mend


class StoredRunError(BenchbookError):
    """A stored run is damaged, incomplete or of another schema: it is refused whole, never half read."""


class MachineError(BenchbookError):
    """The machine lacks something that the work needs: a program, disk, memory, a permission."""


class NoEngineError(MachineError):
    """The program that an experiment measures is not installed or not built here; published runs can still be shown."""


class NoStoredRunError(BenchbookError):
    """No stored run has these parameters, and measuring is not allowed here (``BENCHBOOK_MEASURE=never``)."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """``" (did you mean 'x'?)"`` with the nearest known name, or nothing when none is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""
