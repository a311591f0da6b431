"""What each published number is made of, as data from which an audit without the package can compute it again.

python -m tests.audit.recipes FILE    write the recipes of all published runs
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.numbers import estimands, void_blocks
from benchbook.numbers.algebra import Tree, Values
from benchbook.parameters.kinds import Kind


def every() -> list[dict[str, Any]]:
    """The recipes of each chapter that measures on an engine."""
    return [made for name in lab.names() if (made := of_chapter(name)) is not None]


def of_chapter(name: str) -> dict[str, Any] | None:
    """Runs, the places of void blocks, and the numbers of the published run; None for a chapter without one.

    unknown: numbers that a function makes, not the algebra.
    """
    module = lab.experiment(name)
    run = None if module.kind is Kind.ANALYSIS else chosen_runs.run(module)
    if run is None:
        return None
    summary = module.summarize(run)
    void = sorted(void_blocks.blocks(run, module.configurations(summary.parameters)))
    numbers = {key: each.estimand for key, each in module.page.names.numbers.items()}
    found = list(_numbers(summary, numbers))
    known = {each["name"] for each in found}
    return {
        "chapter": name, "runs": [part.id for part in run.parts], "void": void, "numbers": found,
        "unknown": [key for key in numbers if key not in known],
    }  # fmt: skip


def _numbers(summary: Any, numbers: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name, each in numbers.items():
        if not isinstance(each, Values) or not each.trees or not all(each.trees):
            continue
        if not {*itertools.chain(*map(_metrics, each.trees))} <= {*summary.run.trials}:
            continue  # one that the chapter derives
        try:
            estimate = each.compute(summary)
        except BenchbookError:
            continue
        parts = [_resolved(tree, summary) for tree in each.trees]
        yield {
            "name": name, "statistic": each.statistic.__name__, "parts": parts, "gaps": each.gaps,
            "after": int(getattr(summary.parameters, each.pilot)) if each.pilot else 0,
            "complement": each.finish is estimands.complement, "confidence": estimate.confidence,
            "point": estimate.point, "low": estimate.low, "high": estimate.high,
        }  # fmt: skip


def _metrics(tree: Tree) -> Iterator[str]:
    assert tree is not None
    if tree[0] == "of":
        yield tree[1]
    else:
        for side in tree[1:]:
            yield from _metrics(side) if isinstance(side, tuple) else ()


def _resolved(tree: Tree, summary: Any) -> list[Any]:
    """The same with configurations by name."""
    assert tree is not None
    if tree[0] == "of":
        return ["of", tree[1], estimands.named(tree[2], summary), tree[3]]
    return [tree[0], *(_resolved(side, summary) if isinstance(side, tuple) else side for side in tree[1:])]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(every()))
