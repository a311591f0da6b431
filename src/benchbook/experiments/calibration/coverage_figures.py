"""Figures of coverage: the book's intervals, the tempting wrong ones, the intervals within one trial, and widths."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from benchbook.experiments.calibration import catalogue
from benchbook.experiments.calibration.catalogue import SMALLEST, Tried
from benchbook.experiments.calibration.cells import LABELS, cell_name
from benchbook.experiments.calibration.panels import Curve, Panel, draw, estimates_of
from benchbook.experiments.calibration.summary import Summary, table
from benchbook.experiments.calibration.wrong_ways import BOOTSTRAPPED
from benchbook.experiments.marks import COLOURS
from benchbook.figures import Figure, interval_name, theme
from benchbook.model import Estimate

EFFECTS, ESTIMATES, SHAPES = "fig-calibration-effects", "fig-calibration-estimates", "fig-calibration-shapes"
ALONE = "fig-calibration-one-arm-stalls"
WRONG, WITHIN, WIDTHS = "fig-calibration-wrong-ways", "fig-calibration-within", "fig-calibration-widths"
_BAND = "The shaded band is the target, the dotted line the promise"


def effects(summary: Summary) -> Figure:
    """Coverage of every comparison of two or more configurations."""
    return _coverage(
        summary, EFFECTS, catalogue.EFFECTS,
        "Coverage of the intervals that compare configurations, by number of blocks and family: how often the "
        f"interval held the true value. {_BAND}: 93–97 % of a 95 % interval, 88–92 % of the 90 % one.",
    )  # fmt: skip


def estimates(summary: Summary) -> Figure:
    """Coverage of every estimate of one configuration."""
    return _coverage(
        summary, ESTIMATES, catalogue.ESTIMATES,
        "Coverage of the intervals for a single configuration, by number of blocks and family; the median has none "
        f"below six blocks. {_BAND}.",
    )  # fmt: skip


def shapes(summary: Summary) -> Figure:
    """Coverage of the dip, of the cliff's place and of its size."""
    p = summary.parameters
    return _coverage(
        summary, SHAPES, catalogue.SHAPES,
        f"Coverage of the shape intervals, by number of blocks and family: a dip at the middle of three settings, and "
        f"a drop of {p.cliff_percent:g} % among {p.settings} settings, or none. {_BAND}. The cliff's points have "
        f"{p.blocks * min(p.slow_repetitions, p.repetitions):,} simulated runs each, for it draws its own resamples.",
    )  # fmt: skip


def wrong_ways(summary: Summary) -> Figure:
    """Coverage of intervals that no chapter uses."""
    return _coverage(
        summary, WRONG, catalogue.WRONG,
        "Coverage of tempting wrong intervals on the same simulated runs, by number of blocks and family. "
        f"{_BAND}. The bootstraps have one run in {BOOTSTRAPPED} of the others'.",
    )  # fmt: skip


def alone(summary: Summary) -> Figure:
    """Coverage of intervals of a ratio where one of the two arms stalls now and then."""
    return _coverage(
        summary, ALONE, catalogue.ALONE,
        "Coverage of three intervals of a ratio where one arm stalls in a tenth of its trials and the other never, by "
        f"number of blocks and spread between trials. Two are of the mean, the last is of the median. {_BAND}.",
        lines="spread",
    )  # fmt: skip


def within(summary: Summary) -> Figure:
    """Coverage of what is shown under the words "within this trial"."""
    p = summary.parameters
    tried = (*catalogue.WITHIN, *catalogue.WRONG_WITHIN)
    panels = [
        Panel(each.label, (Curve("one trial", _points(summary, each)[0][1]),), _percent(each.target), 95.0)
        for each in tried
    ]
    data = table(summary, [each.name for each in tried])
    shown = data[data["interval"] == catalogue.ALL["stationary"].label]
    said = "; ".join(f"{n} s {c:.1f} %" for n, c in zip(shown["n"], shown["coverage (%)"], strict=True))
    return Figure(
        WITHIN,
        f"Coverage of intervals from a single trial, by its length in seconds: the share of {p.page_requests:,} page "
        f"requests by Wilson's interval; the mean of seconds that follow each other with a correlation of "
        f"{p.autocorrelation:g}, by the stationary bootstrap and, wrongly, as if they were independent. {_BAND}. "
        f"The bootstrap's points have {p.blocks * p.slow_repetitions:,} simulated trials each. {_sentence(summary)}",
        f"Three small plots of coverage against the seconds of one trial. Stationary bootstrap: {said}.",
        draw(panels, x_title="seconds in the trial", y_title="coverage (%)"),
        data,
        summary.run.id,
        interval=interval_name(estimates_of(panels)),
    )


