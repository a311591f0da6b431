"""Every interval over blocks that a chapter asks for is told of the sessions, so that all of its numbers agree."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from benchbook import experiments, statistics
from benchbook.experiments import catalogue
from benchbook.experiments.chapter_kinds import Kind

FOLDER = Path(experiments.__file__).parent
OVER_BLOCKS = {
    name
    for name in statistics.__all__
    if inspect.isfunction(function := getattr(statistics, name))
    and "sessions" in inspect.signature(function).parameters
    and name not in {"movement", "session_movement"}
}
WITHOUT_BLOCKS = {name for name in catalogue.names() if catalogue.experiment(name).kind is not Kind.MEASUREMENT}
"""Chapters that draw or read their numbers."""


def asked(path: Path) -> list[tuple[int, str, bool]]:
    """Each call of such a statistic: line, name, and whether it is given the sessions."""
    return [
        (node.lineno, node.func.attr, "sessions" in {keyword.arg for keyword in node.keywords})
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "statistics"
        and node.func.attr in OVER_BLOCKS
    ]


def test_the_statistics_over_blocks_are_known() -> None:
    assert {"ratio", "many_to_one", "geometric_mean", "share", "difference", "dip", "cliff"} <= OVER_BLOCKS


@pytest.mark.parametrize("folder", sorted({each.name for each in FOLDER.iterdir() if each.is_dir()} - WITHOUT_BLOCKS))
def test_a_chapter_gives_the_sessions_wherever_it_asks_for_an_interval_over_blocks(folder: str) -> None:
    without = [
        f"{path.relative_to(FOLDER)}:{line}: statistics.{name}"
        for path in sorted((FOLDER / folder).rglob("*.py"))
        for line, name, given in asked(path)
        if not given
    ]
    assert not without, f"give sessions=summary.sessions: {without}"
