"""The figures: coverage of the book's intervals and of the tempting wrong ones, false verdicts, power, and visits.

Most are small plots of shares, each behind a table with a row for each share. Their words stand in the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product

from benchbook.chapters.calibration import catalogue, verdicts
from benchbook.chapters.calibration.arms import LABELS, cell_name
from benchbook.chapters.calibration.catalogue import Tried
from benchbook.chapters.calibration.panels import Panel, plots, tabulated
from benchbook.chapters.calibration.shares import Summary, covered, in_percent, ranges
from benchbook.chapters.calibration.simulation.luck import BLOCKS, MEANS, WIDER
from benchbook.chapters.calibration.verdicts import FOUND
from benchbook.drawing.drawn import Drawn
from benchbook.model import Outcome

ONE_SIDE = 2.5
"""In %: how often a 95 % interval lies wholly on one side of the truth."""
BETWEEN, MACHINE = "spread between visits", "kind of machine"
"""Cells of which there are so many runs below a figure."""
SHOWN = {
    "1x10": "1 visit of 10 blocks", "2x4": "2 visits of 4", "8_2": "2 visits, of 8 and 2", "4x3": "4 visits of 3",
    "6x2": "6 visits of 2", "looks": "2 to 6 visits of 4, until decided",
}  # fmt: skip
"""Ways of visiting and looking that a figure shows, by their names there; the others are in its table."""


def coverage(tried: Sequence[Tried], summary: Summary) -> Drawn:
    """How often intervals covered, a small plot for each, one line per family."""
    panels = []
    for each in tried:
        low, high = each.target
        panels.append(Panel(each.label, (100 * low, 100 * high), 100 * each.nominal))
        for family, n, cell in summary.places(each.name):
            panels[-1].add(family, n, summary.coverage(each.name, cell))
    return plots(panels, covered(summary, tried), ranges=ranges(summary, tried))


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


def visits(summary: Summary) -> Drawn:
    """Untrue verdicts on the edge of a claim, at worst, and decided ones off it, by way of visiting and edge."""
    p, rows = summary.parameters, []
    panels = []
    for what, move in product(("untrue", FOUND), sorted(p.visit_moves)):
        words = "untrue on the edge" if what == "untrue" else "decided, 0.10 from the edge"
        panels.append(
            Panel(f"{words}, visits move by {100 * move:g} %", promise=ONE_SIDE if what == "untrue" else None)
        )
        for (way, name), edge in product(verdicts.VISITS.items(), sorted(p.edge_ratios)):
            only = {"moves": [move], "edges": [edge]}
            worst = verdicts.untrue(summary, strategies=[way], **only) if what == "untrue" else None
            share = worst.share if worst else verdicts.found(summary, way, **only)
            row = {"what": words, "visits move by (%)": 100 * move, "visits": name, "edge": edge} | in_percent(share)
            rows.append(row | {"where": worst.where.words if worst else "mean over all machines"})
            if way in SHOWN:
                panels[-1].add(SHOWN[way], edge, share)
    return plots(
        panels, rows, x_title="ratio at the edge of the claim", y_title="runs (%)", lowest=0.0, hover="edge",
        origin=summary.origin(MACHINE),
    )  # fmt: skip


def luck(summary: Summary) -> Drawn:
    """Coverage, also where visits agree by luck, and alarms of the A/A gate, by what is taken for the replicate."""
    ways = {MEANS: "means of visits", BLOCKS: "blocks", WIDER: "the wider of both"}
    panels = {
        "covered": Panel("intervals that hold the truth", promise=95.0),
        "alarms": Panel("false alarms of the A/A gate", promise=1.0),
    }
    rows, shown = [], verdicts.luck_design(summary)
    for design, (way, name), sd in product(summary.designs, ways.items(), sorted(summary.parameters.visit_sds)):
        for (count, panel), what in zip(panels.items(), ("covers", "A/A alarm"), strict=True):
            share = verdicts.luck(summary, sd, design, f"{way}_{count}")
            place = {"design": design.words, "replicates": name, "visits differ by (%)": 100 * sd, "what": what}
            rows.append(place | in_percent(share))
            if design == shown:
                panel.add(name, 100 * sd, share)
    return plots(
        [*panels.values()], rows, x_title=f"{BETWEEN} (%)", y_title="runs (%)", hover="spread",
        origin=summary.origin(BETWEEN),
    )  # fmt: skip


FIGURES = {
    "effects": partial(coverage, catalogue.EFFECTS),
    "estimates": partial(coverage, catalogue.ESTIMATES),
    "one_arm_stalls": partial(coverage, catalogue.ALONE),
    "wrong_ways": partial(coverage, catalogue.WRONG),
    "false_verdicts": false_verdicts,
    "visits": visits,
    "luck": luck,
    "power": power,
}
