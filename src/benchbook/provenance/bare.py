"""Python's syntax without what only people read: comments, docstrings, layout, and the words of errors and labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_SAYS_NOTHING = {"ctx", "kind", "type_comment", "type_ignores"}
"""Fields of a syntax tree that follow from the others, or are comments."""
_DESCRIBES = ("description", "label")
"""Arguments, by name, that are words for people."""
_LABELLED = {"Configuration": 1, "arm": 1}
"""Calls whose argument at this place is a label."""
_TELLS = ("say", "progress", "prepare")
"""Calls that tell how far a run is."""


def spelled(part: object) -> Iterator[str]:
    """A syntax tree in pieces of text, the same for every supported Python; empty fields are left out."""
    if isinstance(part, ast.AST):
        yield f"{type(part).__name__}("
        for name, value in _fields(part):
            yield f"{name}="
            yield from spelled(value)
        yield ")"
    elif isinstance(part, list):
        yield "["
        for each in part:
            if not _is_docstring(each):
                yield from spelled(each)
        yield "]"
    else:
        yield f"{part!r},"


def names(part: object) -> Iterator[tuple[str, ...]]:
    """The names that a tree mentions, each with the attributes asked of it, such as ("files", "sha256")."""
    if isinstance(part, ast.Attribute | ast.Name):
        chain = _chain(part)
        if chain:
            yield chain
            return
    if isinstance(part, ast.AST):
        for _, value in _fields(part):
            yield from names(value)
    elif isinstance(part, list):
        for each in part:
            yield from names(each)


def _chain(part: ast.expr) -> tuple[str, ...]:
    """Of a.b.c its three names; none where it does not begin with a name."""
    if isinstance(part, ast.Name):
        return (part.id,)
    before = _chain(part.value) if isinstance(part, ast.Attribute) else ()
    return (*before, part.attr) if before and isinstance(part, ast.Attribute) else ()


def _fields(node: ast.AST) -> Iterator[tuple[str, object]]:
    for name, value in ast.iter_fields(node):
        if name in _SAYS_NOTHING:
            continue
        kept = _kept(node, name, value) if isinstance(value, list) else value
        if kept is not None and kept != []:
            yield name, kept


def _kept(node: ast.AST, name: str, parts: list[object]) -> list[object]:
    """Of a list of parts those that say something to the computer."""
    called = _called(node)
    if called.endswith("Error"):
        return []
    if name == "args" and called in _LABELLED:
        return [each for place, each in enumerate(parts) if place != _LABELLED[called]]
    if name == "args" and called in _TELLS:
        return [each for each in parts if not _is_text(each)]
    return [
        each
        for each in parts
        if not _is_docstring(each) and not (isinstance(each, ast.keyword) and each.arg in _DESCRIBES)
    ]


def _called(node: ast.AST) -> str:
    """The last name of what a call calls; "" for all else."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _is_docstring(part: object) -> bool:
    """Whether it is a text that stands alone, below a module, class, function or value."""
    return isinstance(part, ast.Expr) and _is_text(part.value)


def _is_text(part: object) -> bool:
    return isinstance(part, ast.JoinedStr) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
