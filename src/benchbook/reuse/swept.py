"""A sweep from a notebook: measured where it is not stored, as a table, as a drawing, and where something changes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import pandas as pd
import plotly.graph_objects as go

from benchbook import lab
from benchbook.errors import BenchbookError, NoStoredRunError, check_known
from benchbook.experiments.manifest import Chapter
from benchbook.figures import theme
from benchbook.figures.prose import digits
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.profiles import STANDARD, profile
from benchbook.reuse import grid as grids
from benchbook.reuse.sweep import FIRST_BLOCKS, Point, Response, measure, responses, table


def points(module: Chapter, grid: grids.Grid, given: Mapping[str, Any]) -> list[Point]:
    """Every point, checked; raises BenchbookError that names what the experiment does not take, and where.

    given: the values of the parameters that are the same at all points.
    """
    fixed = ({"blocks", "seed"} | set(given)) & set(grid)
    if fixed:
        raise BenchbookError(
            f"{sorted(fixed)[0]} cannot be a parameter of the grid too",
            "set it once; blocks are set for all points together, and all share the seed",
        )
    found = []
    for values in grids.points(grid):
        parameters = module.Parameters.given({**given, **values, "blocks": FIRST_BLOCKS})
        found.append(Point(values, cast(ExperimentParameters, parameters)))
    if len({point.parameters for point in found}) < len(found):
        raise BenchbookError("two points of the grid are the same", "give each value once")
    return found


@dataclass(frozen=True)
class Swept:
    """An experiment that was measured at all points of a grid."""

    module: Chapter
    points: Sequence[Point]

    @cached_property
    def responses(self) -> dict[str, Response]:
        """Each number of the chapter by its name."""
        return {each.name: each for each in responses(self.module, self.points)}

    @property
    def table(self) -> pd.DataFrame:
        """A row for each point and number, with the interval."""
        return table(self.points, list(self.responses.values()))

    def changes(self, name: str) -> list[str]:
        """Between which values of the one parameter a number changes by more than chance explains, in sentences."""
        own, (parameter, *more) = self._response(name), self.points[0].values
        if more:
            return []
        found = []
        for place, step in own.changes.items():
            before, after = (self.points[each].values[parameter] for each in (place - 1, place))
            by = f"a factor of {digits(step.point)}" if step.scale == "ratio" else digits(step.point)
            found.append(f"from {parameter}={before} to {after} it changes by {by}")
        return found

    def drawing(self, name: str) -> go.Figure:
        """A number over the first parameter, a line for each value of the others; intervals hold for all together."""
        own, (first, *others) = self._response(name), self.points[0].values
        plot = theme.apply(go.Figure())
        lines: dict[str, list[int]] = {}
        for place, point in enumerate(self.points):
            label = ", ".join(f"{each}={point.values[each]}" for each in others)
            if own.found[place] is not None:
                lines.setdefault(label, []).append(place)
        for label, places in lines.items():
            shown = [found.estimate for place in places if (found := own.found[place]) is not None]
            ends = ([getattr(each, end) for each in shown] for end in ("point", "low", "high"))
            values = [self.points[place].values[first] for place in places]
            numeric = all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)
            plot.add_scatter(
                x=values if numeric else [str(each) for each in values], y=[each.point for each in shown],
                error_y=theme.error_bars(*ends), mode="lines+markers", name=label or name,
            )  # fmt: skip
        plot.update_layout(xaxis_title=first, yaxis_title=name)
        return plot

    def _response(self, name: str) -> Response:
        check_known(f"{self.module.name} has at these points no number", name, self.responses)
        return self.responses[name]


def sweep(
    experiment: str, grid: str | Sequence[str], *, profile_name: str = STANDARD, blocks: int = 6, **fixed: Any
) -> Swept:
    """An experiment at every point of a grid; what is stored is not measured again.

    grid: ``name=values`` texts as on the command line. fixed: parameters that are the same at all points. Raises
    NoStoredRunError where a point is not stored and ``BENCHBOOK_MEASURE=never`` is set.
    """
    module = lab.experiment(experiment)
    values = grids.read([grid] if isinstance(grid, str) else grid)
    usual = {
        name: value for name, value in profile(experiment, profile_name).items() if name not in {*values, "blocks"}
    }
    found = points(module, values, {**usual, **fixed})

    def obtain(point: Point, more: int | None) -> None:
        if os.environ.get(lab.MEASURE) == "never":
            raise NoStoredRunError(f"{point.words} is not measured", "repeat it without BENCHBOOK_MEASURE=never")
        lab.obtain(module, point.parameters, anew=True, more=more)

    measure(module, found, blocks, obtain)
    return Swept(module, found)
