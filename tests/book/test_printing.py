"""Printing the book: what stops it is said before any browser is started, or in the browser's own words."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from benchbook.book.onefile import archive, printing
from benchbook.errors import BenchbookError, MachineError


def test_without_a_book_no_browser_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHBOOK_CHROMIUM", "absent-chrome")
    with pytest.raises(BenchbookError, match="no book has been built"):
        printing.of(tmp_path)


def test_without_a_browser_the_line_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "of", lambda root: "<html></html>")
    monkeypatch.setenv("BENCHBOOK_CHROMIUM", "absent-chrome")
    with pytest.raises(MachineError, match="no Chromium or Chrome was found, and printing the book") as caught:
        printing.of(tmp_path)
    assert "apt-get install chromium" in caught.value.mend
    assert "benchbook archive" in caught.value.mend


def test_a_program_that_is_no_browser_is_named(tmp_path: Path) -> None:
    program = tmp_path / "chrome"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    (tmp_path / "a.html").write_text("<p>a</p>")
    # In a thread of its own: in this one, tests with a browser may have left the event loop of their driver.
    with ThreadPoolExecutor(1) as pool, pytest.raises(MachineError, match="failed to print") as caught:
        pool.submit(printing.printed, tmp_path / "a.html", str(program)).result()
    assert str(program) in caught.value.problem
    assert "event loop" not in caught.value.problem


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"result": {"value": '{"drawn": 2, "blank": ["fig-a"]}'}}, "could be drawn for printing: fig-a"),
        ({"exceptionDetails": {"text": "Uncaught", "exception": {"description": "Error: no axis"}}}, "Error: no axis"),
    ],
)
def test_a_figure_that_is_not_drawn_stops_the_printing(answer: dict[str, Any], words: str) -> None:
    with pytest.raises(BenchbookError, match=words):
        printing._check(answer)


def test_a_book_whose_figures_are_all_drawn_is_printed() -> None:
    printing._check({"result": {"value": '{"drawn": 2, "blank": []}'}})
