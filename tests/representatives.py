"""Chapters in, the engines that they measure with out: chapters of one family measure with the same.

An engine's own tests, and one chapter of each family, belong to every test run; the other chapters to the long one.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchbook import lab
from benchbook.parameters.kinds import Kind
from benchbook.provenance import closure

REPRESENTATIVES = {
    "pgbench": "io_cliff",
    "event_stores": "event_stores",  # its suite asks in the words of Badger's, so that it reaches both
    "badger": "cache_sizing",
    "kv": "alex_rocksdb",
    "postgres": "hot_cold_keys",
}
"""Engine to the chapter that stands for its family. Of two that a chapter imports the first counts."""
_OWN = re.compile(r"test_(\w+)_(?:run|engine)")


def family(chapter: str) -> str | None:
    """The engine that a chapter measures with; None for one that measures with none."""
    module = lab.experiment(chapter)
    if module.kind != Kind.MEASUREMENT:
        return None
    sources = closure.closure(
        [f"{module.package}.measure"],
        within=("benchbook.engines", "benchbook.chapters", "benchbook.measuring", "benchbook.parameters"),
    )
    engines = {path.split("/")[1].removesuffix(".py") for path in sources if path.startswith("engines/")}
    return next((engine for engine in REPRESENTATIVES if engine in engines), None)


def chapter_of(path: Path, named: str | None) -> str | None:
    """The chapter whose engine tests a file holds. named: its CHAPTER; else its own name says it."""
    found = _OWN.fullmatch(path.stem)
    name = named or (found[1] if found else None)
    return name if name in lab.names() else None


def is_long(chapter: str) -> bool:
    """Whether a chapter's engine tests wait for the long run."""
    return chapter not in REPRESENTATIVES.values()
