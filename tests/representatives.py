"""Chapters in, the engines that they measure with out: chapters of one family measure with the same.

An engine's own tests, and one chapter of each family, belong to every test run; the other chapters to the long one.
"""

import re
from pathlib import Path

import pytest

import benchbook
from benchbook import lab
from benchbook.parameters.kinds import Kind

SOURCES = Path(benchbook.__file__).parent
REPRESENTATIVES = {
    "event_stores": "event_stores",  # its suite asks in the words of Badger's, so that it reaches both
    "own_server": "hot_cold_keys",
    "features": "hot_cold_keys",
    "pgbench": "io_cliff",
    "badger": "cache_sizing",
    "kv": "alex_rocksdb",
}
"""What a chapter's module imports, to the chapter that stands for its family. Of two the first counts."""
_IMPORT = re.compile(r"^from benchbook\.(?:engines|measuring)([\w.]*) import (.+)$", re.MULTILINE)
_OWN = re.compile(r"test_(\w+)_(?:run|engine)")


def family(chapter: str) -> str | None:
    """The chapter that stands for those which measure alike; None for one that measures with no engine."""
    module = lab.experiment(chapter)
    if module.kind != Kind.MEASUREMENT:
        return None
    text = (SOURCES / "chapters" / f"{chapter}.py").read_text("utf-8")
    words = {word for found in _IMPORT.findall(text) for word in re.findall(r"\w+", " ".join(found))}
    return next((chapter for imported, chapter in REPRESENTATIVES.items() if imported in words), None)


def chapter_of(path: Path, named: str | None) -> str | None:
    """The chapter whose engine tests a file holds. named: its CHAPTER; else its own name says it."""
    found = _OWN.fullmatch(path.stem)
    name = named or (found[1] if found else None)
    return name if name in lab.names() else None


def measured_by(item: pytest.Function) -> str | None:
    """The chapter whose run a test takes: that of its parameter, or of its module."""
    run = item.callspec.params.get("run") if hasattr(item, "callspec") else None
    return chapter_of(item.path, run or getattr(item.module, "CHAPTER", None))


def is_long(chapter: str) -> bool:
    """Whether a chapter's engine tests wait for the long run."""
    return chapter not in REPRESENTATIVES.values()
