"""Figures of coverage, widths, false verdicts and power: the book's intervals, and the tempting wrong ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.calibration import catalogue, moving_figures, several_figures
from benchbook.experiments.calibration.arms import LABELS, cell_name
from benchbook.experiments.calibration.catalogue import SMALLEST, Tried
from benchbook.experiments.calibration.moving import WORDS
from benchbook.experiments.calibration.panels import Panel, figure
from benchbook.experiments.calibration.simulation.wrong_ways import BOOTSTRAPPED
from benchbook.experiments.calibration.summary import Summary, covered, in_percent
from benchbook.experiments.shape.marks import COLOURS
from benchbook.figures import Figure, theme
from benchbook.model import Estimate

EFFECTS = "fig-calibration-effects"
LIMIT = 5.0
"""At most so many per cent of the verdicts on A/A data may be false."""
_BAND = "The dotted line is the nominal coverage, the shaded band the target"


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How often intervals covered, one small plot for each of them, one line per family.

    caption: with {p} for the parameters, {slow:,} simulated runs of what draws its own resamples, and {band}.
    """

    id: str
    title: str
    tried: Sequence[Tried]
    caption: str
    lines: str = "family"

    def __call__(self, summary: Summary) -> Figure:
        """The figure of a summary's run."""
        p, data = summary.parameters, covered(summary, self.tried)
        enough = data[data["n"] >= SMALLEST]
        # a run of fewer than six blocks alone has nothing from six blocks up to speak of
        spoken, from_n = (enough, f"from {SMALLEST} blocks up") if len(enough) else (data, "over all sizes")
        ranges = "; ".join(
            f"{label} {part['coverage (%)'].min():.1f} to {part['coverage (%)'].max():.1f} %"
            for label, part in spoken.groupby("interval", sort=False)
        )
        slow = p.blocks * min(p.slow_repetitions, p.repetitions)
        return figure(
            summary, self.id, self.title, [_panel(summary, each) for each in self.tried], data,
            caption=self.caption.format(p=p, slow=slow, band=_BAND),
            alt=f"{len(self.tried)} small plots of coverage against the number of blocks, one line per {self.lines}. "
            f"Lowest and highest coverage {from_n}: {ranges}.",
        )  # fmt: skip


effects = Coverage(
    id=EFFECTS, title="Coverage of comparisons", tried=catalogue.EFFECTS,
    caption="Coverage of the intervals that compare configurations, by number of blocks and family: how often the "
    "interval contained the true value. {band}: 93–97 % of a 95 % interval, 88–92 % of the 90 % one.",
)  # fmt: skip
estimates = Coverage(
    id="fig-calibration-estimates", title="Coverage of estimates of one configuration", tried=catalogue.ESTIMATES,
    caption="Coverage of the intervals for a single configuration, by number of blocks and family; the median has none "
    "below six blocks. {band}.",
)  # fmt: skip
shapes = Coverage(
    id="fig-calibration-shapes", title="Coverage of dips and cliffs", tried=catalogue.SHAPES,
    caption="Coverage of the shape intervals, by number of blocks and family: a dip at the middle of three settings, "
    "and a drop of {p.cliff_percent:g} % among {p.settings} settings, or none. {band}. The cliff's points have "
    "{slow:,} simulated runs each, because it draws its own resamples.",
)  # fmt: skip
wrong_ways = Coverage(
    id="fig-calibration-wrong-ways", title="Coverage of tempting wrong intervals", tried=catalogue.WRONG,
    caption="Coverage of tempting wrong intervals on the same simulated runs, by number of blocks and family. "
    f"{{band}}. The bootstraps use one in {BOOTSTRAPPED} of the runs.",
)  # fmt: skip
one_arm_stalls = Coverage(
    id="fig-calibration-one-arm-stalls", title="Coverage if one arm stalls", tried=catalogue.ALONE, lines="spread",
    caption="Coverage of three intervals of a ratio if one arm stalls in a tenth of its trials and the other never "
    "does, by number of blocks and spread between trials. Two are of the mean, the last is of the median. {band}.",
)  # fmt: skip


