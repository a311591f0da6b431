"""Figures of verdicts on machines that move: how often each rule is wrong, and how much it decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments.calibration.arms import STATES
from benchbook.experiments.calibration.moving import (
    DECIDED,
    FALSE_OWN,
    FALSE_QUIET,
    RULES,
    VARIANTS,
    WORDS,
    cases,
    share,
    worst,
)
from benchbook.experiments.calibration.panels import Panel, drawn
from benchbook.experiments.calibration.simulation import rulings
from benchbook.experiments.calibration.summary import Summary, in_percent
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, bars
from benchbook.figures import theme
from benchbook.model import Estimate

HELD = {FALSE_OWN: "the machine as it was", FALSE_QUIET: "the quiet machine"}
"""What verdicts are held against."""


def moving_false(summary: Summary) -> Drawn:
    """Verdicts that are untrue of the machine as it was, and of the quiet machine, by state and rule, at worst."""
    tried = {state: cases(summary, states=[state]) for state in summary.parameters.states}
    far = {
        count: {rule: {s: worst(summary, rule, count, each)[1] for s, each in tried.items()} for rule in RULES}
        for count in HELD
    }
    plot = make_subplots(1, 2, shared_yaxes=True, subplot_titles=list(HELD.values()), horizontal_spacing=0.06)
    names = [STATES[state] for state in tried]
    plot.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.5, -0.5])
    plot.update_xaxes(title="untrue (%)")
    for column, marks in enumerate(far.values(), 1):
        for place, rule in enumerate(RULES):
            _add(plot, place, RULES[rule], marks[rule], column)
        most = max(100 * e.high for each in marks.values() for e in each.values())
        plot.update_xaxes(range=[-0.03 * most, 1.05 * most], row=1, col=column)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=200 + 60 * len(names), margin={"t": 50, "b": 110})
    highest = {rule: [max(100 * e.point for e in marks[rule].values()) for marks in far.values()] for rule in RULES}
    said = "; ".join(f"{RULES[rule]} {own:.1f} and {quiet:.1f} %" for rule, (own, quiet) in highest.items())
    data = pd.DataFrame([_row(summary, state, rule) for state in tried for rule in (*RULES, *VARIANTS)])
    estimates = [e for marks in far.values() for each in marks.values() for e in each.values()]
    return Drawn(plot, data, said, estimates, own={"n": len(RULES)}, origin=_origin(summary))


def moving_power(summary: Summary) -> Drawn:
    """How often each rule decides, by the true ratio."""
    ratios = sorted(summary.parameters.state_ratios)
    panels, rows = [], []
    for claim in rulings.COMPARISONS:
        points = {
            rule: {r: share(summary, rule, DECIDED, cases(summary, claims=[claim], ratios=[r])) for r in ratios}
            for rule in (*RULES, *VARIANTS)
        }
        for rule, name in (RULES | VARIANTS).items():
            place = {"claim": WORDS[claim], "rule": name}
            rows += [{**place, "true ratio": r, **in_percent(e)} for r, e in points[rule].items()]
        panels.append(Panel(WORDS[claim], {name: points[rule] for rule, name in RULES.items()}))
    greater = panels[0].curves
    least = {name: {r: _least(summary, rule, r) for r in ratios} for rule, name in RULES.items()}
    panels.insert(1, Panel("“greater than 1”, where the fewest are decided", least))
    said = ", ".join(f"{name} {100 * found[ratios[-1]].point:.0f} %" for name, found in greater.items())
    return drawn(
        panels, pd.DataFrame(rows), f"{ratios[-1]:g} for a claim of more: {said}",
        x_title="true ratio", y_title="decided (%)", lowest=0.0, hover="true ratio", origin=_origin(summary),
    )  # fmt: skip


def _row(summary: Summary, state: str, rule: str) -> Mapping[str, object]:
    tried = cases(summary, states=[state])
    case, far = worst(summary, rule, FALSE_QUIET, tried)
    false = in_percent(share(summary, rule, FALSE_QUIET, tried))
    return {
        "machine": STATES[state], "rule": (RULES | VARIANTS)[rule],
        **{f"false for the quiet machine: {name}": value for name, value in false.items()},
        "false for the run's own state (%)": 100 * share(summary, rule, FALSE_OWN, tried).point,
        "decided (%)": 100 * share(summary, rule, DECIDED, tried).point,
        "at worst for its own state (%)": 100 * worst(summary, rule, FALSE_OWN, tried)[1].point,
        "at worst (%)": 100 * far.point, "at worst, low (%)": 100 * far.low, "at worst, high (%)": 100 * far.high,
        "worst case": case.words,
    }  # fmt: skip


def _least(summary: Summary, rule: str, true_ratio: float) -> Estimate:
    return worst(summary, rule, DECIDED, cases(summary, claims=["greater"], ratios=[true_ratio]), most=False)[1]


def _add(plot: go.Figure, place: int, name: str, marks: Mapping[Any, Estimate], column: int) -> None:
    plot.add_scatter(
        x=[100 * e.point for e in marks.values()],
        y=[row + (place - (len(RULES) - 1) / 2) * 0.15 for row in range(len(marks))],
        mode="markers", name=name, legendgroup=name, showlegend=column == 1,
        marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 8},
        error_x=bars(marks.values(), 100.0),
        customdata=[STATES[state] for state in marks],
        hovertemplate="%{customdata}: %{x:.2f} %",
        row=1, col=column,
    )  # fmt: skip


def _origin(summary: Summary) -> str:
    return summary.origin(summary.parameters.state_repetitions, "state and pair of arms")
