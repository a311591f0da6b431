"""What some definitions reach: functions, classes and values by the names that they mention, without loading anything.

A class is reached whole. A name that is mentioned counts wherever it stands, also where a variable of the same name
hides it: too much is reached rather than too little. What is named by a text alone is not, such as a module that
another process runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache

from benchbook.provenance import bare
from benchbook.provenance.closure import PACKAGE, Read, installed, source_of

_ITSELF = ("__file__", "__name__")
"""Attributes of a module by which it is run as a program, and so reached whole."""


@dataclass
class _Module:
    """A module's statements by the names that they define, and what its imports stand for, by full names.

    always: statements that define nothing and run when it is imported.
    """

    defined: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, set[str]] = field(default_factory=dict)
    always: list[ast.stmt] = field(default_factory=list)


def reached(
    roots: Iterable[str], read: Read = installed, *, within: tuple[str, ...] = (PACKAGE,)
) -> dict[str, list[ast.stmt]]:
    """Statements by where they stand, such as "files.py:sha256"; those that a module runs on its import by its path.

    roots: full names of modules, which count whole, or of what they define; one that is neither reaches nothing. read:
    gives the sources. within: only what is defined under these names counts.
    """
    found: dict[str, list[ast.stmt]] = {}
    waiting, asked = list(roots), set[str]()
    while waiting:
        full = waiting.pop()
        if full in asked or not full.startswith(within):
            continue
        asked.add(full)
        home, name, module, path = _found(full, read)
        if module is None:
            continue
        own = [name] if name else list(module.defined or module.imported)
        for each in own:
            if each in module.defined:
                statements = found.setdefault(f"{path}:{each}", module.defined[each])
                waiting += _mentioned(statements, home, module)
            else:
                rest = full.removeprefix(f"{home}.{each}") if name else ""
                waiting += [f"{target}{rest}" for target in module.imported.get(each, ())]
        if module.always and path not in found and any(each in module.defined for each in own):
            found[path] = module.always
            waiting += _mentioned(module.always, home, module)
    return found


def _found(full: str, read: Read) -> tuple[str, str, _Module | None, str]:
    """The module's full name, the name inside it ("" for the module itself), the module, and its path."""
    parts = full.split(".")
    for length in range(len(parts), 0, -1):
        home = ".".join(parts[:length])
        path, source = source_of(home, read)
        if source is not None:
            whole = length == len(parts) or parts[length] in _ITSELF
            return home, "" if whole else parts[length], _parsed(source), path
    return "", "", None, ""


def _mentioned(statements: Iterable[ast.stmt], home: str, module: _Module) -> Iterator[str]:
    for first, *rest in bare.names(list(statements)):
        if first in module.defined:
            yield f"{home}.{first}"
        for target in module.imported.get(first, ()):
            yield ".".join([target, *rest])


@cache
def _parsed(source: bytes) -> _Module:
    module, tree = _Module(), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                module.imported.setdefault(alias.asname or alias.name, set()).add(f"{node.module}.{alias.name}")
        elif isinstance(node, ast.Import):
            for alias in node.names:
                own = alias.asname or alias.name.partition(".")[0]
                module.imported.setdefault(own, set()).add(alias.name if alias.asname else own)
    for statement in tree.body:
        names = {name for name in _defines(statement) if name != "__all__"}
        for name in names:
            module.defined.setdefault(name, []).append(statement)
        if not names and not _runs_nothing(statement):
            module.always.append(statement)
    return module


def _defines(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives a meaning or changes, also under a condition."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        yield from (first for target in targets for first, *_ in bare.names(target))
    elif isinstance(statement, ast.If | ast.Try | ast.With | ast.For) and not _is_main(statement):
        for child in ast.iter_child_nodes(statement):
            for each in [child, *getattr(child, "body", [])] if isinstance(child, ast.ExceptHandler) else [child]:
                if isinstance(each, ast.stmt):
                    yield from _defines(each)


def _runs_nothing(statement: ast.stmt) -> bool:
    """Imports, docstrings, what runs in a process of its own, and conditions around nothing else."""
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass) or _is_main(statement):
        return True
    if isinstance(statement, ast.If):
        return all(map(_runs_nothing, [*statement.body, *statement.orelse]))
    return list(bare.spelled([statement])) == ["[", "]"]


def _is_main(statement: ast.stmt) -> bool:
    """Whether it is what a module does when it is run as a program."""
    return isinstance(statement, ast.If) and "__name__" in {name for name, *_ in bare.names(statement.test)}
