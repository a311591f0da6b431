"""What a chapter's own function draws, where the words of the figure stand in the chapter's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import pandas as pd
import plotly.graph_objects as go

from benchbook.drawing.marks import blank
from benchbook.figures import Figure, interval_name, intervals_said, theme
from benchbook.model import Estimate
from benchbook.numbers.analysis import Analysis, Summarized


@dataclass(frozen=True)
class Drawn:
    """A drawing, the table behind it, and what its words may name: {{ said }}, and {{ intervals }} of the estimates.

    said: the numbers in words, or what the page writes them from, such as a dict for each line of the drawing.
    beside: further estimates that the table holds and the caption does not speak of. run_id: of what is no run. own:
    what else the words name and the drawing knows. origin: as in ``Figure``.
    """

    plot: go.Figure
    data: pd.DataFrame
    said: object = ""
    estimates: Sequence[Estimate] = ()
    beside: Sequence[Estimate] = ()
    run_id: str = ""
    own: Mapping[str, object] = field(default_factory=dict)
    origin: str = ""

    @property
    def known(self) -> Mapping[str, object]:
        """What the words may name beside the chapter's numbers."""
        return {"said": self.said, "intervals": intervals_said(self.estimates), **self.own}

    def figure(self, summary: Summarized, identity: str, title: str, caption: str, alt: str) -> Figure:
        interval = interval_name([*self.estimates, *self.beside])
        run_id = self.run_id or ("" if isinstance(summary, Analysis) else summary.run.id)
        plot = theme.apply(self.plot)
        return Figure(identity, caption, alt, plot, self.data, run_id, interval, title=title, origin=self.origin)


@dataclass(frozen=True)
class Blank:
    """That a run has nothing to show in a figure. why, mend: as in ``marks.blank``."""

    why: str
    mend: str
    known: ClassVar[Mapping[str, object]] = {}

    def figure(self, summary: Summarized, identity: str, title: str, caption: str, alt: str) -> Figure:
        assert not isinstance(summary, Analysis)  # whose numbers are always there
        return blank(summary, identity, title, self.why, self.mend)
