"""The figures: coverage of the book's intervals and of the tempting wrong ones, false verdicts, power, and widths.

Most are small plots of shares, each behind a table with a row for each share. Their words stand in page.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook.experiments.calibration import catalogue, verdicts
from benchbook.experiments.calibration.arms import FEELING, LABELS, STATES, cell_name
from benchbook.experiments.calibration.catalogue import Tried
from benchbook.experiments.calibration.panels import Panel, plots, tabulated
from benchbook.experiments.calibration.shares import Summary, covered, in_percent, ranges
from benchbook.experiments.calibration.simulation import rulings
from benchbook.experiments.calibration.simulation.luck import BLOCKS, MEANS, SPLITS, WIDER
from benchbook.experiments.calibration.simulation.several import DATES, DAY, QUIET, STATES_MET
from benchbook.experiments.calibration.verdicts import DECIDED, FALSE_OWN, FALSE_QUIET, RULES, VARIANTS
from benchbook.experiments.shape.drawn import Drawn
from benchbook.experiments.shape.marks import COLOURS, bars
from benchbook.figures import theme
from benchbook.model import Estimate, Outcome

ONE_SIDE = 2.5
"""In %: how often a 95 % interval lies wholly on one side of the truth."""
HELD = {FALSE_OWN: "the machine as it was", FALSE_QUIET: "the quiet machine"}
"""What verdicts are held against."""
OF_STATES, BETWEEN = "state and pair of arms", "spread between sessions"
"""Cells of which there are so many runs below a figure."""


def coverage(tried: Sequence[Tried], summary: Summary, only: str = "", x_title: str = "blocks") -> Drawn:
    """How often intervals covered, a small plot for each, one line per family. only: name of the only line."""
    panels = []
    for each in tried:
        low, high = each.target
        panels.append(Panel(each.label, (100 * low, 100 * high), 100 * each.nominal))
        for family, n, cell in summary.places(each.name):
            panels[-1].add(only or family, n, summary.coverage(each.name, cell))
    return plots(panels, covered(summary, tried), x_title=x_title, ranges=ranges(summary, tried))


def widths(summary: Summary) -> Drawn:
    """How far the intervals reach from their point, against the number of blocks."""
    rows, plot, sizes = [], go.Figure(), sorted(summary.parameters.sizes)
    for place, name in enumerate(("ratio", "ratio_unblocked", "many_to_one", "geometric_mean", "median")):
        label = catalogue.ALL[name].label
        logs = {n: summary.metrics[cell_name(summary.shown_family, n)].get(f"{name}_width") for n in sizes}
        found = {n: 100 * math.expm1(width / 2) for n, width in logs.items() if width is not None}
        rows += [{"interval": label, "blocks": n, "mean half-width (%)": half} for n, half in found.items()]
        plot.add_scatter(
            x=list(found), y=list(found.values()), mode="lines+markers", name=label,
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
    plot.update_xaxes(type="log", title="blocks", tickvals=sizes, ticktext=[str(n) for n in sizes])
    plot.update_yaxes(**theme.decades(), title="mean half-width (%)")
    first = [(row["blocks"], row["mean half-width (%)"]) for row in rows[: len(sizes)]]
    return Drawn(plot, pd.DataFrame(rows), said=first)


def false_verdicts(summary: Summary) -> Drawn:
    """False verdicts on A/A data, by rule, family and number of blocks."""
    p, panels = summary.parameters, []
    for rule, title in verdicts.CLAIMS.items():
        panels.append(Panel(title, promise=catalogue.LIMIT))
        for family, n in product(p.families, sorted(p.sizes)):
            panels[-1].add(LABELS[family], n, summary.false_verdicts(rule, cell_name(family, n)))
    return plots(panels, tabulated(panels, "claim", "family", "blocks"), y_title="false (%)", lowest=-0.2)


def power(summary: Summary) -> Drawn:
    """How often a planted effect is found, and how often it decides a claim with a margin."""
    p, rows = summary.parameters, []
    panels = {
        "interval": Panel("the interval lies above 1", promise=80.0),
        "claim": Panel("“greater than 1”, margin 5 %: holds", promise=80.0),
    }
    for ratio, (what, panel), family, n in product(p.effects[1:], panels.items(), p.families, sorted(p.sizes)):
        name, cell = f"{100 * (ratio - 1):g} % more", cell_name(family, n)
        above = what == "interval"
        share = summary.excluded(cell, ratio) if above else summary.verdicts("greater", cell, Outcome.REPRODUCED, ratio)
        rows.append({"what": what, "true effect": name, "family": LABELS[family], "blocks": n} | in_percent(share))
        if family == summary.shown_family:
            panel.add(name, n, share)
    return plots([*panels.values()], rows, y_title="found (%)", lowest=-1.0)


def moving_false(summary: Summary) -> Drawn:
    """Verdicts that are untrue of the machine as it was, and of the quiet machine, by state and rule, at worst."""
    states = summary.parameters.states
    far = {
        (count, rule): {s: verdicts.moving_worst(summary, rule, count, states=[s]).share for s in states}
        for count, rule in product(HELD, RULES)
    }
    plot = make_subplots(1, 2, shared_yaxes=True, subplot_titles=list(HELD.values()), horizontal_spacing=0.06)
    names = [STATES[state] for state in states]
    plot.update_yaxes(tickvals=list(range(len(names))), ticktext=names, range=[len(names) - 0.5, -0.5])
    plot.update_xaxes(title="untrue (%)")
    for column, count in enumerate(HELD, 1):
        for place, (rule, name) in enumerate(RULES.items()):
            marks = far[count, rule]
            plot.add_scatter(
                x=[100 * e.point for e in marks.values()],
                y=[row + (place - (len(RULES) - 1) / 2) * 0.15 for row in range(len(marks))],
                mode="markers", name=name, legendgroup=name, showlegend=column == 1,
                marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 8},
                error_x=bars(marks.values(), 100.0), customdata=names, hovertemplate="%{customdata}: %{x:.2f} %",
                row=1, col=column,
            )  # fmt: skip
        most = max(100 * e.high for rule in RULES for e in far[count, rule].values())
        plot.update_xaxes(range=[-0.03 * most, 1.05 * most], row=1, col=column)
    plot.update_annotations(font={"size": 12})
    theme.apply(plot)
    plot.update_layout(height=200 + 60 * len(names), margin={"t": 50, "b": 110})
    highest = {
        name: [max(e.point for e in far[count, rule].values()) for count in HELD] for rule, name in RULES.items()
    }
    data = pd.DataFrame([_row(summary, state, rule) for state, rule in product(states, RULES | VARIANTS)])
    estimates = [e for marks in far.values() for e in marks.values()]
    return Drawn(plot, data, estimates=estimates, said=highest, origin=summary.origin(OF_STATES))


def _row(summary: Summary, state: str, rule: str) -> Mapping[str, object]:
    def mean(count: str) -> Estimate:
        return verdicts.moving(summary, rule, count, states=[state])

    case, far = verdicts.moving_worst(summary, rule, FALSE_QUIET, states=[state])
    own = verdicts.moving_worst(summary, rule, FALSE_OWN, states=[state]).share
    return {
        "machine": STATES[state], "rule": (RULES | VARIANTS)[rule],
        **{f"false for the quiet machine: {name}": value for name, value in in_percent(mean(FALSE_QUIET)).items()},
        "false for the run's own state (%)": 100 * mean(FALSE_OWN).point, "decided (%)": 100 * mean(DECIDED).point,
        "at worst for its own state (%)": 100 * own.point, "at worst (%)": 100 * far.point,
        "at worst, low (%)": 100 * far.low, "at worst, high (%)": 100 * far.high, "worst case": case.words,
    }  # fmt: skip


def moving_power(summary: Summary) -> Drawn:
    """How often each rule decides, by the true ratio; and where the fewest are decided."""
    ratios, rows = sorted(summary.parameters.state_ratios), []
    panels = {claim: Panel(verdicts.CLAIMS[claim]) for claim in rulings.COMPARISONS}
    least = Panel("“greater than 1”, where the fewest are decided")
    for (claim, panel), (rule, name), ratio in product(panels.items(), (RULES | VARIANTS).items(), ratios):
        share = verdicts.moving(summary, rule, DECIDED, claims=[claim], ratios=[ratio])
        rows.append({"claim": panel.title, "rule": name, "true ratio": ratio} | in_percent(share))
        if rule in RULES:
            panel.add(name, ratio, share)
    for (rule, name), ratio in product(RULES.items(), ratios):
        fewest = verdicts.moving_worst(summary, rule, DECIDED, min, claims=["greater"], ratios=[ratio])
        least.add(name, ratio, fewest.share)
    first, *more = panels.values()
    return plots(
        [first, least, *more], rows, x_title="true ratio", y_title="decided (%)", lowest=0.0, hover="true ratio",
        origin=summary.origin(OF_STATES),
    )  # fmt: skip


def states_met(summary: Summary) -> Drawn:
    """Untrue verdicts of the present rule by how unequally two arms feel the machine, and what it decides."""
    asked = {
        "untrue of the states met, sessions independent": (DATES, STATES_MET, verdicts.others(summary, "follow")),
        "untrue of the states met, each session follows the last": (DAY, STATES_MET, verdicts.only(summary, "follow")),
        "untrue of the quiet machine": (DATES, QUIET, summary.parameters.states),
        "decided: no effect, where 14 % more is claimed": (DATES, "", summary.parameters.states),
    }
    panels = []
    for title, (rule, of, states) in ((title, each) for title, each in asked.items() if each[-1]):
        panels.append(Panel(title, promise=ONE_SIDE if of else None))
        for design, (arms, felt) in product(summary.designs, FEELING.items()):
            share = (
                verdicts.untrue(summary, [arms], rule, of, states, [design]).share if of
                else verdicts.decided(summary, arms, rule, verdicts.NOTHING, [design])
            )  # fmt: skip
            panels[-1].add(design.words, felt, share)
    return plots(
        panels, tabulated(panels, "what", "design", "feels"), origin=summary.origin(OF_STATES), hover="feels",
        x_title="share of the slowdown that the changed arm feels", y_title="runs (%)", lowest=0.0,
    )  # fmt: skip


def luck(summary: Summary) -> Drawn:
    """Coverage, also where sessions agree by luck, and alarms of the A/A gate, by what is taken for the replicate."""
    ways = {MEANS: "means of sessions", BLOCKS: "blocks", WIDER: "the wider of both"}
    panels = {
        "covered": Panel("intervals that hold the truth", promise=95.0),
        "alarms": Panel("false alarms of the A/A gate", promise=1.0),
    }
    rows, shown = [], verdicts.luck_design(summary)
    for design, (way, name), sd in product(summary.designs, ways.items(), sorted(summary.parameters.session_sds)):
        for (count, panel), what in zip(panels.items(), ("covers", "A/A alarm"), strict=True):
            share = verdicts.luck(summary, sd, design, f"{way}_{count}")
            place = {"design": design.words, "replicates": name, "sessions differ by (%)": 100 * sd, "what": what}
            rows.append(place | in_percent(share))
            if design == shown:
                panel.add(name, 100 * sd, share)
    return plots(
        [*panels.values()], rows, x_title=f"{BETWEEN} (%)", y_title="runs (%)", hover="spread",
        origin=summary.origin(BETWEEN),
    )  # fmt: skip


def hosts(summary: Summary) -> Drawn:
    """How often two kinds of hosts are told apart, with and without the F test, by how much sessions differ."""
    ways = {"apart": "intervals apart", "told": "intervals apart and F test"}
    p, panels = summary.parameters, []
    for ratio in p.host_ratios:
        same = Panel("no difference (false)", promise=5.0)
        panels.append(same if ratio == 1 else Panel(f"a true factor of {ratio:g}"))
        for split, (count, words), sd in product(SPLITS, ways.items(), sorted(p.session_sds)):
            name = f"{words}, {split[0]} + {split[1]} sessions"
            panels[-1].add(name, 100 * sd, verdicts.hosts(summary, sd, split, ratio, count))
    return plots(
        panels, tabulated(panels, "hosts", "rule", "sessions differ by (%)"), x_title=f"{BETWEEN} (%)",
        y_title="told apart (%)", lowest=0.0, hover="spread", origin=summary.origin(BETWEEN),
    )  # fmt: skip


FIGURES = {
    "effects": partial(coverage, catalogue.EFFECTS),
    "estimates": partial(coverage, catalogue.ESTIMATES),
    "one_arm_stalls": partial(coverage, catalogue.ALONE),
    "shapes": partial(coverage, catalogue.SHAPES),
    "within": partial(
        coverage, (*catalogue.WITHIN, *catalogue.WRONG_WITHIN), only="one trial", x_title="seconds in the trial"
    ),
    "wrong_ways": partial(coverage, catalogue.WRONG),
    "false_verdicts": false_verdicts,
    "moving_false": moving_false,
    "moving_power": moving_power,
    "states_met": states_met,
    "luck": luck,
    "hosts": hosts,
    "power": power,
    "widths": widths,
}
