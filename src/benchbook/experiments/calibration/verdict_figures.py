"""Figures of verdicts: how often they are false on A/A data, and how often a planted effect is found."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.calibration import decisions
from benchbook.experiments.calibration.cells import LABELS, cell_name
from benchbook.experiments.calibration.panels import Curve, Panel, draw, estimates_of
from benchbook.experiments.calibration.summary import Summary
from benchbook.figures import Figure, interval_name
from benchbook.model import Estimate, Outcome

FALSE, POWER = "fig-calibration-false-verdicts", "fig-calibration-power"
WORDS = {
    "greater": "“greater than 1”, margin 5 %",
    "less": "“less than 1”, margin 5 %",
    "inside": "“1.29”, region 1.03 to 1.61",
    "no_difference": "“no difference”, margin 5 %",
}
LIMIT = 5.0
"""At most so many per cent of the verdicts on A/A data may be false."""
_Row = dict[str, object]


def false_verdicts(summary: Summary) -> Figure:
    """False verdicts on A/A data, by rule, family and number of blocks."""
    rows: list[_Row] = []
    panels = []
    for rule, title in WORDS.items():
        curves = []
        for family in summary.parameters.families:
            points = []
            for n in sorted(summary.parameters.sizes):
                estimate = summary.false_verdicts(rule, cell_name(family, n))
                if estimate is not None:
                    points.append((n, estimate))
                    rows.append({"claim": title, "family": LABELS[family], "blocks": n, **_shares(estimate)})
            curves.append(Curve(LABELS[family], tuple(points)))
        panels.append(Panel(title, tuple(curves), promise=LIMIT))
    data = pd.DataFrame(rows)
    worst = data.sort_values("share (%)").to_dict("records")[-1]
    said = f"{worst['share (%)']:.2f} % ({worst['claim']}, {worst['family']}, {worst['blocks']} blocks)"
    return Figure(
        FALSE,
        "False verdicts where there is nothing to find: share of simulated runs, both configurations being the same "
        "(A/A), in which a claim gets a verdict that is untrue. False are: reproduced and direction only for a claimed "
        f"effect, contradicted for a claim of no difference. The dotted line is the limit of {LIMIT:g} %. The highest "
        f"share is {said}. {_origin(summary)}",
        f"Four small plots, one per rule, of the share of false verdicts against the number of blocks, one line per "
        f"family. The highest share is {said}.",
        draw(panels, x_title="blocks", y_title="false (%)", lowest=-0.2),
        data,
        summary.run.id,
        interval=interval_name(estimates_of(panels)),
    )


def power(summary: Summary) -> Figure:
    """How often a planted effect is found, and how often it decides a claim with a margin."""
    p = summary.parameters
    rows: list[_Row] = []
    found: dict[str, list[Curve]] = {"interval": [], "claim": []}
    for true_ratio in p.effects[1:]:
        name = f"{100 * (true_ratio - 1):g} % more"
        for kind, curves in found.items():
            points: list[tuple[int, Estimate]] = []
            for family in p.families:
                for n in sorted(p.sizes):
                    estimate = _power(summary, kind, cell_name(family, n), true_ratio)
                    if estimate is None:
                        continue
                    rows.append(
                        {"what": kind, "true effect": name, "family": LABELS[family], "blocks": n, **_shares(estimate)}
                    )
                    if family == summary.shown_family:
                        points.append((n, estimate))
            curves.append(Curve(name, tuple(points)))
    panels = (
        Panel("the interval lies above 1", tuple(found["interval"]), promise=80.0),
        Panel("“greater than 1”, margin 5 %: reproduced", tuple(found["claim"]), promise=80.0),
    )
    n = summary.shown_size
    at = [summary.excluded(cell_name(summary.shown_family, n), true_ratio) for true_ratio in p.effects[1:]]
    said = ", ".join(
        f"{100 * (ratio - 1):g} %: {100 * e.point:.0f} %" for ratio, e in zip(p.effects[1:], at, strict=True) if e
    )
    return Figure(
        POWER,
        "Power to find a planted effect: share of simulated runs that find it in the P99, by number of blocks. Left, "
        "the 95 % interval lies above 1; right, a claim of an effect of more than 5 % comes out reproduced, which an "
        "effect of 5 % or less must not be. The dotted line is at 80 %. Family "
        f"{LABELS[summary.shown_family]}; the others are in the table. Spread between trials {p.between_trial_sd:.1%}. "
        f"{_origin(summary)}",
        f"Two plots with rising lines, one per planted effect. Share of intervals above 1 with {n} blocks: {said}.",
        draw(panels, x_title="blocks", y_title="found (%)", lowest=-1.0),
        pd.DataFrame(rows),
        summary.run.id,
        interval=interval_name(estimates_of(panels)),
    )


def _power(summary: Summary, kind: str, cell: str, true_ratio: float) -> Estimate | None:
    if kind == "interval":
        return summary.excluded(cell, true_ratio)
    return summary.verdicts("greater", cell, Outcome.REPRODUCED, true_ratio)


def outcomes(summary: Summary) -> pd.DataFrame:
    """Share of each verdict by claim and true effect, family shown, with the default number of blocks."""
    cell = cell_name(summary.shown_family, summary.shown_size)
    rows = []
    for rule, title in WORDS.items():
        for true_ratio in summary.parameters.effects:
            row: _Row = {"claim": title, "true ratio": f"{true_ratio:g}"}
            for outcome in decisions.OUTCOMES:
                estimate = summary.verdicts(rule, cell, outcome, true_ratio)
                row[f"{outcome} (%)"] = None if estimate is None else round(100 * estimate.point, 1)
            wrong = summary.false_verdicts(rule, cell, true_ratio)
            row["false (%)"] = None if wrong is None else round(100 * wrong.point, 1)
            rows.append(row)
    return pd.DataFrame(rows).set_index(["claim", "true ratio"])


def _shares(estimate: Estimate) -> _Row:
    return {
        "share (%)": 100 * estimate.point, "low (%)": 100 * estimate.low, "high (%)": 100 * estimate.high,
        "simulated runs": estimate.n,
    }  # fmt: skip


def _origin(summary: Summary) -> str:
    origin = summary.origin()
    return f"{origin[0].upper()}{origin[1:]}."
