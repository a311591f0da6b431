"""What each published number is made of, as data from which an audit without the package can compute it again.

python -m tests.audit.recipes FILE    write the recipes of all published runs
"""

import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.numbers import estimands, void_blocks
from benchbook.numbers.algebra import Column, Joined, Values, Vector
from benchbook.parameters.kinds import Kind

SIGNS = {np.divide: "/", np.multiply: "*", np.subtract: "-"}


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
        if not isinstance(each, Values) or not each.parts:
            continue
        if not {*itertools.chain(*map(_metrics, each.parts))} <= {*summary.run.trials}:
            continue  # one that the chapter derives, or that a function makes
        try:
            estimate = each.compute(summary)
        except BenchbookError:
            continue
        parts = [_resolved(part, summary) for part in each.parts]
        yield {
            "name": name, "statistic": each.statistic.__name__, "parts": parts, "gaps": each.gaps,
            "after": int(getattr(summary.parameters, each.pilot)) if each.pilot else 0,
            "complement": each.finish is estimands.complement, "confidence": estimate.confidence,
            "point": estimate.point, "low": estimate.low, "high": estimate.high,
        }  # fmt: skip


def _metrics(part: Vector | float) -> Iterator[str]:
    if isinstance(part, Column):
        yield part.metric
    elif isinstance(part, Joined):
        yield from (*_metrics(part.left), *_metrics(part.right))
    elif callable(part):
        yield "made by a function"  # no column has this name


def _resolved(part: Vector | float, summary: Any) -> Any:
    """With signs, and configurations by name."""
    if isinstance(part, Column):
        return ["of", part.metric, estimands.named(part.arm, summary), part.ask]
    if isinstance(part, Joined):
        return [SIGNS[part.of], _resolved(part.left, summary), _resolved(part.right, summary)]
    return part


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(every()))
