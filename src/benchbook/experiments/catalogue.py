"""Which chapters there are: the packages beside this module that hold a ``chapter``. Nothing else of them is loaded."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from benchbook import experiments
from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments.kinds import Kind

if TYPE_CHECKING:
    from benchbook.experiments.shape.manifest import Chapter


def names() -> list[str]:
    """All chapters, in alphabetical order."""
    return [*_chapters()]


def analyses() -> list[str]:
    """Those that recompute the notes' numbers and store no run."""
    return [name for name, chapter in _chapters().items() if chapter.kind is Kind.ANALYSIS]


def chapter(name: str) -> Chapter:
    """The chapter called ``name``; raises BenchbookError with the names there are."""
    known = _chapters()
    if name not in known:
        raise BenchbookError(
            f"there is no experiment {name!r}{suggestion(name, known)}", f"choose one of: {', '.join(known)}"
        )
    return known[name]


@cache
def _chapters() -> dict[str, Chapter]:
    """Looked for once: a command asks some hundred times."""
    found = {}
    for info in pkgutil.iter_modules(experiments.__path__):
        if info.ispkg:
            package = importlib.import_module(f"{experiments.__name__}.{info.name}")
            if hasattr(package, "chapter"):
                found[info.name] = package.chapter
    return found
