"""The book that tests in a browser look at: this repository's, as an edition, with a sample chapter; built once.

Every test run looks at one with some of the chapters, the long one at the whole book. Each lies in a folder of its own
for each state of the sources, so that workers, and the next test run, look at the same.
"""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from filelock import FileLock
from representatives import REPRESENTATIVES

from benchbook import project
from benchbook.book.assembly.assemble import build
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.records import inputs

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).with_name("sample.ipynb")
CHAPTERS = "book/chapters/"
SOURCES = (
    "_config.yml",
    "_toc.yml",
    "CITATION.cff",
    "CHANGELOG.md",
    "book/**/*",
    "data/**/*",
    "notebooks/**/*",
    "src/**/*.py",
)
STORY = (
    "cache_sizing", "clients", "cliff_reanalysis", "config_ladder", "hot_cold_keys", "io_cliff", "rocksdb_tuning",
    "round_trips", "shared_buffers",
)  # fmt: skip
"""Chapters whose numbers stand on the first page."""
SOME = {*STORY, *REPRESENTATIVES.values(), "cost", "lru", "noise_floor", "notes_reanalysis", "prewarming"}
"""Those of the smaller book: of every kind and family, with what tests ask for by name."""
_BUILT = "built"
_LINK = re.compile(r"\{doc\}`(\w+)`")
"""In a chapter, to another one."""


def root(*, whole: bool) -> Path:
    """The project that holds the book of the sources as they are now, built unless it is there; old ones are removed.

    whole: with every chapter, instead of SOME.
    """
    shelf = ROOT / ".pytest_cache" / "books"
    shelf.mkdir(parents=True, exist_ok=True)
    state = _state()[:16]
    folder = shelf / f"{state}-{'whole' if whole else 'some'}"
    with FileLock(shelf / "books.lock"), _project(folder):
        if not (folder / _BUILT).is_file():
            for other in shelf.iterdir():
                if other.is_dir() and (other == folder or not other.name.startswith(state)):
                    shutil.rmtree(other)
            _assemble(folder, whole=whole)
            build(Shown(edition=True), quiet=True)
            (folder / _BUILT).touch()
    return folder


def _state() -> str:
    """A hash over all that the book is made of."""
    own = {name: digest for name, digest in inputs.tree(ROOT, SOURCES).items() if not name.startswith(CHAPTERS)}
    how = inputs.tree(Path(__file__).parent, (SAMPLE.name, Path(__file__).name))
    return hashlib.sha256(json.dumps([own, how, inputs.versions()], sort_keys=True).encode()).hexdigest()


@contextmanager
def _project(folder: Path) -> Iterator[None]:
    """A project that is no clone, though it lies in one."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("BENCHBOOK_HOME", os.fspath(folder))
        environment.setenv("GIT_CEILING_DIRECTORIES", os.fspath(folder.parent))
        yield


def _assemble(folder: Path, *, whole: bool) -> None:
    folder.mkdir()
    for name in ("_config.yml", "CITATION.cff", "CHANGELOG.md", "data"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("chapters"))
    (folder / "notebooks").mkdir()
    every = project.of_chapters(ROOT)
    assert {path.stem for path in every} >= SOME
    kept = [path for path in every if whole or path.stem in SOME]
    left_out = {path.stem for path in every} - {path.stem for path in kept}
    for path in (*kept, SAMPLE):
        text = _LINK.sub(lambda link: "another chapter" if link[1] in left_out else link[0], path.read_text("utf-8"))
        (folder / "notebooks" / path.name).write_text(text, "utf-8")
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    missing = {f"{CHAPTERS}{name}" for name in left_out}
    parts = [_without(part, missing) for part in contents["parts"]]
    sample = {"caption": "Sample", "numbered": 1, "chapters": [{"file": f"{CHAPTERS}sample"}]}
    (folder / "_toc.yml").write_text(yaml.safe_dump({**contents, "parts": [sample, *filter(_listed, parts)]}))


def _without(part: dict[str, Any], missing: set[str]) -> dict[str, Any]:
    """A part of the table of contents without the chapters that the book has not."""
    kept = [each for each in part["chapters"] if each.get("file") not in missing]
    return {**part, "chapters": [_shortened(each, missing) for each in kept]}


def _shortened(chapter: dict[str, Any], missing: set[str]) -> dict[str, Any]:
    below = [each for each in chapter.get("sections", []) if each.get("file") not in missing]
    alone = {name: value for name, value in chapter.items() if name != "sections"}
    return alone | ({"sections": below} if below else {})


def _listed(part: dict[str, Any]) -> bool:
    return bool(part["chapters"])
