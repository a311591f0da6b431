"""The figure of how far from quiet the machine was, from the canary readings of the runs that a book shows."""

import textwrap
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook.figures import Figure, theme
from benchbook.figures.prose import digits
from benchbook.numbers import environment, host_kinds
from benchbook.store import Entry

ID = "fig-threats-canary"
_ROW_PX, _FRAME_PX = 48, 130
_APART = 0.17
"""Of a row: how far its two readings stand from its middle."""
_LETTERS_PX = 12
_QUANTILES = (0.05, 0.5, 0.95, 1.0)
"""Of a run's readings: what is drawn of them. A page with a dot for each of them would weigh a megabyte more."""
_LINE = 24
"""Letters of a row's name, then it goes on below."""

Levels = Mapping[tuple[str, str], float]


def of_runs(runs: Iterable[tuple[str, Entry]], levels: Levels) -> Figure | None:
    """The looks of every run over the quiet level of its processor, the quietest run first; None without any.

    runs: name of a row and the run that it shows. levels: (processor, reading) to the quiet level in ns, as
    ``environment.quiet_levels`` gives them; a run on a processor of which none is known is left out.
    """
    data = pd.DataFrame([row for title, entry in runs for row in _rows(title, entry, levels)])
    if data.empty:
        return None
    hashing = data["reading"] == environment.READINGS[environment.HASHING]
    data["level"] = data["times_quiet"].where(hashing).groupby(data["run"]).transform("median")
    data = data.sort_values(["level", "run", "reading", "block"], kind="stable").drop(columns="level")
    data = data.reset_index(drop=True)
    return Figure(
        ID,
        _caption(data),
        _alt(data),
        _plot(data),
        data.rename(columns=HEADINGS),
        "",
        title="How far from quiet the machine was",
    )


HEADINGS = {"reading_us": "reading (µs)", "times_quiet": "times the quiet level"}


def _rows(title: str, entry: Entry, levels: Levels) -> Iterable[dict[str, object]]:
    record = entry.record or {}
    name = host_kinds.processor(record["provenance"])
    for reading, words in environment.READINGS.items():
        quiet = levels.get((name, reading))
        if quiet is None:
            continue
        for look in record["canary"]:
            if look.get(reading) and not environment.loaded(record["experiment"], look["moment"]):
                yield {
                    "chapter": title,
                    "run": entry.id,
                    "reading": words,
                    "block": int(look["block"]) + 1,
                    "moment": look["moment"],
                    "reading_us": look[reading] / 1000,
                    "times_quiet": look[reading] / quiet,
                }


def _caption(data: pd.DataFrame) -> str:
    runs = data["run"].nunique()
    return (
        f"How much longer the same small piece of work took than on this processor when it is quiet: {len(data):,} "
        f"readings in {runs} runs. Marks: medians, with 5 to 95 % of the readings; hollow: the highest. It decides no "
        "verdict."
    )


def _alt(data: pd.DataFrame) -> str:
    parts = []
    for (_, chapter), rows in data.groupby(["run", "chapter"], sort=False):
        hashing = rows.loc[rows["reading"] == environment.READINGS[environment.HASHING], "times_quiet"]
        if len(hashing):
            parts.append(f"{chapter} {digits(hashing.median())} times, at most {digits(hashing.max())}")
    return f"Medians with ranges on a logarithmic axis, a row per run. Median time for hashing: {'; '.join(parts)}."


def _plot(data: pd.DataFrame) -> go.Figure:
    rows = {run: place for place, run in enumerate(data["run"].unique())}
    names = data.drop_duplicates("run").set_index("run")["chapter"]
    plot = go.Figure()
    series = [words for words in environment.READINGS.values() if (data["reading"] == words).any()]
    for place, words in enumerate(reversed(series)):
        look: dict[str, object] = {"color": list(theme.COLOURS.values())[place], "symbol": theme.SYMBOLS[place]}
        _add(plot, words, _spread(data[data["reading"] == words], rows, (place - 0.5) * 2 * _APART), look)
    plot.add_vline(x=1.0, line={"width": 1, "color": theme.COLOURS["grey"]})
    values = [*data["times_quiet"], 1.0]
    plot.update_xaxes(title="times the quiet level of the processor", **theme.ticks(values))
    plot.update_yaxes(
        tickvals=list(rows.values()),
        ticktext=[_broken(str(names[run])) for run in rows],
        tickfont={"size": _LETTERS_PX},
        range=[len(rows) - 0.5, -0.5],
    )
    plot.update_layout(height=_FRAME_PX + _ROW_PX * len(rows))
    return theme.apply(plot)


def _spread(data: pd.DataFrame, rows: Mapping[str, int], beside: float) -> pd.DataFrame:
    """Of each run how its readings are spread, and where it stands: at ``beside`` the middle of its row."""
    found = data.groupby("run", sort=False)["times_quiet"].quantile(np.array(_QUANTILES)).unstack()
    found = found.set_axis(["low", "median", "high", "most"], axis=1).join(data.groupby("run")["chapter"].first())
    return found.assign(place=[rows[str(run)] + beside for run in found.index])


def _add(plot: go.Figure, words: str, spread: pd.DataFrame, look: dict[str, object]) -> None:
    def points(column: str, kind: str, **more: object) -> None:
        plot.add_scatter(
            x=spread[column].tolist(),
            y=spread["place"].tolist(),
            mode="markers",
            name=words,
            legendgroup=words,
            customdata=[[f"{chapter}, {kind}"] for chapter in spread["chapter"]],
            hovertemplate="%{customdata[0]}: %{x:.3g} times the quiet level<extra></extra>",
            **more,
        )

    bars = theme.error_bars(*(spread[end].tolist() for end in ("median", "low", "high")))
    points("median", "median", error_x={**bars, "width": 0, "thickness": 2}, marker={**look, "size": 8})
    hollow = {**look, "symbol": f"{look['symbol']}-open", "size": 5}
    points("most", "highest", marker=hollow, showlegend=False)


def _broken(name: str) -> str:
    """In lines of at most so many letters."""
    return "<br>".join(textwrap.wrap(name, _LINE))
