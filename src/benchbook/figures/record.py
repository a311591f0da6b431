"""A figure as the book needs it: a plotly drawing with its id, caption, alternative text and data."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.errors import BenchbookError

for _limit in ("max_colwidth", "max_rows", "max_columns"):
    pd.set_option(f"display.{_limit}", None)  # pandas would cut cells, rows and columns of a page's tables

MIME_TYPE = "application/vnd.benchbook.figure+json"
"""What the book's Sphinx extension renders; JupyterLab shows the plotly type that travels with it."""

_PLAIN = ("id", "title", "finding", "caption", "origin", "alt", "run_id", "interval", "lacks", "blank")
_ID = re.compile(r"fig-[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Figure:
    """One figure of a chapter.

    id: ``fig-...``, unique in the book and never used again for something else. caption: stands alone (what,
    how many blocks and trials, which interval). alt: says in words what the figure shows, with the numbers.
    data: the table behind the drawing, one row per mark, units in the column names. run_id: the run it shows.
    interval: the name of the intervals that are drawn, "" where none is. lacks: of a figure without a data point, one
    sentence that says what the run did not measure; "" of every other. blank: whether nothing is drawn, of this run or
    of another. title: a few words that stand in lists and
    citations, without a full stop. finding: what it shows of this run, in a sentence without full stop; "" for none.
    origin: half a sentence below the caption: which run, how many blocks, on what.
    """

    id: str
    caption: str
    alt: str
    plot: go.Figure
    data: pd.DataFrame
    run_id: str
    interval: str = ""
    lacks: str = ""
    blank: bool = False
    title: str = field(kw_only=True)
    finding: str = field(kw_only=True, default="")
    origin: str = field(kw_only=True, default="")

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise BenchbookError(f"figure id {self.id!r} is not of the form fig-words-with-hyphens", "rename it")
        for name in ("title", "caption", "alt"):
            if not getattr(self, name).strip():
                raise BenchbookError(f"figure {self.id} has no {name}", f"write its {name}")
        if self.data.empty:
            raise BenchbookError(f"figure {self.id} has no data", "give the table behind it")

    def instead_of(self, empty: Figure) -> Figure:
        """This figure, of a published run, in the place of one whose run measured nothing of it; it says so."""
        # Last: a caption begins with its title.
        why = f"{empty.lacks} Shown instead is the published run {self.run_id}."
        plot = go.Figure(self.plot)
        # JupyterLab shows the drawing without its caption.
        plot.update_layout(title={"text": f"published run {self.run_id}", "font": {"size": 13}}, margin={"t": 56})
        return replace(self, plot=plot, caption=f"{self.caption} {why}", alt=f"{self.alt} {why}", lacks=empty.lacks)

    def record(self) -> dict[str, Any]:
        """The figure as plain JSON: id, caption, alt, run_id, plot (plotly JSON), data (columns and rows)."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "plot": json.loads(self.plot.to_json()),
            "data": json.loads(self.data.to_json(orient="split", index=False)),
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        record = self.record()
        return {
            MIME_TYPE: record,
            "application/vnd.plotly.v1+json": record["plot"],
            "text/plain": f"{self.caption}\n{self.origin}\n\n{self.data.to_string(index=False, max_rows=40)}",
        }
