"""The modules that can change the result of executing a notebook: what it imports, and what executes it."""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from benchbook.book.records import inputs
from benchbook.provenance import closure
from benchbook.provenance.closure import PACKAGE, Read

EXECUTING = (
    f"{PACKAGE}.book.assembly.execution",
    f"{PACKAGE}.book.assembly.kernel_process",
    f"{PACKAGE}.book.assembly.publishing",
)
"""What executes every notebook and writes what comes of it."""
_CHAPTER = re.compile(r"chapters/([a-z0-9_]+)\.py")


def reader() -> Read:
    """Reads the running package, each file once: for all notebooks of a book."""
    return cache(closure.installed)


def of_notebook(path: Path, read: Read) -> dict[str, str]:
    """Path in the package to SHA-256 for every module that counts, and for the words of chapters among them.

    A notebook that is not there imports nothing.
    """
    names = (f"{PACKAGE}.chapters.{path.stem}", *_imported(path), *EXECUTING)
    found = closure.closure(names, read, further=_further)
    pages = {f"chapters/{match[1]}.md" for name in found if (match := _CHAPTER.match(name))}
    found |= {name: words for name in pages if (words := read(name)) is not None}
    return {name: _sha256(source) for name, source in sorted(found.items())}


def _imported(path: Path) -> Iterator[str]:
    for cell in inputs.read_json(path).get("cells", []):
        if cell["cell_type"] == "code":
            for name in closure.imports("".join(cell["source"]).encode()):
                yield from (name, name.rpartition(".")[0])


def _further(path: str) -> Iterator[str]:
    """The packages around a module, which are loaded before it."""
    parts = path.removesuffix(".py").split("/")
    for end in range(len(parts)):
        yield ".".join([PACKAGE, *parts[:end]])


@cache
def _sha256(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()
