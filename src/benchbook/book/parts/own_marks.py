"""Marks in the figure of a chapter's claims, and a column of its verdicts, for the runs made here."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.records import own_runs
from benchbook.book.records.own_runs import Number, Own
from benchbook.figures import theme
from benchbook.figures.numbers import with_interval
from benchbook.model import Estimate

HEAD = "On this machine"
COLOUR, _SYMBOL = theme.COLOURS["purple"], "triangle-down-open"
"""That of no verdict."""
_BELOW = {"angle": 180, "standoff": 9}
"""Turned round, and so many pixels below its row, so that a mark hides nothing that is published."""
_CUT = " Intervals that reach beyond the axis are in full in the table of verdicts."
_BESIDE = 0.04
"""Room beside the outermost mark, as a share of the axis."""


def of_chapter(root: Path | None, chapter: str) -> Own | None:
    """The run made here that stands beside a chapter's published one; None where there is none, and without a root."""
    shown, owns = own_runs.read(root) if root else ("edition", [])
    return next((own for own in owns if shown == "published" and own.published and own.chapter == chapter), None)


def column(root: Path | None, records: Sequence[Mapping[str, Any]]) -> dict[str, list[nodes.Node]]:
    """Claim to its cell under HEAD: number, interval, blocks, and how it lies to the published one; {} without a run.

    records: of the verdicts of one chapter; a claim without a number here has an empty cell.
    """
    chapter = records[0]["chapter"] if records else ""
    own = of_chapter(root, chapter)
    if own is None:
        return {}
    cells: dict[str, list[nodes.Node]] = {record["claim_id"]: [] for record in records}
    for number in own.numbers:
        if number.here is not None and number.claim_id in cells:
            cells[number.claim_id] = _cell(number, number.here)
    return cells


def _cell(number: Number, here: Estimate) -> list[nodes.Node]:
    parts = [nodes.paragraph("", own_runs.said(here), classes=["benchbook-here"])]
    if number.state is not None:
        parts.append(nodes.paragraph("", f"{here.n} blocks; {number.state}", classes=["benchbook-aside"]))
    if number.verdict_here:
        parts.append(nodes.paragraph("", number.verdict_here))
    return [*parts]


def over(figure: Mapping[str, Any], own: Own | None) -> tuple[dict[str, Any], str, list[nodes.Node]]:
    """The drawing of a figure of claims with a further mark for each number made here.

    figure: its record. Also the marks in words, for who cannot see them, and a line below the figure that names their
    run. Without such a run, and of a figure that shows no claims, the drawing alone.
    """
    plot: dict[str, Any] = dict(figure["plot"])
    claims: Mapping[str, str] = (plot.get("layout", {}).get("meta") or {}).get("claims", {})
    found = [(claims[each.claim_id], each.here) for each in own.numbers if each.claim_id in claims] if own else []
    marks = [(label, number) for label, number in found if number and number.low > 0]  # the axis is logarithmic
    if not marks or own is None:
        return plot, "", []
    points = [number.point for _, number in marks]
    lows, highs = ([e.point if e.bare else getattr(e, end) for _, e in marks] for end in ("low", "high"))
    trace = {
        "type": "scatter",
        "mode": "markers",
        "name": HEAD.lower(),
        "x": points,
        "y": [label for label, _ in marks],
        "marker": {"color": COLOUR, "symbol": _SYMBOL, "size": 10, "line": {"width": 2}} | _BELOW,
        "error_x": theme.error_bars(points, lows, highs) | {"color": COLOUR, "thickness": 1},
    }
    ends = [*_ends(plot["data"]), *points]
    # Without what three blocks' intervals may span: powers of ten, beside which all points would be one.
    first, last = math.log10(min(ends)), math.log10(max(ends))
    aside = _BESIDE * (last - first)
    axis = plot["layout"].get("xaxis", {}) | theme.ticks(ends) | {"range": [first - aside, last + aside]}
    words = "; ".join(f"{label.partition(':')[0]} {with_interval(number)}" for label, number in marks)
    line = nodes.paragraph("", f"{HEAD}: the open marks are of the run ", classes=["benchbook-aside"])
    cut = _CUT if min(lows) < min(ends) or max(highs) > max(ends) else ""
    line += [nodes.literal("", own.run_id), nodes.Text(f" ({own.profile} profile, {own.blocks} blocks).{cut}")]
    return {"data": [*plot["data"], trace], "layout": plot["layout"] | {"xaxis": axis}}, f"{HEAD}: {words}.", [line]


def _ends(traces: Sequence[Mapping[str, Any]]) -> list[float]:
    """All that is drawn along the horizontal axis, intervals' ends among it; above 0."""
    found = []
    for trace in traces:
        points, bars = [*trace["x"]], trace.get("error_x") or {}
        found += points
        found += [x + long for x, long in zip(points, bars.get("array", []), strict=False)]
        found += [x - long for x, long in zip(points, bars.get("arrayminus", []), strict=False)]
    return [float(x) for x in found if x is not None and x > 0]
