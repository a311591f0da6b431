"""Which chapters there are: the packages beside this module that hold a ``chapter``. Nothing else of them is loaded."""

from __future__ import annotations

import pkgutil
from functools import cache

from benchbook import experiments, project
from benchbook.errors import BenchbookError, suggestion
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter
from benchbook.experiments.shape.mistakes import load

BESIDE = ("families", "shape")
"""Packages beside the chapters that are none."""


def names() -> list[str]:
    """All chapters, in alphabetical order."""
    return [*_chapters()]


def analyses() -> list[str]:
    """Those that recompute the notes' numbers and store no run."""
    return [name for name, chapter in _chapters().items() if chapter.kind is Kind.ANALYSIS]


def experiment(name: str) -> Chapter:
    """The chapter called ``name``; raises BenchbookError with the names there are, or why this one is none."""
    known, wrong = _chapters(), unusable()
    if name in wrong:
        raise wrong[name]
    if name not in known:
        raise BenchbookError(
            f"there is no experiment {name!r}{suggestion(name, known)}", f"choose one of: {', '.join(known)}"
        )
    return known[name]


def unusable() -> dict[str, BenchbookError]:
    """The packages beside this module that should be chapters and are none, with what is wrong with each."""
    return _looked_for()[1]


def _chapters() -> dict[str, Chapter]:
    return _looked_for()[0]


@cache
def _looked_for() -> tuple[dict[str, Chapter], dict[str, BenchbookError]]:
    """Looked for once: a command asks some hundred times. One that cannot be used leaves the others as they are.

    A trial has its own chapters alone: the book's have no notebooks there.
    """
    found: dict[str, Chapter] = {}
    wrong: dict[str, BenchbookError] = {}
    own = [path for path in experiments.__path__ if path == str(project.chapters())]
    for info in pkgutil.iter_modules(own or experiments.__path__):
        if info.ispkg and info.name not in BESIDE:
            try:
                found[info.name] = _chapter(f"{experiments.__name__}.{info.name}")
            except BenchbookError as error:
                wrong[info.name] = error
    return found, wrong


def _chapter(package: str) -> Chapter:
    loaded = load(package)
    given = getattr(loaded, "chapter", None)
    if isinstance(given, Chapter):
        return given
    others = [name for name, value in vars(loaded).items() if isinstance(value, Chapter)]
    held = f"calls its Chapter {others[0]!r}" if others else "holds no Chapter"
    raise BenchbookError(
        f"{package.replace('.', '/')}/__init__.py {held}, where every chapter's holds `chapter`",
        'write `chapter = Chapter(__name__, __doc__, "Title", engine="...", version=1)` there',
    )
