"""What the pages and the README tell a reader to type works: the command exists, takes its options, names what is."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import figure_names
import pytest
from typer.main import get_command

from benchbook import lab
from benchbook.cli.commands import app

ROOT = Path(__file__).parents[2]
PAGES = [*sorted((ROOT / "book").glob("*.md")), ROOT / "README.md"]
INLINE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"```(?:console|sh)\n(.*?)```", re.DOTALL)


def typed(text: str) -> list[str]:
    """Every line of the page that is a command of ours, without its prompt, its variables and its comment."""
    text = re.sub(r"<!--.*?-->", "", text)
    lines = [line for block in BLOCK.findall(text) for line in block.splitlines()]
    lines += INLINE.findall(BLOCK.sub("", text))
    calls = [re.sub(r"^\$ |\w+=\S+ (?=\.venv|benchbook)", "", line).partition(" #")[0].strip() for line in lines]
    return [call for call in calls if re.match(r"(\.venv/bin/)?benchbook [a-z]", call)]


def parsed(call: str) -> None:
    """Raises click's own error for a command, an option or a choice that does not exist; runs nothing."""
    words = shlex.split(call)[1:]
    command: Any = get_command(app)
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command, words = command.commands[words[0]], words[1:]
    assert not getattr(command, "commands", None), f"{call}: there is no such command"
    if words:  # a command's bare name only speaks of it
        command.make_context(command.name, words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_on_a_page_is_one(page: Path) -> None:
    for call in typed(page.read_text("utf-8")):
        parsed(call)
        words = shlex.split(call)[1:]
        if words[0] in ("run", "show") and len(words) > 1:
            assert words[1] in lab.names() or words[1].isupper() or words[1].startswith("-"), call


def test_a_command_that_does_not_exist_is_noticed() -> None:
    with pytest.raises(AssertionError, match="no such command"):
        parsed("benchbook cites fig-a")
    with pytest.raises(Exception, match="No such option"):
        parsed("benchbook cite fig-a --formats text")


@pytest.mark.parametrize("page", ["cite.md", "reexecute.md"])
def test_commands_in_blocks_are_called_as_they_work_in_a_clone(page: str) -> None:
    for block in BLOCK.findall((ROOT / "book" / page).read_text("utf-8")):
        for line in block.splitlines():
            if "benchbook " in line and "--crate" not in line:  # that one works without a clone
                assert ".venv/bin/benchbook" in line, line


def test_every_figure_that_cite_names_exists() -> None:
    named = set(re.findall(r"\bfig-[a-z0-9-]+[a-z0-9]\b", (ROOT / "book" / "cite.md").read_text("utf-8")))
    assert named
    assert named <= figure_names.ids()


def test_nothing_names_an_address_that_is_none() -> None:
    for path in [*PAGES, ROOT / "_config.yml", ROOT / "codemeta.json", ROOT / "CITATION.cff"]:
        assert ".example" not in path.read_text("utf-8"), path.name
