"""What was judged, as one page with its figure."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from jinja2 import Environment
from markupsafe import Markup

from benchbook.errors import shortened
from benchbook.figures import theme
from benchbook.own_numbers.judged import Judged
from benchbook.own_numbers.ratios import amount, ends


def figure(found: Sequence[Judged]) -> Any:
    """The ratio of each quantity with its interval, and every repetition as a point against the other side's mean."""
    names = [shortened(one.first.name, 40) for one in found]
    plot = go.Figure(layout={"template": theme.template(), "height": 160 + 44 * len(found)})
    middle = [float(one.other.values.mean()) for one in found]
    for label, pick, mark in (("A, each repetition", 0, "circle-open"), ("B, each repetition", 1, "x-thin-open")):
        sides = [(one.first, one.other)[pick] for one in found]
        points = [
            (value / mean, name) for side, mean, name in zip(sides, middle, names, strict=True) for value in side.values
        ]
        plot.add_scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            mode="markers",
            name=label,
            marker={"symbol": mark, "color": theme.COLOURS["grey"]},
        )
    reach = [ends(one.ratio) or [one.point, one.point] for one in found]
    plot.add_scatter(
        x=[one.point for one in found], y=names, mode="markers", name="A/B with its 95 % interval",
        marker={"symbol": "diamond", "size": 11, "color": theme.COLOURS["blue"]},
        error_x={
            "array": [high - one.point for one, (_, high) in zip(found, reach, strict=True)],
            "arrayminus": [one.point - low for one, (low, _) in zip(found, reach, strict=True)],
        },
    )  # fmt: skip
    plot.add_vline(x=1, line_dash="dash", line_color=theme.COLOURS["grey"])
    plot.update_yaxes(autorange="reversed")
    plot.update_xaxes(title="times the mean of B")
    return plot


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ title }}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}</style>
<h1>{{ title }}</h1>
{% for each in lines %}<p>{{ each }}</p>
{% endfor %}<figure><div role="img" aria-label="{{ title }}">{{ drawn }}</div>
<figcaption>Each repetition against the mean of B, and the ratio A/B with its 95 % interval. At the dashed line both
sides are equal.</figcaption></figure>
</html>
"""


def page(found: Sequence[Judged], lines: Sequence[str]) -> str:
    """One file with the sentences and the figure, which opens without a network."""
    drawn = Markup(
        figure(found).to_html(full_html=False, include_plotlyjs=True, config={"displayModeBar": False})
    )  # plotly's own
    title = f"A/B {amount(found[0])}: {found[0].word}" if len(found) == 1 else f"A against B in {len(found)} quantities"
    shown = [each for each in lines if each]
    return Environment(autoescape=True).from_string(PAGE).render(title=title, lines=shown, drawn=drawn)
