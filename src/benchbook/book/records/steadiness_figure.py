"""The figure of how far from quiet the machine was, from the canary readings of the runs that a book shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import store
from benchbook.figures import Figure, theme
from benchbook.figures.prose import digits
from benchbook.numbers import environment, host_kinds
from benchbook.store import Entry

ID = "fig-threats-canary"
_ROW_PX, _FRAME_PX = 56, 130
_APART = 0.17
"""Of a row: how far its two readings stand from its middle."""
_NEAR = 1.05
"""Times its quiet level up to which a run counts as undisturbed in the finding."""

Levels = Mapping[tuple[str, str], float]


def of_runs(runs: Iterable[tuple[str, Entry]], levels: Levels) -> Figure | None:
    """Each run's median look over the quiet level of its processor, a row per processor; None without any.

    runs: a chapter's title and the run that it shows. levels: (processor, reading) to the quiet level in ns, as
    ``environment.quiet_levels`` gives them; a run on a processor of which none is known is left out.
    """
    data = pd.DataFrame([row for title, entry in runs for row in _rows(title, entry, levels)])
    if data.empty:
        return None
    data = data.sort_values(["processor", "reading", "median"], kind="stable").reset_index(drop=True)
    hashing = data[data["reading"] == environment.READINGS[environment.HASHING]]
    near = f"In {(hashing['median'] <= _NEAR).sum()} of {len(hashing)} runs, hashing took at most 5 % longer than when "
    caption = (
        f"How much longer the same small piece of work took than on this processor when it is quiet: each dot is the "
        f"median of one of {data['run'].nunique()} runs, of {data['looks'].sum():,} readings in all. It decides no "
        "verdict."
    )
    return Figure(
        ID,
        caption,
        f"Dots on a logarithmic axis, a row per processor. {'; '.join(_said(data))}.",
        _plot(data),
        data.rename(columns=HEADINGS),
        "",
        title="How far from quiet the machine was",
        finding=f"{near}the processor is quiet" if len(hashing) else "",
    )


HEADINGS = {name: f"{words} (times the quiet level)" for name, words in {
    "low": "5 % of the readings below", "median": "median", "high": "95 % of the readings below", "most": "highest",
}.items()}  # fmt: skip


def _rows(title: str, entry: Entry, levels: Levels) -> Iterable[dict[str, object]]:
    record = entry.record or {}
    name = host_kinds.processor(record["provenance"])
    alone = [look for look in record["canary"] if not environment.loaded(record["experiment"], look["moment"])]
    for reading, words in environment.READINGS.items():
        quiet, seen = levels.get((name, reading)), [look[reading] for look in alone if look.get(reading)]
        if quiet is not None and seen:
            spread = dict(zip(("low", "median", "high", "most"), np.quantile(seen, (0.05, 0.5, 0.95, 1.0)) / quiet,
                              strict=True))  # fmt: skip
            yield {
                "processor": store.model_of(record["provenance"]),
                "chapter": title,
                "run": entry.id,
                "reading": words,
                "looks": len(seen),
                **spread,
            }


def _said(data: pd.DataFrame) -> Iterable[str]:
    for (processor, reading), rows in data.groupby(["processor", "reading"]):
        least, most = rows["median"].min(), rows["median"].max()
        yield f"{processor}, {reading}: {digits(least)} to {digits(most)} times in {len(rows)} runs"


def _plot(data: pd.DataFrame) -> go.Figure:
    rows = {processor: place for place, processor in enumerate(data["processor"].unique())}
    plot = go.Figure()
    series = [words for words in environment.READINGS.values() if (data["reading"] == words).any()]
    for place, words in enumerate(reversed(series)):
        seen, beside = data[data["reading"] == words], (place - 0.5) * 2 * _APART
        plot.add_scatter(
            x=seen["median"].tolist(),
            y=[rows[each] + beside for each in seen["processor"]],
            mode="markers",
            name=words,
            marker={"color": list(theme.COLOURS.values())[place], "symbol": theme.symbol(place), "opacity": 0.5},
            customdata=[[chapter] for chapter in seen["chapter"]],
            hovertemplate="%{customdata[0]}: %{x:.3g} times the quiet level<extra></extra>",
        )
    plot.add_vline(x=1.0, line={"width": 1, "color": theme.COLOURS["grey"]})
    plot.update_xaxes(title="times the quiet level of the processor", **theme.ticks([*data["median"], 1.0]))
    plot.update_yaxes(tickvals=[*rows.values()], ticktext=[*rows], range=[len(rows) - 0.5, -0.5])
    plot.update_layout(height=_FRAME_PX + _ROW_PX * len(rows))
    return theme.apply(plot)
