"""A chapter's module and page: loaded when asked for, and what one lacks, in words."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments import mistakes
from benchbook.parameters import heads
from benchbook.parameters.kinds import Kind

if TYPE_CHECKING:
    from benchbook.experiments.paged import Paged

ALL = ("Parameters", "Summary", "NUMBERS", "FIGURES")
"""What the module of every chapter holds."""
MEASURED = ("configurations", "needs", "session", "reduce")
"""Beside these that of one that stores runs."""


@cache
def paged(package: str) -> Paged:
    """Page and numbers of a chapter; raises BenchbookError where it lacks one of them."""
    page = heads.page(package.rpartition(".")[2])
    from benchbook.experiments.paged import Paged  # late: a listing needs no words
    from benchbook.pages.page import read

    held(package, "NUMBERS")
    return Paged(read(page), module(package))


def module(package: str) -> Any:
    """The module of a chapter; raises BenchbookError where it is missing or cannot be loaded, with file and line."""
    if importlib.util.find_spec(package) is None:
        raise BenchbookError(
            f"the chapter {package.rpartition('.')[2]} has no module", f"write {package.replace('.', '/')}.py"
        )
    return mistakes.load(package)


def held(package: str, what: str) -> Any:
    """What the module of a chapter holds under a name; raises BenchbookError where it does not."""
    found = module(package)
    if what not in vars(found):
        file = f"{package.replace('.', '/')}.py"
        raise BenchbookError(f"{file} has no {what}{suggestion(what, vars(found))}", f"define {what} there")
    return getattr(found, what)


def lacking(package: str, kind: Kind) -> Iterator[BenchbookError]:
    """What is wrong with the module of a chapter of this kind; nothing where it is whole."""
    try:
        module(package)
    except BenchbookError as error:
        yield error
        return
    for what in (*ALL, *(() if kind is Kind.ANALYSIS else MEASURED)):
        try:
            held(package, what)
        except BenchbookError as error:
            yield error
