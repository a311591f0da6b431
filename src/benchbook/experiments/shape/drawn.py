"""What a chapter's own function draws, where the words of the figure stand in the chapter's page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook.figures import Figure, interval_name, intervals_said, theme
from benchbook.model import Estimate


@dataclass(frozen=True)
class Lacking:
    """That a run has nothing to draw. why, mend: half a sentence each, as ``marks.blank`` takes them."""

    why: str
    mend: str


@dataclass(frozen=True)
class Drawn:
    """A drawing, the table behind it, and what its words may name: {{ said }}, and {{ intervals }} of the estimates.

    n: how many configurations it shows, {{ n }}.
    beside: further estimates that the table holds and the caption does not speak of. run_id: of what is no run.
    """

    plot: go.Figure
    data: pd.DataFrame
    said: str = ""
    estimates: Sequence[Estimate] = ()
    beside: Sequence[Estimate] = ()
    run_id: str = ""
    n: int = 0

    @property
    def known(self) -> Mapping[str, object]:
        """What the words may name beside the chapter's numbers."""
        return {"said": self.said, "n": self.n, "intervals": intervals_said(self.estimates)}

    def figure(self, summary: Any, identity: str, title: str, caption: str, alt: str) -> Figure:
        """The figure with its words."""
        interval = interval_name([*self.estimates, *self.beside])
        run_id = self.run_id or summary.run.id
        return Figure(identity, caption, alt, theme.apply(self.plot), self.data, run_id, interval, title=title)
