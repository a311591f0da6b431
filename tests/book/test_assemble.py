"""Assembling: contents checked, failing pages reported, the last good book kept, an unchanged one left alone."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sealing

from benchbook.book.assembly import assemble
from benchbook.book.assembly.assemble import build
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.records.own_runs import Number, Own, read, sentence
from benchbook.errors import BenchbookError
from benchbook.model import Estimate


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
    monkeypatch.setattr(assemble.children, "run", program)
    return program


def test_an_unchanged_book_is_not_made_again_and_a_changed_page_is(
    small_root: Path, program: JupyterBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build(quiet=True)
    assert index == small_root / "_build" / "html" / "index.html"
    with monkeypatch.context() as patch:
        patch.setattr(assemble.chapters, "execute_all", lambda *_, **__: pytest.fail("it went on"))
        assert build(quiet=True) == index
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
    assert "comparison with other runs (about" in err
    assert "pages (about" in err


def test_a_build_ends_with_what_stands_beside_the_published_runs_also_when_nothing_has_changed(
    small_root: Path, program: JupyterBook, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    numbers = (Number("L1", Estimate(2.0, 1.0, 3.0, 8, "t"), Estimate(5.0, 4.0, 6.0, 3, "t"), "holds"),)
    found = [Own("one", "run-a", "run-b", "quick", 3, "2026-01-01T00:00:00", ("blocks",), numbers)]
    monkeypatch.setattr(assemble.comparing, "of_runs", lambda root, profile: found)
    for _ in range(2):
        build()
        assert capfd.readouterr().err.strip().splitlines()[-1] == f"{sentence(found)}."
    assert program.calls == 1
    assert read(small_root) == ("published", found)


def test_a_line_without_a_notebook_is_refused(small_root: Path, program: JupyterBook) -> None:
    with (small_root / "_toc.yml").open("a") as contents:
        contents.write("parts:\n  - caption: A\n    chapters:\n      - file: book/chapters/ghost\n")
    with pytest.raises(BenchbookError, match=r"lists book/chapters/ghost, but notebooks/ghost.ipynb does not exist"):
        build(quiet=True)


def test_a_notebook_without_a_line_is_refused(small_root: Path, program: JupyterBook, write_notebook: Any) -> None:
    write_notebook("one", "size = 1")
    (small_root / "_toc.yml").write_text("format: jb-book\nroot: book/index\n")
    with pytest.raises(BenchbookError, match=r"notebooks/one.ipynb has no line in _toc.yml"):
        build(quiet=True)


def changed(name: str) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")

    return change


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        pytest.param(lambda root: sealing.write_run(root, "scale", "r-a"), Shown(), id="run"),
        pytest.param(lambda root: sealing.write_run(root, "scale", "r-a", published=True), Shown(), id="published run"),
        pytest.param(changed("CITATION.cff"), Shown(), id="citation"),
        pytest.param(changed("data/editions/a/edition.json"), Shown(), id="edition"),
        pytest.param(lambda root: None, Shown(profile="standard"), id="another profile"),
        pytest.param(lambda root: None, Shown(local=True), id="local runs"),
    ],
)
def test_the_records_are_made_again_when_a_run_an_edition_the_citation_or_what_is_shown_has_changed(
    small_root: Path, program: JupyterBook, monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Path], object], shown: Shown,
) -> None:  # fmt: skip
    build(quiet=True)
    made: list[Path] = []
    monkeypatch.setattr(assemble.chapters, "execute_all", lambda root, *_, **__: made.append(root))
    change(small_root)
    build(shown, quiet=True)
    assert made == [small_root]
