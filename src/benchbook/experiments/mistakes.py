"""Mistakes in a chapter's own modules, told as one error: which file and line, and for a trial which configuration."""

from __future__ import annotations

import importlib
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePath
from types import ModuleType

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