def widths(summary: Summary) -> Figure:
    """How far the intervals reach from their point, against the number of blocks."""
    shown = ("ratio", "ratio_unblocked", "many_to_one", "geometric_mean", "median")
    family = summary.shown_family
    rows = []
    plot = go.Figure()
    for place, name in enumerate(shown):
        known = [
            (n, 100 * math.expm1(width / 2))
            for n in sorted(summary.parameters.sizes)
            if (width := summary.width(name, cell_name(family, n))) is not None
        ]
        label = catalogue.ALL[name].label
        rows += [{"interval": label, "blocks": n, "mean half-width (%)": half} for n, half in known]
        plot.add_scatter(
            x=[n for n, _ in known], y=[half for _, half in known], mode="lines+markers", name=label,
            line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
    sizes = sorted(summary.parameters.sizes)
    plot.update_xaxes(type="log", title="blocks", tickvals=sizes, ticktext=[str(n) for n in sizes])
    plot.update_yaxes(**theme.decades(), title="mean half-width (%)")
    p = summary.parameters
    first = "; ".join(f"{r['blocks']} blocks {r['mean half-width (%)']:.2g} %" for r in rows[: len(sizes)])
    return Figure(
        WIDTHS,
        f"How precise a run can be: mean half-width of the 95 % intervals against the number of blocks, both axes "
        f"logarithmic; family {LABELS[family]}, with spreads of {p.between_block_sd:.1%} between blocks and "
        f"{p.between_trial_sd:.1%} between trials. {_sentence(summary)}",
        f"Five falling lines. The ratio within blocks has a mean half-width of: {first}.",
        theme.apply(plot),
        pd.DataFrame(rows),
        summary.run.id,
    )


def _coverage(summary: Summary, identity: str, tried: Sequence[Tried], caption: str, lines: str = "family") -> Figure:
    panels = [
        Panel(
            each.label,
            tuple(Curve(family, points) for family, points in _points(summary, each)),
            _percent(each.target),
            100 * each.nominal,
        )
        for each in tried
    ]
    data = table(summary, [each.name for each in tried])
    enough = data[data["n"] >= SMALLEST]
    # a run of fewer than six blocks alone has nothing from six blocks up to speak of
    spoken, from_n = (enough, f"from {SMALLEST} blocks up") if len(enough) else (data, "over all sizes")
    ranges = "; ".join(
        f"{label} {part['coverage (%)'].min():.1f} to {part['coverage (%)'].max():.1f} %"
        for label, part in spoken.groupby("interval", sort=False)
    )
    return Figure(
        identity,
        f"{caption} {_sentence(summary)}",
        f"{len(panels)} small plots of coverage against the number of blocks, one line per {lines}. Lowest and highest "
        f"coverage {from_n}: {ranges}.",
        draw(panels, x_title="blocks", y_title="coverage (%)"),
        data,
        summary.run.id,
        interval=interval_name(estimates_of(panels)),
    )


def _points(summary: Summary, tried: Tried) -> list[tuple[str, tuple[tuple[int, Estimate], ...]]]:
    """Curves of an interval: family or "seconds of one trial", and its coverage by n."""
    found: dict[str, list[tuple[int, Estimate]]] = {}
    for family, n, cell in summary.places(tried.name):
        estimate = summary.coverage(tried.name, cell)
        if estimate is not None:
            found.setdefault(family, []).append((n, estimate))
    return [(family, tuple(sorted(points, key=lambda point: point[0]))) for family, points in found.items()]


def _percent(target: tuple[float, float]) -> tuple[float, float]:
    return 100 * target[0], 100 * target[1]


def _sentence(summary: Summary) -> str:
    origin = summary.origin()
    return f"{origin[0].upper()}{origin[1:]}."
