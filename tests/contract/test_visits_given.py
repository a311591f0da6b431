"""Every interval over blocks that a chapter asks for has its summary's visits and confidence."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from benchbook import experiments, statistics
from benchbook.experiments import catalogue
from benchbook.parameters.kinds import Kind

FOLDER = Path(experiments.__file__).parent
OVER_BLOCKS = {
    name
    for name in statistics.__all__
    if inspect.isfunction(function := getattr(statistics, name)) and "visits" in inspect.signature(function).parameters
}
WITHOUT_BLOCKS = {name for name in catalogue.names() if catalogue.experiment(name).kind is not Kind.MEASUREMENT}
"""Chapters that draw or read their numbers."""


def asked(path: Path) -> list[tuple[int, str]]:
    """What a chapter says itself of the intervals over its blocks: line, and what it is.

    A statistic that takes ``**how`` is given both by ``Summary.estimated``.
    """
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    given = [
        (node.lineno, f"{keyword.arg}=")
        for node in calls
        for keyword in node.keywords
        if keyword.arg in ("visits", "confidence")
    ]
    return given + [
        (node.lineno, f"statistics.{node.func.attr}(...)")
        for node in calls
        if isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "statistics"
        and node.func.attr in OVER_BLOCKS
        and not any(keyword.arg is None for keyword in node.keywords)
    ]


def test_the_statistics_over_blocks_are_known() -> None:
    assert {"ratio", "many_to_one", "geometric_mean", "share", "difference", "dip", "cliff"} <= OVER_BLOCKS


@pytest.mark.parametrize("folder", ["families", *sorted({*catalogue.names()} - WITHOUT_BLOCKS)])
def test_a_chapter_leaves_visits_and_confidence_to_the_shape(folder: str) -> None:
    itself = [
        f"{path.relative_to(FOLDER)}:{line}: {what}"
        for path in sorted((FOLDER / folder).rglob("*.py"))
        for line, what in asked(path)
    ]
    assert not itself, f"ask summary.estimated(statistics.ratio, ...), which knows both: {itself}"
