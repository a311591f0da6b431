"""The code that measures, as a hash over its syntax: comments, docstrings and layout do not change it.

Runs of before 2026-11-23 carry a hash over the bytes of the same files. ``data/measurement-hashes.csv`` gives for each
of these the hash over the syntax of the very files, read from the commit that the run names.
"""

from __future__ import annotations

import ast
import csv
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from benchbook import project
from benchbook.provenance.closure import Read, closure, installed

MEASURING = (
    "benchbook.accounts",
    "benchbook.children",
    "benchbook.engines",
    "benchbook.experiments",
    "benchbook.files",
    "benchbook.nofollow",
    "benchbook.runner",
    "benchbook.temporary",
    "benchbook.workloads",
)
"""Modules under these names decide what is measured and how."""
EARLIER = "measurement-hashes.csv"
_SAYS_NOTHING = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields of Python's syntax tree that follow from the others, or are comments."""


def measurement_sha256(measuring: Iterable[str]) -> str:
    """Hash over the modules named and all that they import, as far as these decide what is measured.

    measuring: full names, such as that of the module in which an experiment's session stands.
    """
    return of_syntax(imported(measuring))


def same_code(recorded: str | None, measuring: Iterable[str]) -> bool:
    """Whether a run with this recorded hash was measured by these modules as they are now."""
    return recorded is not None and _earlier().get(recorded, recorded) == measurement_sha256(measuring)


def of_syntax(sources: Mapping[str, bytes]) -> str:
    """Hash over what these sources do; the same for every supported Python."""
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name}\0{_syntax(sources[name])}\0".encode())
    return digest.hexdigest()


def imported(measuring: Iterable[str], read: Read = installed) -> dict[str, bytes]:
    """The sources of the modules named and of all that they import of the measuring ones, by path in the package."""
    return closure(measuring, read, within=MEASURING)


@cache
def _syntax(source: bytes) -> str:
    """The hash of a source's syntax tree without docstrings and positions."""
    return hashlib.sha256("".join(_spelled(ast.parse(source))).encode()).hexdigest()


def _spelled(part: object) -> Iterator[str]:
    """A syntax tree in one text, empty fields left out: newer versions of Python add such."""
    if isinstance(part, ast.AST):
        yield f"{type(part).__name__}("
        for name, value in ast.iter_fields(part):
            if name not in _SAYS_NOTHING and value is not None and value != []:
                yield f"{name}="
                yield from _spelled(value)
        yield ")"
    elif isinstance(part, list):
        yield "["
        for each in part:
            if not _is_docstring(each):
                yield from _spelled(each)
        yield "]"
    else:
        yield f"{part!r},"


def _is_docstring(part: object) -> bool:
    """Whether it is a text that stands alone, below a module, class, function or value."""
    return isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)


@cache
def _earlier() -> Mapping[str, str]:
    """Hash over bytes to hash over syntax, of the code of all runs that carry the former."""
    path = project.ledger().with_name(EARLIER)
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        return {row["bytes_sha256"]: row["syntax_sha256"] for row in csv.DictReader(file)}
