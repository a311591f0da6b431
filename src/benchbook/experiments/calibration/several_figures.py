"""Runs over several sessions as a figure of coverage and verdicts, and as a table."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd

from benchbook.experiments.calibration import several
from benchbook.experiments.calibration.arms import LEVELS, STATES
from benchbook.experiments.calibration.moving import DECIDED, FALSE_OWN, FALSE_QUIET
from benchbook.experiments.calibration.panels import Panel, figure
from benchbook.experiments.calibration.several import ARMS, BLOCKS, COVERED, QUIET, Design
from benchbook.experiments.calibration.summary import Summary, in_percent
from benchbook.figures import Figure
from benchbook.model import Estimate

TARGET = (93.0, 96.0)
"""What was expected of the mean over all sessions, in %, when the rule was chosen."""
MOVED = 98.0
"""And of the quiet machine, at least, over the states."""


_Ask = Callable[[Summary, Design], Estimate]
_ASKED: dict[str, tuple[_Ask, tuple[float, float] | None, float | None]] = {
    "holds the mean of all sessions": (lambda summary, d: several.share(summary, d, COVERED), TARGET, 95.0),
    "holds the quiet machine, widened by w": (lambda summary, d: several.share(summary, d, QUIET), None, MOVED),
    "claims on a ratio: decided": (lambda summary, d: several.ruling(summary, d, DECIDED), None, None),
    "false of the quiet machine, at worst": (
        lambda summary, d: several.worst_ruling(summary, d, FALSE_QUIET)[1], None, None,
    ),
}  # fmt: skip
"""What the figure shows, with the band and the line of what was expected."""


def sessions(summary: Summary) -> Figure:
    """Coverage, and verdicts, by the number of sessions."""
    panels, rows = [], []
    for title, (ask, band, promise) in _ASKED.items():
        curves: dict[str, dict[float, Estimate]] = {}
        for design in several.designs(summary):
            found = ask(summary, design)
            curves.setdefault(f"{design.blocks} blocks, {ARMS[design.arms]}", {})[design.sessions] = found
            rows.append({"what": title, **_place(design), **in_percent(found)})
        panels.append(Panel(title, curves, band, promise))
    least, most = covered(summary)
    return figure(
        summary, "fig-calibration-sessions", "Runs over several sessions", panels, pd.DataFrame(rows),
        origin=summary.origin(summary.parameters.state_repetitions, "state and kind of arms"),
        x_title="sessions", y_title="runs (%)", hover="sessions",
        caption="Runs judged over the means of their sessions, on all simulated states of the machine together: how "
        "often the interval of a ratio holds the mean over all sessions, how often it holds the quiet machine's ratio "
        "once it is widened by w, and what the verdicts are. Shaded band and dotted lines: what was expected.",
        alt="Four small plots against the number of sessions, one line per number of blocks and kind of arms. The "
        f"mean of all sessions is held by {100 * least:.1f} to {100 * most:.1f} % of the intervals.",
    )  # fmt: skip


def designs(summary: Summary) -> pd.DataFrame:
    """One row per design: what its interval holds, how wide it is, how far w reaches, false verdicts at worst."""
    rows = []
    for design in several.designs(summary):
        state, low = several.lowest(summary, several.share, design, QUIET)
        where, far = several.worst_ruling(summary, design, FALSE_QUIET)
        rows.append(
            {
                **_place(design),
                "holds the mean of all sessions (%)": _percent(several.share(summary, design, COVERED)),
                "with blocks as replicates (%)": _percent(several.share(summary, design, BLOCKS)),
                "holds the quiet machine, widened (%)": _percent(several.share(summary, design, QUIET)),
                "at least (%)": f"{_percent(low):.1f} ({STATES[state]})",
                "half-width (%)": factor(summary, design, "half_width"),
                "w (%)": factor(summary, design, "w"),
                "false of the quiet machine at worst (%)": f"{_percent(far):.1f} ({STATES[where]})",
            }
        )
    return pd.DataFrame(rows).set_index(["arms", "blocks", "sessions"])


def levels(summary: Summary) -> pd.DataFrame:
    """One row per design and way in which the canary's quiet level is found: w, decided claims, false verdicts."""
    rows = []
    for design in several.of_levels(summary):
        state, far = several.worst_ruling(summary, design, FALSE_QUIET, states=several.sometimes_quiet(summary))
        rows.append(
            {
                **_place(design),
                "quiet level": LEVELS[design.level],
                "w (%)": factor(summary, design, "w"),
                "decided (%)": _percent(several.ruling(summary, design, DECIDED)),
                "false of the mean of all sessions at worst (%)": _percent(
                    several.worst_ruling(summary, design, FALSE_OWN)[1]
                ),
                "false of the quiet machine at worst (%)": f"{_percent(far):.1f} ({STATES[state]})",
                "the same on a machine never quiet (%)": _percent(
                    several.worst_ruling(summary, design, FALSE_QUIET, states=[several.NEVER_QUIET])[1]
                )
                if several.NEVER_QUIET in summary.parameters.states
                else None,
            }
        )
    return pd.DataFrame(rows).set_index(["arms", "blocks", "sessions", "quiet level"])


def covered(summary: Summary) -> tuple[float, float]:
    """The smallest and the largest share of intervals, by design, that hold the mean over all sessions."""
    points = [several.share(summary, each, COVERED).point for each in several.designs(summary)]
    return min(points), max(points)


def _place(design: Design) -> dict[str, object]:
    return {"arms": ARMS[design.arms], "blocks": design.blocks, "sessions": design.sessions}


def factor(summary: Summary, design: Design, what: str) -> float:
    """A mean half-width, or w, as how far it reaches to one side, in %."""
    return round(100 * math.expm1(several.width(summary, design, what)), 1)


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)
