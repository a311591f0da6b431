"""The modules that a chapter is made of: which it must have, what each must hold, and what one lacks, in words."""

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
OF_PAGES = ("answers", "lesson", "summary")
"""Parts that page and numbers make together."""
if TYPE_CHECKING:
    from benchbook.experiments.shape.paged import Paged

Names = Mapping[str, tuple[str, ...]]
"""Parts, and the names that each must hold."""

ALL: Names = {
    "arms": ("Parameters",),
    "summary": ("Summary",),
    "lesson": ("LESSON",),
    "figures": ("FIGURES",),
    "prose": (),
}
"""Those of every chapter."""
MEASURED: Names = {"arms": ("Parameters", "configurations"), "measure": ("needs", "session", "reduce")}
"""Beside them those of one that stores runs."""
WHERE_THERE: Names = {"answers": ("ANSWERS",)}
"""What not every chapter has: answers, where the ledger has claims of it."""


@cache
def paged(package: str) -> Paged | None:
    """Page and numbers of a chapter whose words stand in a page; None of one that has none."""
    found = importlib.util.find_spec(package)
    folder = Path(found.origin).parent if found is not None and found.origin else None
    if folder is None or not (folder / PAGE).is_file():
        return None
    from benchbook.experiments.shape.paged import Paged  # late: a listing needs no words
    from benchbook.experiments.shape.written import read

    return Paged(read(folder / PAGE), mistakes.load(f"{package}.numbers"))


def has(package: str, name: str) -> bool:
    """Whether a package has such a part."""
    if name in OF_PAGES and (page := paged(package)) is not None:
        return name != "answers" or bool(page.page.front.claims)
    return importlib.util.find_spec(f"{package}.{name}") is not None


def part(package: str, name: str) -> Any:
    """A module of a package; raises BenchbookError where it is missing or cannot be loaded, with file and line."""
    if name in OF_PAGES and (page := paged(package)) is not None:
        return page.module if name == "summary" else getattr(page, name)
    try:
        return mistakes.load(f"{package}.{name}")
    except BenchbookError:
        if has(package, name):
            raise
        names = {**WHERE_THERE, **ALL, **MEASURED}.get(name, ())
        holding = f", with {', '.join(names)} in it" if names else ""
        raise BenchbookError(
            f"the chapter {package.rpartition('.')[2]} has no {name}.py",
            f"write it{holding}: CONTRIBUTING.md says what stands in each part",
        ) from None


def held(package: str, name: str, what: str) -> Any:
    """What a module of a package holds under a name; raises BenchbookError where it does not."""
    module = part(package, name)
    if not hasattr(module, what):
        file = f"{package.replace('.', '/')}/{name}.py"
        raise BenchbookError(f"{file} has no {what}{suggestion(what, vars(module))}", f"define {what} there")
    return getattr(module, what)


def lacking(package: str, kind: Kind) -> Iterator[BenchbookError]:
    """What is wrong with the parts of a chapter of this kind; nothing where all are whole."""
    wanted = {**ALL, **({} if kind is Kind.ANALYSIS else MEASURED)}
    wanted |= {name: names for name, names in WHERE_THERE.items() if has(package, name)}
    if paged(package):
        del wanted["prose"]
    for name, names in wanted.items():
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
