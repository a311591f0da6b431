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
from itertools import zip_longest
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml
from filelock import FileLock
from representatives import REPRESENTATIVES

from benchbook import project
from benchbook.book.assembly.assemble import build
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.records import inputs

ROOT = Path(__file__).parents[2]
SAMPLE = Path(__file__).with_name("sample.md")
"""A chapter of the tests alone; its code is fenced, with the cell's tag behind the language."""
_CELL = re.compile(r"^```python ?(\w*)\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
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
SOME = {*STORY, *REPRESENTATIVES.values(), "cost", "noise_floor", "notes_reanalysis", "prewarming"}
"""Those of the smaller book: of every kind and family, and what a heading of the advice would be bare without."""
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
    nbformat.write(sample_notebook(), folder / "notebooks" / f"{SAMPLE.stem}.ipynb")
    for path in kept:
        text = _LINK.sub(lambda link: "another chapter" if link[1] in left_out else link[0], path.read_text("utf-8"))
        (folder / "notebooks" / path.name).write_text(text, "utf-8")
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text())
    missing = {f"{CHAPTERS}{name}" for name in left_out}
    parts = [{**part, "chapters": _without(part["chapters"], missing)} for part in contents["parts"]]
    sample = {"caption": "Sample", "numbered": 1, "chapters": [{"file": f"{CHAPTERS}sample"}]}
    listed = [sample, *(part for part in parts if part["chapters"])]
    (folder / "_toc.yml").write_text(yaml.safe_dump({**contents, "parts": listed}))


def sample_notebook() -> nbformat.NotebookNode:
    """The sample chapter's notebook."""
    kernel = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}
    notebook = nbformat.v4.new_notebook(metadata=kernel)
    parts = iter(_CELL.split(SAMPLE.read_text("utf-8")))
    for words, tag, code in zip_longest(parts, parts, parts, fillvalue=""):
        if words.strip():
            notebook.cells.append(nbformat.v4.new_markdown_cell(words.strip()))
        if code:
            notebook.cells.append(nbformat.v4.new_code_cell(code, metadata={"tags": [tag]} if tag else {}))
    for place, cell in enumerate(notebook.cells):
        cell.id = f"sample-{place}"
    return notebook


def _without(entries: list[dict[str, Any]], missing: set[str]) -> list[dict[str, Any]]:
    """Entries of the table of contents without the chapters that the book has not."""
    for each in entries:
        if below := _without(each.pop("sections", []), missing):
            each["sections"] = below
    return [each for each in entries if each.get("file") not in missing]
