"""The files that a chapter is made of: which it must have, what each must hold, and what one lacks, in words."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape import mistakes

PAGE = "page.md"
if TYPE_CHECKING:
    from benchbook.experiments.shape.paged import Paged

Names = Mapping[str, tuple[str, ...]]
"""Modules, and the names that each must hold."""

ALL: Names = {"arms": ("Parameters",), "numbers": ("Summary", "NUMBERS"), "figures": ("FIGURES",)}
"""Those of every chapter."""
MEASURED: Names = {"arms": ("Parameters", "configurations"), "measure": ("needs", "session", "reduce")}
"""Beside them those of one that stores runs."""


@cache
def paged(package: str) -> Paged:
    """Page and numbers of a chapter; raises BenchbookError where it lacks one of them."""
    found = importlib.util.find_spec(package)
    page = Path(found.origin).parent / PAGE if found is not None and found.origin else None
    if page is None or not page.is_file():
        raise BenchbookError(_lacks(package, PAGE), "write it: CONTRIBUTING.md says what stands in each part")
    from benchbook.experiments.shape.paged import Paged  # late: a listing needs no words
    from benchbook.experiments.shape.written import read

    held(package, "numbers", "NUMBERS")
    return Paged(read(page), part(package, "numbers"))


def part(package: str, name: str) -> Any:
    """A module of a package; raises BenchbookError where it is missing or cannot be loaded, with file and line."""
    if importlib.util.find_spec(f"{package}.{name}") is not None:
        return mistakes.load(f"{package}.{name}")
    names = {**ALL, **MEASURED}.get(name, ())
    holding = f", with {', '.join(names)} in it" if names else ""
    mend = f"write it{holding}: CONTRIBUTING.md says what stands in each part"
    raise BenchbookError(_lacks(package, f"{name}.py"), mend)


def held(package: str, name: str, what: str) -> Any:
    """What a module of a package holds under a name; raises BenchbookError where it does not."""
    module = part(package, name)
    if what not in vars(module):
        file = f"{package.replace('.', '/')}/{name}.py"
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
        paged(package)
    except BenchbookError as error:
        if PAGE in error.problem:
            yield error


def _lacks(package: str, file: str) -> str:
    return f"the chapter {package.rpartition('.')[2]} has no {file}"
