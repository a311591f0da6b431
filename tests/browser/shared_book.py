"""The book that tests in a browser look at: this repository's, as an edition, with a sample chapter; built once.

It lies in a folder of its own for each state of the sources, so that workers, and the next test run, look at the same.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from filelock import FileLock

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
_WHOLE = "whole"


def root() -> Path:
    """The project that holds the book of the sources as they are now, built unless it is there; others are removed."""
    shelf = ROOT / ".pytest_cache" / "books"
    shelf.mkdir(parents=True, exist_ok=True)
    state = _state()
    folder = shelf / state[:16]
    with FileLock(shelf / "books.lock"), _project(folder):
        if not (folder / _WHOLE).is_file():
            for other in shelf.iterdir():
                if other.is_dir():
                    shutil.rmtree(other)
            _assemble(folder)
            build(Shown(edition=True), quiet=True)
            (folder / _WHOLE).touch()
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


def _assemble(folder: Path) -> None:
    folder.mkdir()
    for name in ("_config.yml", "CITATION.cff", "CHANGELOG.md", "data"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    shutil.copytree(ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("chapters"))
    (folder / "notebooks").mkdir()
    for path in (*(ROOT / "notebooks").glob("*.ipynb"), SAMPLE):
        shutil.copy(path, folder / "notebooks")
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    sample = {"caption": "Sample", "numbered": 1, "chapters": [{"file": f"{CHAPTERS}sample"}]}
    (folder / "_toc.yml").write_text(yaml.safe_dump({**contents, "parts": [sample, *contents["parts"]]}))
