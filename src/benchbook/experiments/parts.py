"""The files that a chapter is made of: which it must have, what each must hold, and what one lacks, in words."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments import mistakes
from benchbook.parameters import heads
from benchbook.parameters.kinds import Kind

if TYPE_CHECKING:
    from benchbook.experiments.paged import Paged

Names = Mapping[str, tuple[str, ...]]
"""Modules, and the names that each must hold."""

ALL: Names = {"arms": ("Parameters",), "numbers": ("Summary", "NUMBERS"), "figures": ("FIGURES",)}
"""Those of every chapter."""
MEASURED: Names = {"arms": ("Parameters", "configurations"), "measure": ("needs", "session", "reduce")}
"""Beside them those of one that stores runs."""


@cache
def paged(package: str) -> Paged:
    """Page and numbers of a chapter; raises BenchbookError where it lacks one of them."""
    page = heads.page(package.rpartition(".")[2])
    from benchbook.experiments.paged import Paged  # late: a listing needs no words
    from benchbook.pages.page import read

    held(package, "numbers", "NUMBERS")
    return Paged(read(page), part(package, "numbers"))


def part(package: str, name: str) -> Any:
    """The module of a chapter; raises BenchbookError where it is missing or cannot be loaded, with file and line."""
    found = importlib.util.find_spec(package)
    if found is None:
        raise BenchbookError(_lacks(package, "module"), f"write {package.replace('.', '/')}.py")
    return mistakes.load(f"{package}.{name}" if found.submodule_search_locations else package)


def held(package: str, name: str, what: str) -> Any:
    """What the module of a chapter holds under a name; raises BenchbookError where it does not."""
    module = part(package, name)
    if what not in vars(module):
        file = f"{module.__name__.replace('.', '/')}.py"
        raise BenchbookError(f"{file} has no {what}{suggestion(what, vars(module))}", f"define {what} there")
    return getattr(module, what)


def lacking(package: str, kind: Kind) -> Iterator[BenchbookError]:
    """What is wrong with the parts of a chapter of this kind; nothing where all are whole."""
    for name, names in {**ALL, **({} if kind is Kind.ANALYSIS else MEASURED)}.items():
        try:
            part(package, name)
        except BenchbookError as error:
            yield error
            continue
        for what in names:
            try:
                held(package, name, what)
            except BenchbookError as error:
                yield error
    try:
        heads.page(package.rpartition(".")[2])
    except BenchbookError as error:
        yield error


def _lacks(package: str, what: str) -> str:
    return f"the chapter {package.rpartition('.')[2]} has no {what}"
