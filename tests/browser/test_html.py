"""Every page as it is written: HTML as its standard has it, and commands of ours that run as they are printed."""

import shlex
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from benchbook.cli.commands import app

pytestmark = pytest.mark.browser

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = ("p", "div", "ul", "ol", "table", "pre")
HOLD_NONE = ("summary", "p", "span")
"""No block stands in one of these, however deep."""


def problems(page: BeautifulSoup) -> Iterator[str]:
    yield from (f"an empty {each.name}" for each in page.find_all(HEADINGS) if not each.get_text(strip=True))
    for block in page.find_all(BLOCKS):
        above = {each.name for each in block.parents}
        yield from (f"a block stands in {outer}: {block}" for outer in HOLD_NONE if outer in above)
    if (number := len(page.select('meta[name="viewport"]'))) != 1:
        yield f"{number} viewports"
    found = Counter(str(each["id"]) for each in page.find_all(id=True))
    yield from (f"{number} times the id {name!r}" for name, number in found.items() if number > 1 or not name.split())
    yield from (f"a style stands in the text: {each}" for each in page.select("article style"))
    if (number := len(page.find_all("h1"))) > 1:
        yield f"{number} first headings"


def test_pages_are_valid(built_book: Any) -> None:
    figures = sorted(f"figures/{path.name}" for path in built_book.folder.glob("figures/*.html"))
    names = (*built_book.pages, *figures[:3], "search.html", "genindex.html")
    found = {name: [*problems(built_book.html(name))][:10] for name in names}
    assert {name: lines for name, lines in found.items() if lines} == {}


PROGRAM = "benchbook"
HISTORY = "book/changelog.html"
"""It names commands of earlier versions, and parts of commands."""
PLACEHOLDERS = {"NAME", "ID", "FIGURE", "..."}


def printed(book: Any) -> Iterator[tuple[str, list[str]]]:
    """Each page's commands: the page, and the command's words after the program's name."""
    seen = set()
    for name in sorted({*book.pages} - {HISTORY}):
        article = book.html(name).find("article")
        for block in article.select("pre, code") if article else ():
            for line in block.get_text().splitlines():
                command = line.strip().removeprefix("$ ").removeprefix(".venv/bin/")
                if not command.startswith(f"{PROGRAM} ") or command in seen:
                    continue
                seen.add(command)
                words = shlex.split(command, comments=True)[1:]
                if not PLACEHOLDERS & {*words}:
                    yield name, words


@pytest.mark.long
def test_every_printed_command_is_one_of_the_command_line(built_book: Any) -> None:
    commands = list(printed(built_book))
    measuring = [words for _, words in commands if words[0] == "run" and len(words) > 1]
    assert len(measuring) >= len(built_book.chapters) - 1, "each chapter prints the command that measures it"
    for page, words in commands:
        dry = words in measuring
        result = CliRunner().invoke(app, [*words, "--dry-run" if dry else "--help"], prog_name=PROGRAM)
        told = f"{page}: {PROGRAM} {' '.join(words)}\n{result.output}"
        if dry and result.exit_code in (1, 3):
            assert "fix: " in result.output, told  # another machine may lack an engine, root or memory, and says so
            continue
        assert result.exit_code == 0, told
        assert not dry or words[1] in result.output, told
