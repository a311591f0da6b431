"""Every interval over blocks that a chapter or a family asks for has its summary's visits and confidence."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import benchbook
from benchbook import statistics
from benchbook.experiments import catalogue
from benchbook.parameters.kinds import Kind

SOURCES = Path(benchbook.__file__).parent
OVER_BLOCKS = {
    name
    for name in statistics.__all__
    if inspect.isfunction(function := getattr(statistics, name)) and "visits" in inspect.signature(function).parameters
}


def asked(path: Path) -> Iterator[str]:
    """What a module says itself of the intervals over its blocks.

    A statistic that takes ``**how`` is given both by ``Summary.estimated``.
    """
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            words, given = ast.unparse(node.func), {keyword.arg for keyword in node.keywords}
            over_blocks = words.startswith("statistics.") and words.rpartition(".")[2] in OVER_BLOCKS
            if (given & {"visits", "confidence"} and words != "replace") or (over_blocks and None not in given):
                yield f"{path.relative_to(SOURCES)}:{node.lineno}: {ast.unparse(node)[:80]}"


def test_chapters_leave_visits_and_confidence_to_the_summary() -> None:
    assert {"ratio", "many_to_one", "geometric_mean", "share", "difference", "dip", "cliff"} <= OVER_BLOCKS
    measuring = [name for name in catalogue.names() if catalogue.experiment(name).kind is Kind.MEASUREMENT]
    modules = [SOURCES / "chapters" / f"{name}.py" for name in measuring]
    modules += [path for path in (SOURCES / "measuring").rglob("*.py") if path.parent.name != "simulation"]
    itself = [line for path in modules for line in asked(path)]
    assert not itself, "ask summary.estimated(statistics.ratio, ...), which knows both"