def _panel(summary: Summary, tried: Tried, only: str = "") -> Panel:
    """An interval's coverage by n, one line per family. only: name of the line, where there is but one."""
    curves: dict[str, dict[float, Estimate]] = {}
    for family, n, cell in sorted(summary.places(tried.name), key=lambda place: place[1]):
        curves.setdefault(only or family, {})[n] = summary.coverage(tried.name, cell)
    order = dict.fromkeys(only or family for family, _, _ in summary.places(tried.name))
    low, high = tried.target
    return Panel(tried.label, {name: curves[name] for name in order}, (100 * low, 100 * high), 100 * tried.nominal)


def within(summary: Summary) -> Figure:
    """Coverage of what is shown under the words "within this trial"."""
    p = summary.parameters
    tried = (*catalogue.WITHIN, *catalogue.WRONG_WITHIN)
    data = covered(summary, tried)
    shown = data[data["interval"] == catalogue.ALL["stationary"].label]
    said = "; ".join(f"{n} s {c:.1f} %" for n, c in zip(shown["n"], shown["coverage (%)"], strict=True))
    return figure(
        summary, "fig-calibration-within", "Coverage of intervals within one trial",
        [_panel(summary, each, "one trial") for each in tried], data, x_title="seconds in the trial",
        caption="Coverage of intervals from a single trial, by its length in seconds: the share of "
        f"{p.page_requests:,} page requests by Wilson's interval; the mean of seconds with a correlation of "
        f"{p.autocorrelation:g}, by the stationary bootstrap ({p.blocks * p.slow_repetitions:,} simulated trials a "
        f"point) and, wrongly, as if they were independent. {_BAND}.",
        alt=f"Three small plots of coverage against the seconds of one trial. Stationary bootstrap: {said}.",
    )  # fmt: skip


def widths(summary: Summary) -> Figure:
    """How far the intervals reach from their point, against the number of blocks."""
    p, family, sizes = summary.parameters, summary.shown_family, sorted(summary.parameters.sizes)
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
    return Figure(
        "fig-calibration-widths",
        f"How precise a run can be: mean half-width of the 95 % intervals against the number of blocks, both axes "
        f"logarithmic; family {LABELS[family]}, with spreads of {p.between_block_sd:.1%} between blocks and "
        f"{p.between_trial_sd:.1%} between trials.",
        f"Five falling lines. The ratio within blocks has a mean half-width of: {first}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
        title="How precise a run can be",
    )


def false_verdicts(summary: Summary) -> Figure:
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
    return figure(
        summary, "fig-calibration-false-verdicts", "False verdicts where there is no effect", panels, data,
        y_title="false (%)", lowest=-0.2,
        caption="False verdicts where there is no effect: share of simulated runs of two identical configurations "
        "(A/A) in which a claimed effect is called reproduced or direction only, no difference contradicted, or a "
        f"setting said to help or harm. Dotted: the limit of {LIMIT:g} %. The highest share is {said}.",
        alt=f"{len(panels)} small plots, one per rule, of the share of false verdicts against the number of blocks, "
        f"one line per family. The highest share is {said}.",
    )  # fmt: skip


def power(summary: Summary) -> Figure:
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
    return figure(
        summary, "fig-calibration-power", "Power to find a planted effect",
        [Panel(titles[what], found, promise=80.0) for what, found in curves.items()], pd.DataFrame(rows),
        y_title="found (%)", lowest=-1.0,
        caption="Power to find a planted effect: share of simulated runs that find it in the P99, by number of blocks. "
        "Left, the 95 % interval lies above 1; right, a claim of more than 5 % is reproduced, which an effect of 5 % "
        f"must not cause. Dotted: 80 %. Family {LABELS[summary.shown_family]}, others in the table; trials spread by "
        f"{p.between_trial_sd:.1%}.",
        alt=f"Two plots with rising lines, one per planted effect. Share of intervals above 1 with "
        f"{summary.shown_size} blocks: {said}.",
    )  # fmt: skip


FIGURES = {
    "effects": effects,
    "estimates": estimates,
    "one_arm_stalls": one_arm_stalls,
    "shapes": shapes,
    "within": within,
    "wrong_ways": wrong_ways,
    "false_verdicts": false_verdicts,
    "moving_false": moving_figures.moving_false,
    "moving_power": moving_figures.moving_power,
    "states_met": several_figures.states_met,
    "luck": several_figures.luck,
    "hosts": several_figures.hosts,
    "power": power,
    "widths": widths,
}
