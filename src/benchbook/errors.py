"""The one exception of the project: what is wrong, and how to mend it."""

import difflib
import os
import re
import traceback
from collections.abc import Iterable

DEBUG = "BENCHBOOK_DEBUG"
"""Set to anything, it brings the traceback of an error back into notebooks."""
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What steers a terminal, or turns the direction of writing."""
LONGEST = 2000
"""Characters of a message: the beginning and the end say what is wrong."""


class BenchbookError(Exception):
    """A mistake that the user can mend.

    problem: what is wrong, with the offending value. mend: what to do about it, as an instruction.
    The command line prints both and exits with ``code``, without a traceback unless ``--debug`` is given. A notebook's
    cell shows both and fails, without a traceback unless ``BENCHBOOK_DEBUG`` is set.
    """

    code = 1
    """What the command line exits with; each kind below has its own, 2 is a wrong use of the command line."""

    def __init__(self, problem: str, mend: str) -> None:
        super().__init__(problem, mend)
        self.problem = problem
        self.mend = mend

    def __str__(self) -> str:
        return f"{self.problem}; {self.mend}"

    def lines(self) -> list[str]:
        """The two lines that a reader is shown; of a long problem the beginning and the end."""
        problem = self.problem
        if len(problem) > LONGEST:  # such as a thousand wrong values
            problem = f"{problem[: LONGEST // 2]} ... {problem[-LONGEST // 2 :]}"
        return [printable(f"error: {problem}"), printable(f"fix: {self.mend}")]

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in the place of a traceback."""
        whole = "".join(traceback.format_exception(self)).splitlines() if os.environ.get(DEBUG) else []
        return whole + self.lines()


class StoredRunError(BenchbookError):
    """A stored run is damaged, incomplete or of another schema: it is refused whole, never half read."""

    code = 6


class MachineError(BenchbookError):
    """The machine lacks something that the work needs: a program, disk, memory, a permission."""

    code = 3


class FullDiskError(MachineError):
    """A disk without room. What else fails at the same time may follow from it."""


class NoEngineError(MachineError):
    """The program that an experiment measures is not installed or not built here; published runs can still be shown."""


class BusyError(BenchbookError):
    """Another measurement holds the machine, and this one was told not to wait."""

    code = 4


class NoStoredRunError(BenchbookError):
    """No stored run has these parameters, and none may be measured now."""

    code = 5


class DisagreementError(BenchbookError):
    """What was compared does not agree, and the command was asked to fail then."""

    code = 7


class UndecidedError(BenchbookError):
    """What was asked cannot be decided by what there is, and the command was asked to fail then."""

    code = 8


def printable(text: str) -> str:
    """The same text with what steers a terminal or turns the direction of writing written out, as \\x1b for ESC."""
    return _STEERING.sub(lambda match: match[0].encode("unicode_escape", "backslashreplace").decode(), text)


def shortened(text: str, most: int = 200) -> str:
    """At most this many characters: the start of a longer text, and how long it is."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"


def suggestion(name: str, known: Iterable[str]) -> str:
    """``" (did you mean 'x'?)"`` with the nearest known name, or nothing when none is near."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_known(problem: str, name: str, known: Iterable[str], mend: str = "") -> None:
    """Raise BenchbookError, with the nearest name, unless the name is one of these.

    problem: what stands before the name, such as "there is no profile". mend: in place of all that there are.
    """
    names = [*map(str, known)]
    if name not in names:
        raise BenchbookError(
            f"{problem} {name!r}{suggestion(name, names)}", mend or f"choose one of: {', '.join(names)}"
        )
