"""``data``, ``figure``, ``archive`` and ``pdf`` write where the user says and lose nothing that is there."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.onefile import archive, printing
from benchbook.book.records import figure_list
from benchbook.cli import formatting
from benchbook.errors import MachineError

RECORD = {
    "id": "fig-small", "page": "book/threats", "run": None, "plot": {"data": [], "layout": {}},
    "data": {"columns": ["n", "ms"], "data": [[1, 0.5]]},
}  # fmt: skip
CSV = "n,ms\n1,0.5\n"
BOOKS: dict[str, Any] = {"archive": archive, "pdf": printing}
"""By the command what makes the book."""


@pytest.fixture(autouse=True)
def built(home: Path) -> None:
    """A book with one figure."""
    folder = home / "book" / "chapters"
    folder.mkdir(parents=True)
    (folder / figure_list.FIGURES_FILE).write_text(json.dumps([RECORD]))


def test_a_table_does_not_replace_a_file_unasked(benchbook: Any, tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    out.write_text("mine")
    result = benchbook("data", "fig-small", "--out", str(out), code=1)
    assert "exists and differs" in result.stderr
    assert "--force" in result.stderr
    assert out.read_text() == "mine"
    assert benchbook("data", "fig-small", "--out", str(out), "--force").exit_code == 0
    assert benchbook("data", "fig-small", "--out", str(out)).exit_code == 0, "the same again"
    assert out.read_bytes() == b"\xef\xbb\xbf" + CSV.encode(), "a file, which spreadsheets open, says that it is UTF-8"


def test_a_dash_is_standard_output(benchbook: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (("--out", "-"), ()):
        assert benchbook("data", "fig-small", *arguments).stdout == CSV
    assert json.loads(benchbook("figure", "fig-small", "--out", "-", "--format", "json").stdout) == RECORD["plot"]
    assert not Path("-").exists()


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The book of one file, and that on paper, made at once."""
    monkeypatch.setattr(archive, "of", lambda root: "whole")
    monkeypatch.setattr(printing, "of", lambda root: b"whole")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("command", BOOKS)
def test_a_book_goes_to_standard_output_alone(home: Path, benchbook: Any, command: str) -> None:
    result = benchbook(command, "--out", "-")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "whole", "")
    assert not (home / "_build").exists()


def test_an_older_print_is_refused_before_minutes_of_work(
    benchbook: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(printing, "of", lambda root: pytest.fail("nothing is printed"))
    out = tmp_path / "book.pdf"
    out.write_text("older")
    result = benchbook("pdf", "--out", str(out))
    assert "with --force" in result.stderr
    assert "unforeseen" not in result.stderr
    assert out.read_text() == "older"


def test_the_book_in_its_own_place_is_replaced_without_asking(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "_build").mkdir()
    for text in ("first", "second"):
        monkeypatch.setattr(archive, "of", lambda root, text=text: text)
        assert benchbook("archive").exit_code == 0
        assert (home / "_build" / archive.NAME).read_text() == text


def test_a_drawing_needs_a_kind(benchbook: Any, tmp_path: Path) -> None:
    assert "give --format" in benchbook("figure", "fig-small", "--out", "-").stderr
    result = benchbook("figure", "fig-small", "--out", str(tmp_path / "a.svg"), "--format", "bmp")
    assert "bmp does not say" in result.stderr
    assert not (tmp_path / "a.svg").exists()


def test_what_is_read_before_it_is_written_is_no_pipe(benchbook: Any, tmp_path: Path) -> None:
    out = tmp_path / "pipe"
    os.mkfifo(out)
    for arguments in (("bench", "--small", "--only", "analysis", "--out"), ("verdicts", "--into")):
        assert "is not a regular file" in benchbook(*arguments, str(out), code=1).stderr
    assert stat.S_ISFIFO(out.stat().st_mode)


@pytest.mark.faults
@pytest.mark.usefixtures("made")
def test_a_device_stays_one_for_any_command(benchbook: Any, tmp_path: Path) -> None:
    out = tmp_path / "null.json"
    try:
        os.mknod(out, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        os.close(os.open(out, os.O_WRONLY))
    except OSError as error:
        pytest.skip(f"a device cannot be made and opened here: {error.strerror}; needs root and a disk with devices")
    for line in (("data", "fig-small"), ("figure", "fig-small"), ("archive",), ("pdf",), ("pdf", "--force")):
        benchbook(*line, "--out", str(out), code=0)
        assert stat.S_ISCHR(out.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["null.json"]


@pytest.mark.parametrize("command", BOOKS)
def test_without_a_book_it_is_said_how_to_build_one(home: Path, benchbook: Any, command: str) -> None:
    result = benchbook(command, code=1)
    assert "no book has been built here" in result.stderr
    assert "benchbook build" in result.stderr
    assert not (home / "_build").exists()


@pytest.mark.parametrize("command", BOOKS)
def test_a_place_that_cannot_be_written_is_refused_first(home: Path, benchbook: Any, command: str) -> None:
    assert "is not a folder" in benchbook(command, "--out", str(home / "absent" / "book")).stderr
    assert "is a folder" in benchbook(command, "--out", str(home)).stderr


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize("command", BOOKS)
def test_the_file_is_written_and_its_size_is_told(home: Path, benchbook: Any, command: str) -> None:
    (home / "_build" / "html" / "book").mkdir(parents=True)
    result, name = benchbook(command, code=0), BOOKS[command].NAME
    assert (home / "_build" / name).read_bytes() == b"whole"
    assert f"{name} (5 bytes)" in result.stderr
    out = home / "own.file"
    benchbook(command, "--out", str(out), code=0)
    assert out.read_bytes() == b"whole"


@pytest.mark.usefixtures("made")
def test_the_first_page_leads_to_what_was_printed(home: Path, benchbook: Any) -> None:
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


@pytest.mark.parametrize("command", BOOKS)
def test_a_failure_leaves_the_older_file(
    home: Path, benchbook: Any, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def fail(root: Path) -> Any:
        raise MachineError("no Chromium", "install it")

    monkeypatch.setattr(BOOKS[command], "of", fail)
    out = home / "book.file"
    out.write_text("older")
    assert "no Chromium" in benchbook(command, "--out", str(out), "--force", code=3).stderr
    assert out.read_text() == "older"
    assert not list(home.glob(".book.file*"))


@pytest.mark.parametrize(("count", "text"), [(312, "312 bytes"), (4200, "4.2 kB"), (13_140_000, "13.1 MB")])
def test_sizes_are_short(count: int, text: str) -> None:
    assert formatting.size(count) == text
