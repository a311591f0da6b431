"""Assembling: contents checked, failing pages reported, the last good book kept, an unchanged one left alone."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchbook.book import assemble, build
from benchbook.book.drift import ChapterDrift, compared, sentence
from benchbook.book.drift_page import read
from benchbook.errors import BenchbookError
from benchbook.model import Outcome

WriteNotebook = Callable[..., Path]


class JupyterBook:
    """Stands for the program: writes an index page, or fails with Sphinx's words."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails = False

    def __call__(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        self.calls += 1
        pages = Path(command[command.index("--path-output") + 1]) / "_build" / "html"
        pages.mkdir(parents=True)
        (pages / "index.html").write_text(f"build {self.calls}")
        report = f"\x1b[91m{options['cwd']}/book/index.md:3: WARNING: no such target\x1b[39m\n" if self.fails else ""
        return subprocess.CompletedProcess(command, int(self.fails), "", report)


@pytest.fixture
def program(small_root: Path, monkeypatch: pytest.MonkeyPatch) -> JupyterBook:
    program = JupyterBook()
    monkeypatch.setattr(assemble.subprocess, "run", program)
    return program


def test_an_unchanged_book_is_not_rendered_again_and_a_changed_page_is(small_root: Path, program: JupyterBook) -> None:
    index = build(quiet=True)
    assert index == small_root / "_build" / "html" / "index.html"
    build(quiet=True)
    assert program.calls == 1
    (small_root / "book" / "index.md").write_text("# Changed\n")
    build(quiet=True)
    assert program.calls == 2
    assert index.read_text() == "build 2"


@pytest.mark.parametrize(
    "name", ["claims.csv", "claims-amendments.csv", "experiments.csv", "notes/documents.csv", "performance.json"]
)
def test_a_book_is_rendered_again_when_what_its_pages_read_has_changed(
    small_root: Path, program: JupyterBook, name: str
) -> None:
    build(quiet=True)
    content = '{"format": 1, "host": {}, "parts": []}' if name == "performance.json" else "changed"
    (small_root / "data" / name).write_text(f"{content}\n")
    build(quiet=True)
    assert program.calls == 2


def test_warnings_fail_the_build_and_leave_the_last_good_book(small_root: Path, program: JupyterBook) -> None:
    index = build(quiet=True)
    (small_root / "book" / "index.md").write_text("# Changed\n")
    program.fails = True
    for _ in range(2):  # a warning must not be forgotten by the next build
        with pytest.raises(BenchbookError) as caught:
            build(quiet=True)
        assert "book/index.md:3: WARNING: no such target" in caught.value.problem
        assert str(small_root) not in caught.value.problem
        assert index.read_text() == "build 1"


def test_a_build_is_silent_when_quiet_and_otherwise_names_its_phases(
    small_root: Path, program: JupyterBook, capfd: pytest.CaptureFixture[str]
) -> None:
    build(quiet=True)
    assert capfd.readouterr() == ("", "")
    (small_root / "book" / "index.md").write_text("# Changed\n")
    build()
    out, err = capfd.readouterr()
    assert out == ""
    assert "chapters" in err
    assert "pages (about" in err


def test_a_build_of_local_runs_ends_with_their_drift_also_when_nothing_has_changed(
    small_root: Path, program: JupyterBook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    claims = compared({"L1": Outcome.REPRODUCED}, {"L1": Outcome.CONTRADICTED})
    found = [ChapterDrift("one", "run-a", "run-b", claims)]
    monkeypatch.setattr(assemble.own_drift, "of_runs", lambda root, profile: found)
    for _ in range(2):
        build()
        assert capfd.readouterr().err.strip().splitlines()[-1] == sentence(found)
    assert program.calls == 1
    assert read(small_root) == ("quick", found)


def test_a_line_without_a_notebook_is_refused(small_root: Path, program: JupyterBook) -> None:
    with (small_root / "_toc.yml").open("a") as contents:
        contents.write("parts:\n  - caption: A\n    chapters:\n      - file: book/chapters/ghost\n")
    with pytest.raises(BenchbookError, match=r"lists book/chapters/ghost, but notebooks/ghost.ipynb does not exist"):
        build(quiet=True)


def test_a_notebook_without_a_line_is_refused(
    small_root: Path, program: JupyterBook, write_notebook: WriteNotebook
) -> None:
    write_notebook("one", "size = 1")
    (small_root / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    with pytest.raises(BenchbookError, match=r"notebooks/one.ipynb has no line in _toc.yml"):
        build(quiet=True)
