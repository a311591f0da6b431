"""The sources of all modules that some modules import, found without loading anything.

An import stands on lines of its own, so that it is found without a syntax tree of the whole source, which would take
fifty times as long. Where what was found is no import, the whole tree decides.
"""

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import benchbook
from benchbook import project

Read = Callable[[str], bytes | None]
"""The source at a path inside the package, such as "engines/cores.py"; None where there is none."""
Further = Callable[[str], Iterable[str]]
"""What else counts with the module at such a path, by the full names of modules."""

PACKAGE = benchbook.__name__
_CHAPTERS = "chapters/"
_IMPORT = re.compile(rb"^[ \t]*((?:from|import)[ \t]+benchbook\b(?:[^\n(]*\([^)]*\)|[^\n]*))", re.MULTILINE)


def installed(path: str) -> bytes | None:
    """The source of the package that is running, and of a trial's chapters, which are loaded as part of it."""
    file = folder() / path
    if not file.is_file() and path.startswith(_CHAPTERS):
        file = project.chapters() / path.removeprefix(_CHAPTERS)
    return file.read_bytes() if file.is_file() else None


def folder() -> Path:
    """Where the running package lies."""
    return Path(benchbook.__file__).parent


def closure(
    names: Iterable[str],
    read: Read = installed,
    *,
    within: tuple[str, ...] = (PACKAGE,),
    further: Further | None = None,
) -> dict[str, bytes]:
    """The sources of the modules named and of all that they import, at once or later, by path in the package.

    names: full names; one that is something inside a module stands for that module. within: only what is imported
    under these names counts. further: as its type says; nothing without.
    """
    found: dict[str, bytes] = {}
    waiting = list(names)
    while waiting:
        path, source = source_of(waiting.pop(), read)
        if source is None or path in found:
            continue
        found[path] = source
        for name in imports(source):
            if name.startswith(within):
                waiting.append(name if source_of(name, read)[1] is not None else name.rpartition(".")[0])
        waiting += further(path) if further else ()
    return found


def source_of(name: str, read: Read = installed) -> tuple[str, bytes | None]:
    """Path and source of a module; no source for a name that is something inside a module."""
    path = name.replace(".", "/").removeprefix(PACKAGE).lstrip("/")
    for each in (f"{path}.py", f"{path}/__init__.py") if path else ("__init__.py",):
        source = read(each)
        if source is not None:
            return each, source
    return path, None


@cache
def imports(source: bytes) -> frozenset[str]:
    """What a source imports of this package: full names of modules, and of what stands inside one.

    Of a source that is no Python nothing is known, and nothing in it can run.
    """
    try:
        return _names(b"\n".join(_IMPORT.findall(source)))
    except SyntaxError:  # words of a text that look like an import
        pass
    try:
        return _names(source)
    except SyntaxError:
        return frozenset()


def _names(source: bytes) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(name for name in found if name.partition(".")[0] == PACKAGE)
