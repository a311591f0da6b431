"""Figures of coverage, widths, false verdicts and power: the book's intervals, and the tempting wrong ones.

Their words stand in page.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.calibration import catalogue, moving_figures, several_figures
from benchbook.experiments.calibration.arms import LABELS, cell_name
from benchbook.experiments.calibration.catalogue import LIMIT, SMALLEST, Tried
from benchbook.experiments.calibration.moving import WORDS
from benchbook.experiments.calibration.panels import Panel, drawn
from benchbook.experiments.calibration.summary import Summary, covered, in_percent
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import theme
from benchbook.model import Estimate


def coverage(tried: Sequence[Tried], summary: Summary) -> Drawn:
    """How often intervals covered, one small plot for each of them, one line per family."""
    data = covered(summary, tried)
    enough = data[data["n"] >= SMALLEST]
    # a run of fewer than six blocks alone has nothing from six blocks up to speak of
    spoken, from_n = (enough, f"from {SMALLEST} blocks up") if len(enough) else (data, "over all sizes")
    ranges = "; ".join(
        f"{label} {part['coverage (%)'].min():.1f} to {part['coverage (%)'].max():.1f} %"
        for label, part in spoken.groupby("interval", sort=False)
    )
    return drawn([_panel(summary, each) for each in tried], data, f"{from_n}: {ranges}", n=len(tried))


def _panel(summary: Summary, tried: Tried, only: str = "") -> Panel:
    """An interval's coverage by n, one line per family. only: name of the line, where there is but one."""
    curves: dict[str, dict[float, Estimate]] = {}
    for family, n, cell in sorted(summary.places(tried.name), key=lambda place: place[1]):
        curves.setdefault(only or family, {})[n] = summary.coverage(tried.name, cell)
    order = dict.fromkeys(only or family for family, _, _ in summary.places(tried.name))
    low, high = tried.target
    return Panel(tried.label, {name: curves[name] for name in order}, (100 * low, 100 * high), 100 * tried.nominal)


def within(summary: Summary) -> Drawn:
    """Coverage of what is shown under the words "within this trial"."""
    tried = (*catalogue.WITHIN, *catalogue.WRONG_WITHIN)
    data = covered(summary, tried)
    shown = data[data["interval"] == catalogue.ALL["stationary"].label]
    said = "; ".join(f"{n} s {c:.1f} %" for n, c in zip(shown["n"], shown["coverage (%)"], strict=True))
    return drawn([_panel(summary, each, "one trial") for each in tried], data, said, x_title="seconds in the trial")


def widths(summary: Summary) -> Drawn:
    """How far the intervals reach from their point, against the number of blocks."""
    family, sizes = summary.shown_family, sorted(summary.parameters.sizes)
    rows = []
    plot = go.Figure()
    for place, name in enumerate(("ratio", "ratio_unblocked", "many_to_one", "geometric_mean", "median")):
        found = {n: summary.width(name, cell_name(family, n)) for n in sizes}
        halves = {n: 100 * math.expm1(width / 2) for n, width in found.items() if width is not None}
        label = catalogue.ALL[name].label
        rows += [{"interval": label, "blocks": n, "mean half-width (%)": half} for n, half in halves.items()]
        plot.add_scatter(
            x=list(halves), y=list(halves.values()), mode="lines+markers", name=label,
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
    plot.update_xaxes(type="log", title="blocks", tickvals=sizes, ticktext=[str(n) for n in sizes])
    plot.update_yaxes(**theme.decades(), title="mean half-width (%)")
    first = "; ".join(f"{r['blocks']} blocks {r['mean half-width (%)']:.2g} %" for r in rows[: len(sizes)])
    return Drawn(plot, pd.DataFrame(rows), first)


def false_verdicts(summary: Summary) -> Drawn:
    """False verdicts on A/A data, by rule, family and number of blocks."""
    rows, panels = [], []
    for rule, title in WORDS.items():
        curves = {}
        for family in summary.parameters.families:
            points = summary.by_size(family, partial(summary.false_verdicts, rule))
            rows += [{"claim": title, "family": LABELS[family], "blocks": n} | in_percent(e) for n, e in points.items()]
            curves[LABELS[family]] = points
        panels.append(Panel(title, curves, promise=LIMIT))
    data = pd.DataFrame(rows)
    worst = data.sort_values("share (%)").to_dict("records")[-1]
    said = f"{worst['share (%)']:.2f} % ({worst['claim']}, {worst['family']}, {worst['blocks']} blocks)"
    return drawn(panels, data, said, n=len(panels), y_title="false (%)", lowest=-0.2)


def power(summary: Summary) -> Drawn:
    """How often a planted effect is found, and how often it decides a claim with a margin."""
    p = summary.parameters
    asked = {"interval": summary.excluded, "claim": summary.reproduced}
    rows = []
    curves: dict[str, dict[str, dict[int, Estimate]]] = {what: {} for what in asked}
    for true_ratio in p.effects[1:]:
        name = f"{100 * (true_ratio - 1):g} % more"
        for what, ask in asked.items():
            for family in p.families:
                points = summary.by_size(family, partial(ask, true_ratio=true_ratio))
                place = {"what": what, "true effect": name, "family": LABELS[family]}
                rows += [place | {"blocks": n} | in_percent(e) for n, e in points.items()]
                if family == summary.shown_family:
                    curves[what][name] = points
    titles = {"interval": "the interval lies above 1", "claim": "“greater than 1”, margin 5 %: reproduced"}
    said = ", ".join(
        f"{100 * (ratio - 1):g} %: {100 * summary.excluded(summary.shown_cell, ratio).point:.0f} %"
        for ratio in p.effects[1:]
    )
    return drawn(
        [Panel(titles[what], found, promise=80.0) for what, found in curves.items()], pd.DataFrame(rows), said,
        y_title="found (%)", lowest=-1.0,
    )  # fmt: skip


FIGURES = {
    "effects": partial(coverage, catalogue.EFFECTS),
    "estimates": partial(coverage, catalogue.ESTIMATES),
    "one_arm_stalls": partial(coverage, catalogue.ALONE),
    "shapes": partial(coverage, catalogue.SHAPES),
    "within": within,
    "wrong_ways": partial(coverage, catalogue.WRONG),
    "false_verdicts": false_verdicts,
    "moving_false": moving_figures.moving_false,
    "moving_power": moving_figures.moving_power,
    "states_met": several_figures.states_met,
    "luck": several_figures.luck,
    "hosts": several_figures.hosts,
    "power": power,
    "widths": widths,
}
