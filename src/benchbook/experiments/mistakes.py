"""Mistakes in a chapter's own modules, told as one error: which file and line, and for a trial which configuration."""

from __future__ import annotations

import importlib
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import PurePath
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError

_OURS = re.compile(r".*?\b((?:benchbook/)?(?:chapters|measuring)/.*)")
"""Where a chapter's own code lies, a trial's too, and its family's."""
MISTAKES = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)
"""What a wrong name or value in a chapter raises. Troubles of the machine, such as OSError, pass as they are."""
_FOLDER_AT_THE_END = re.compile(r" \([^()]*[/\\][^()]*\)$")


def load(name: str) -> ModuleType:
    """A module by its full name; raises BenchbookError with file and line where it cannot be loaded."""
    try:
        return importlib.import_module(name)
    except BenchbookError:
        raise
    except Exception as error:  # whatever stands in a module may fail
        place = where(error) or f"{name.replace('.', '/')}.py"
        raise BenchbookError(f"{place} cannot be loaded: {said(error)}", _mend(error)) from error


@contextmanager
def located(of: str) -> Iterator[None]:
    """A mistake made inside says of what it is, and its file and line."""
    try:
        yield
    except MISTAKES as error:
        place = where(error)
        raise BenchbookError(f"{of}: {said(error)}{place and f' ({place})'}", _mend(error)) from error


@contextmanager
def named(of: str) -> Iterator[None]:
    """Whatever goes wrong inside says of what it is, such as "scale, configuration lmdb"; a mistake says its line too.

    An error stays of its kind: what a machine lacks is told from what a request has wrong.
    """
    try:
        with located(of):
            yield
    except BenchbookError as error:
        if not error.problem.startswith(f"{of}: "):
            error.problem = f"{of}: {error.problem}"
            error.args = (error.problem, error.mend)
        raise


def where(error: BaseException) -> str:
    """The innermost line of a chapter or family that an error passed through, as a file and a number; "" for none."""
    if isinstance(error, SyntaxError) and error.filename:
        return _place(error.filename, error.lineno)
    lines = [_place(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    return next((line for line in reversed(lines) if line), "")


def said(error: BaseException) -> str:
    """What a mistake is, in words that name no folder."""
    if isinstance(error, SyntaxError):
        return f"{error.msg} (a {type(error).__name__})"
    if isinstance(error, ImportError):
        return _FOLDER_AT_THE_END.sub("", str(error))
    if isinstance(error, KeyError):
        return f"{error} is not there (a KeyError)"
    return f"{error} ({type(error).__name__})"


def _mend(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("benchbook"):
        return "install what is locked with `make setup`, or correct that import"
    if isinstance(error, ImportError):
        return "correct the name in that import, or write what it names"
    if isinstance(error, KeyError):
        return "correct the name there, or give what it names"
    return "correct that line; --debug shows how it was reached"


def _place(filename: str, line: int | None) -> str:
    found = _OURS.fullmatch(PurePath(filename).as_posix())
    return f"{found[1]}, line {line}" if found else ""


if TYPE_CHECKING:
    from benchbook.model import PlannedTrial, Trial


def naming(chapter: str, session: Any) -> Named:
    """The session with errors that name the chapter. One that measures a group in turns still does."""
    return (NamedSideBySide if hasattr(session, "side_by_side") else Named)(chapter, session)


@dataclass(frozen=True)
class Named:
    """What the runner asks of a session; everything else is the session's own."""

    chapter: str
    session: Any

    def provenance(self) -> dict[str, Any]:
        """Engine, version, effective settings, data set."""
        with named(self.chapter):
            found: dict[str, Any] = self.session.provenance()
            return found

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        with named(f"{self.chapter}, configuration {planned.configuration.name}"):
            trial: Trial = self.session.measure(planned)
            return trial

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


class NamedSideBySide(Named):
    """A session that can measure a group of configurations in turns."""

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Measure each once, in fresh processes that take turns.

        between: called between fillings and before each round. say: told where the group has to be divided. An arm that
        fails ends alone, and the error names those without a trial: the others are returned before it is raised.
        """
        left = [each.configuration.name for each in planned]
        with closing(self.session.side_by_side(planned, between, say)) as found:
            while True:
                with named(f"{self.chapter}, configuration{'s' if len(left) > 1 else ''} {', '.join(left)}"):
                    trial: Trial | None = next(found, None)
                if trial is None:
                    return
                left.remove(trial.planned.configuration.name)
                yield trial
