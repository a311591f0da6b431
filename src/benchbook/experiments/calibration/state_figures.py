"""Figures of verdicts on machines that move: how often each rule is wrong, and how much it decides."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments.calibration import rulings, standing
from benchbook.experiments.calibration.machine import SENSITIVITIES, STATES
from benchbook.experiments.calibration.panels import Curve, Panel, draw, estimates_of
from benchbook.experiments.calibration.ruled import DECIDED, FALSE_OWN, FALSE_QUIET, Case, cases, share, worst
from benchbook.experiments.calibration.summary import Summary
from benchbook.experiments.calibration.verdict_figures import WORDS
from benchbook.experiments.marks import COLOURS, bars
from benchbook.experiments.sentences import source
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

FALSE, POWER = "fig-calibration-moving-false", "fig-calibration-moving-power"
RULES = {
    "none": "interval alone",
    "earlier": "earlier rule",
    "new": "new rule, one session",
    "sessions": "new rule, four sessions",
}
"""What figures call the rules that they show."""
VARIANTS = {
    "new_ends": "new rule, one session, canary read beside blocks",
    "sessions_ends": "new rule, four sessions, canary read beside blocks",
    "sessions_median": "new rule, four sessions, level of the canary by its median",
}
"""What tables call the others."""
KINDS = {"level": "level of one configuration", "shape": "dip or hump", "dispersion": "spread of the trials"}


def moving_false(summary: Summary) -> Figure:
    """False verdicts about the quiet machine, by state and rule: on average and in the worst case."""
    states = summary.parameters.states
    tried: dict[str, list[Case]] = {state: cases(summary, states=[state]) for state in states}
    mean = {rule: {s: share(summary, rule, FALSE_QUIET, each) for s, each in tried.items()} for rule in RULES}
    far = {rule: {s: worst(summary, rule, FALSE_QUIET, each)[1] for s, each in tried.items()} for rule in RULES}
    titles = ("all claims and true ratios", "the worst of them")
    plot = make_subplots(1, 2, shared_yaxes=True, subplot_titles=titles, horizontal_spacing=0.06)
    for column, marks in ((1, mean), (2, far)):
        for place, rule in enumerate(RULES):
            _add(plot, place, RULES[rule], marks[rule], column)
    plot.update_yaxes(
        tickvals=list(range(len(states))), ticktext=[STATES[s] for s in states], range=[len(states) - 0.5, -0.5]
    )
    plot.update_xaxes(title="false (%)")
    for column, marks in ((1, mean), (2, far)):
        most = max(100 * e.high for each in marks.values() for e in each.values())
        plot.update_xaxes(range=[-0.03 * most, 1.05 * most], row=1, col=column)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=200 + 60 * len(states), margin={"t": 50, "b": 110})
    data = pd.DataFrame([_row(summary, state, rule) for state in states for rule in (*RULES, *VARIANTS)])
    highest = {rule: max(far[rule].values(), key=lambda e: e.point) for rule in RULES}
    said = "; ".join(f"{RULES[rule]} {100 * e.point:.1f} %" for rule, e in highest.items())
    return Figure(
        FALSE,
        "Verdicts that are untrue of the quiet machine, by what the simulated machine does: share of the runs, left "
        "over all claims, true ratios and sensitivities of the arms, right in the worst combination of them. "
        f"{_origin(summary)}",
        f"Two plots of points, one row per state of the machine, four points per row for four rules. Highest share in "
        f"the worst combination: {said}.",
        plot,
        data,
        summary.run.id,
        interval=interval_name([e for marks in (mean, far) for each in marks.values() for e in each.values()]),
    )


def moving_power(summary: Summary) -> Figure:
    """How often each rule decides, by the true ratio."""
    ratios = sorted(summary.parameters.state_ratios)
    panels, rows = [], []
    for claim in rulings.COMPARISONS:
        curves = []
        for rule, name in (RULES | VARIANTS).items():
            points = [(r, share(summary, rule, DECIDED, cases(summary, claims=[claim], ratios=[r]))) for r in ratios]
            rows += [{"claim": WORDS[claim], "rule": name, "true ratio": r, **_shares(e)} for r, e in points]
            if rule in RULES:
                curves.append(Curve(name, tuple(points)))
        panels.append(Panel(WORDS[claim], tuple(curves)))
    lowest = [
        Curve(name, tuple((r, _least(summary, rule, r)) for r in ratios)) for rule, name in RULES.items()
    ]  # fmt: skip
    panels.insert(1, Panel("“greater than 1” where least is decided", tuple(lowest)))
    last = {
        RULES[rule]: share(summary, rule, DECIDED, cases(summary, claims=["greater"], ratios=[ratios[-1]]))
        for rule in RULES
    }
    said = ", ".join(f"{name} {100 * e.point:.0f} %" for name, e in last.items())
    return Figure(
        POWER,
        "Decided claims by the true ratio of two arms, averaged over all simulated states of the machine and "
        f"sensitivities of the arms, and (second plot) where fewest are decided. {_origin(summary)}",
        f"Four small plots of the share of decided claims against the true ratio, one line per rule. Decided at a true "
        f"ratio of {ratios[-1]:g} for a claim of more: {said}.",
        draw(panels, x_title="true ratio", y_title="decided (%)", lowest=0.0, hover="true ratio"),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(estimates_of(panels)),
    )


def ruled_standing(summary: Summary) -> pd.DataFrame:
    """Levels, shapes and spreads of trials: decided and false verdicts by rule, in %, over all states and arms."""
    rows = []
    for kind, name in KINDS.items():
        for rule in standing.RULES:
            tried = cases(summary, claims=[kind])
            case, e = worst(summary, rule, FALSE_QUIET, tried)
            rows.append(
                {
                    "claim on": name,
                    "rule": RULES[rule] if rule != "new" else "new rule, two sessions agree",
                    "decided (%)": _percent(share(summary, rule, DECIDED, tried)),
                    "false of the run (%)": _percent(share(summary, rule, FALSE_OWN, tried)),
                    "false of the quiet machine (%)": _percent(share(summary, rule, FALSE_QUIET, tried)),
                    "at worst (%)": _percent(e),
                    "where": STATES[case.state],
                }
            )
    return pd.DataFrame(rows).set_index(["claim on", "rule"])


def described(case: Case) -> str:
    """A case in words."""
    base, changed = SENSITIVITIES[case.arms]
    arms = "" if case.state == "quiet" else f", arms that feel {base:g} and {changed:g} of it"
    return f"machine “{STATES[case.state]}”{arms}, claim {WORDS[case.claim]}, true ratio {case.true_ratio:g}"


def _row(summary: Summary, state: str, rule: str) -> Mapping[str, object]:
    tried = cases(summary, states=[state])
    case, far = worst(summary, rule, FALSE_QUIET, tried)
    return {
        "machine": STATES[state], "rule": (RULES | VARIANTS)[rule],
        **{f"false of the quiet machine: {key}": value for key, value in _shares(
            share(summary, rule, FALSE_QUIET, tried)).items()},
        "false of the run's own state (%)": 100 * share(summary, rule, FALSE_OWN, tried).point,
        "decided (%)": 100 * share(summary, rule, DECIDED, tried).point,
        "at worst (%)": 100 * far.point, "at worst, low (%)": 100 * far.low, "at worst, high (%)": 100 * far.high,
        "worst case": described(case),
    }  # fmt: skip


def _least(summary: Summary, rule: str, true_ratio: float) -> Estimate:
    return worst(summary, rule, DECIDED, cases(summary, claims=["greater"], ratios=[true_ratio]), most=False)[1]


def _shares(estimate: Estimate) -> dict[str, object]:
    return {
        "share (%)": 100 * estimate.point, "low (%)": 100 * estimate.low, "high (%)": 100 * estimate.high,
        "simulated runs": estimate.n,
    }  # fmt: skip


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)


def _add(plot: go.Figure, place: int, name: str, marks: Mapping[str, Estimate], column: int) -> None:
    plot.add_scatter(
        x=[100 * e.point for e in marks.values()],
        y=[row + (place - 1.5) * 0.18 for row in range(len(marks))],
        mode="markers", name=name, legendgroup=name, showlegend=column == 1,
        marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 8},
        error_x=bars(marks.values(), 100.0),
        customdata=[STATES[state] for state in marks],
        hovertemplate="%{customdata}: %{x:.2f} %<extra>%{fullData.name}</extra>",
        row=1, col=column,
    )  # fmt: skip


def _origin(summary: Summary) -> str:
    p = summary.parameters
    return f"{p.blocks * p.state_repetitions:,} simulated runs of each state and pair of arms; bars: 95 % Wilson " + (
        f"intervals of the simulation; {source(summary.run)}."
    )
