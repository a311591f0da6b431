"""Which chapters there are: the pages that lie with them. Nothing of them is loaded but the heads of these."""

from functools import cache

from benchbook.errors import BenchbookError, check_known
from benchbook.experiments.manifest import Chapter
from benchbook.parameters import heads
from benchbook.parameters.kinds import Kind


def names() -> list[str]:
    """All chapters, in alphabetical order."""
    return [*_chapters()]


def analyses() -> list[str]:
    """Those that recompute the notes' numbers and store no run."""
    return [name for name, chapter in _chapters().items() if chapter.kind is Kind.ANALYSIS]


def leading() -> list[str]:
    """Those that lead the book's questions, which `make book` measures."""
    return [name for name, path in heads.pages().items() if name in _chapters() and heads.facts(path).leads]


def experiment(name: str) -> Chapter:
    """The chapter called ``name``; raises BenchbookError with the names there are, or why this one is none."""
    known, wrong = _chapters(), unusable()
    if name in wrong:
        raise wrong[name]
    check_known("there is no experiment", name, known)
    return known[name]


def unusable() -> dict[str, BenchbookError]:
    """Those whose page does not say what they are, with what is wrong with each."""
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
    for name, path in heads.pages().items():
        try:
            known = heads.facts(path)
        except BenchbookError as error:
            wrong[name] = error
        else:
            found[name] = Chapter(
                f"{heads.PACKAGE}.{name}", known.question, known.subject, known.engine, known.version, known.kind,
                known.device, known.reads,
            )  # fmt: skip
    return found, wrong
