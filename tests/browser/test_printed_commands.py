"""Every command of ours that a page prints is one that runs as it is printed.

A command that measures is checked with --dry-run, parameters and machine included; any other with --help, before which
the command line refuses what it does not know.
"""

import shlex
from collections.abc import Iterator
from typing import Any

import pytest
from bs4 import BeautifulSoup
from typer.testing import CliRunner

from benchbook.cli.commands import app

pytestmark = pytest.mark.browser

PROGRAM = "benchbook"
NEEDS = "fix: "
HISTORY = "book/changelog.html"
"""It names commands of earlier versions, and parts of commands."""
PLACEHOLDERS = {"NAME", "ID", "FIGURE", "..."}


def printed(book: Any) -> Iterator[tuple[str, list[str]]]:
    """Each page's commands: the page, and the command's words after the program's name."""
    seen = set()
    for name in book.pages:
        if name == HISTORY:
            continue
        article = BeautifulSoup((book.folder / name).read_text("utf-8"), "html.parser").find("article")
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
            assert NEEDS in result.output, told  # another machine may lack an engine, root or memory, and says so
            continue
        assert result.exit_code == 0, told
        assert not dry or words[1] in result.output, told
