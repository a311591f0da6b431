"""One experiment at every point of a grid: in passes, so that no parameter goes with the hour it was measured in."""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.numbers.summary import Summary
from benchbook.parameters.base import ExperimentParameters
from benchbook.reuse.estimates import Found, common_scale, estimates
from benchbook.statistics.between import Between, between
from benchbook.statistics.multiplicity import LEVEL

FIRST_BLOCKS = 2
"""Of a point's first run, the fewest that a run may have; each pass after the first adds one."""
UNKNOWN_MINUTES = 240
"""Asked for where no run tells how long a point takes."""


@dataclass(frozen=True)
class Point:
    """One combination of values. parameters: of its runs, whose blocks are those of the first pass."""

    values: dict[str, Any]
    parameters: ExperimentParameters

    @property
    def words(self) -> str:
        """Such as "shared_buffers_mib=64, clients=4"."""
        return ", ".join(f"{name}={value}" for name, value in self.values.items())

    def run(self, module: Chapter) -> Run | None:
        """What is stored of it, pooled; None before its first pass."""
        return chosen_runs.pooled(module, self.parameters.key(module.name, module.version), public=None)

    def blocks(self, module: Chapter) -> int:
        """How many are stored."""
        key = self.parameters.key(module.name, module.version)
        return sum(int((each.record or {})["blocks"]) for each in chosen_runs.pool(module, key, public=None))


def order(points: Sequence[Point], blocks: int, seed: int) -> Iterator[tuple[int, Point]]:
    """Which point is measured next, in passes over all of them, each in an order of its own; and up to which block.

    The points share the seed, hence the keys: what differs between them is their parameters and the hour within a pass.
    """
    for number, upto in enumerate(range(FIRST_BLOCKS, blocks + 1)):
        shuffled = np.random.default_rng([seed, number]).permutation(len(points))
        for place in shuffled:
            yield upto, points[place]


def measure(
    module: Chapter, points: Sequence[Point], blocks: int, obtain: Callable[[Point, int | None], object]
) -> None:
    """Measure what is not stored yet. obtain: measures a point, or adds blocks to it."""
    for upto, point in order(points, blocks, points[0].parameters.seed):
        stored = point.blocks(module)
        if stored < upto:
            obtain(point, upto - stored if stored else None)


@dataclass(frozen=True)
class Response:
    """What a number is at each point. found: None where a point measured too little for it.

    changes: between which neighbours it differs by more than chance explains, by place of the second; of a grid of one
    parameter alone.
    """

    name: str
    found: tuple[Found | None, ...]
    changes: dict[int, Between]


def responses(module: Chapter, points: Sequence[Point]) -> list[Response]:
    """Every number of the chapter over the points; intervals hold for all points of a number together (Bonferroni).

    Raises BenchbookError where a point is not measured.
    """
    summaries = [replace(_summary(module, point), confidence=1 - LEVEL / len(points)) for point in points]
    every = [{each.name: each for each in estimates(module, summary)} for summary in summaries]
    names = dict.fromkeys(name for own in every for name in own)
    one = len(points[0].values) == 1
    return [_response(name, [own.get(name) for own in every], one) for name in names]


def _summary(module: Chapter, point: Point) -> Summary:
    run = point.run(module)
    if run is None:
        raise BenchbookError(f"{point.words} is not measured", "repeat the `benchbook sweep` command")
    return module.summarize(run)


def _response(name: str, found: list[Found | None], one: bool) -> Response:
    steps = {}
    for place, (first, second) in enumerate(pairwise(found), start=1) if one else ():
        if first is not None and second is not None:
            steps[place] = between(first.estimate, second.estimate, common_scale(first, second))
    raw = {str(place): each.p for place, each in steps.items() if each.p is not None}
    adjusted = statistics.holm(raw) if raw else {}
    changes = {place: each for place, each in steps.items() if adjusted.get(str(place), 1.0) < LEVEL}
    return Response(name, tuple(found), changes)


def table(points: Sequence[Point], found: Sequence[Response]) -> pd.DataFrame:
    """A row for each point and number: the parameters, the number with its interval, and whether it changed here."""
    rows = [
        {**point.values, "number": response.name, **own.estimate.fields, "changed": place in response.changes}
        for response in found
        for place, (point, own) in enumerate(zip(points, response.found, strict=True))
        if own is not None
    ]
    return pd.DataFrame(rows)


def workflow(
    module: Chapter, points: Sequence[Point], arguments: Sequence[str], minutes: Sequence[float | None]
) -> dict[str, Any]:
    """The configuration of workflow/Snakefile. minutes: of measuring each point, as far as they are known.

    Time is asked for twice over and with a quarter of an hour for loading: a job that ends early frees its node.
    """
    needs = [module.needs(point.parameters) for point in points]
    longest = max((each or UNKNOWN_MINUTES / 2 for each in minutes), default=UNKNOWN_MINUTES / 2)
    return {
        "arguments": [*arguments],
        "points": len(points),
        "labels": [point.words for point in points],
        "results": f"_build/sweeps/{module.name}-{hashlib.sha256(repr(arguments).encode()).hexdigest()[:8]}",
        "minutes": math.ceil(2 * longest + 15),
        "memory_mb": math.ceil(max(each.memory_bytes for each in needs) / 1e6),
        "disk_mb": math.ceil(max(each.disk_bytes for each in needs) / 1e6),
    }
