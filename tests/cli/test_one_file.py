"""``archive`` and ``pdf``: what is refused before any work, and that an older file survives a failure."""

from pathlib import Path
from typing import Any

import pytest

from benchbook.book.onefile import archive, printing
from benchbook.cli import formatting
from benchbook.errors import MachineError

COMMANDS = [("archive", archive), ("pdf", printing)]


@pytest.mark.parametrize("command", ["archive", "pdf"])
def test_without_a_book_it_is_said_how_to_build_one(home: Path, benchbook: Any, command: str) -> None:
    result = benchbook(command, code=1)
    assert "no book has been built here" in result.stderr
    assert "benchbook build" in result.stderr
    assert not (home / "_build").exists()


@pytest.mark.parametrize("command", ["archive", "pdf"])
def test_a_place_that_cannot_be_written_is_refused_first(home: Path, benchbook: Any, command: str) -> None:
    assert "is not a folder" in benchbook(command, "--out", str(home / "absent" / "book")).stderr
    assert "is a folder" in benchbook(command, "--out", str(home)).stderr


@pytest.mark.parametrize(("command", "module"), COMMANDS)
def test_the_file_is_written_and_its_size_is_told(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, command: str, module: Any
) -> None:
    made = "x" * 4200 if command == "archive" else b"x" * 4200
    monkeypatch.setattr(module, "of", lambda root: made)
    (home / "_build" / "html" / "book").mkdir(parents=True)
    result = benchbook(command, code=0)
    assert (home / "_build" / module.NAME).read_bytes() == b"x" * 4200
    assert f"{module.NAME} (4.2 kB)" in result.stderr
    out = home / "own.file"
    assert benchbook(command, "--out", str(out)).exit_code == 0
    assert out.read_bytes() == b"x" * 4200


def test_the_first_page_leads_to_what_was_printed(home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing, "of", lambda root: b"whole")
    site = home / "_build" / "html"
    (site / "book").mkdir(parents=True)
    page = site / "book" / "index.html"
    page.write_text('<p class="benchbook-files benchbook-paper">On paper: <code>make pdf</code>.</p><p>Else.</p>')
    out = home / "own.pdf"
    assert benchbook("pdf", "--out", str(out)).exit_code == 0
    assert out.read_bytes() == b"whole"
    assert "make pdf" in page.read_text()
    assert benchbook("pdf").exit_code == 0
    assert 'On paper: <a href="../benchbook.pdf">the whole book</a>.</p>' in page.read_text()
    assert (site / "benchbook.pdf").read_bytes() == (home / "_build" / "benchbook.pdf").read_bytes() == b"whole"


@pytest.mark.parametrize(("command", "module"), COMMANDS)
def test_a_failure_leaves_the_older_file(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, command: str, module: Any
) -> None:
    def fail(root: Path) -> Any:
        raise MachineError("no Chromium", "install it")

    monkeypatch.setattr(module, "of", fail)
    out = home / "book.file"
    out.write_text("older")
    assert "no Chromium" in benchbook(command, "--out", str(out), "--force", code=3).stderr
    assert out.read_text() == "older"
    assert not list(home.glob(".book.file*"))


@pytest.mark.parametrize(("count", "text"), [(312, "312 bytes"), (4200, "4.2 kB"), (13_140_000, "13.1 MB")])
def test_sizes_are_short(count: int, text: str) -> None:
    assert formatting.size(count) == text
