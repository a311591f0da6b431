"""What the chapter teaches beside its answers: what the only repeated runs say."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import SINGLE_RUN
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def repeated(summary: Summary) -> str:
    """One run of a setting against five more of it."""
    again, single = summary.validation.estimate, notes.number("r8g_runs", "tps", round=2)
    return (
        f"The only setting with more than one run is that of note 003's second round: one run had {single:,.0f} "
        f"transactions per second, five more average {again.point:,.0f} [{again.low:,.0f}, {again.high:,.0f}]."
    )


LESSON = Teaching(
    "One run shows that something can happen, but neither why nor how often",
    figure=SINGLE_RUN,
    claimed="All five notes say that a setting or an engine gains, such as 29 % (003) or 14 % (002), mostly by one "
    "run on each side.",
    advice="Repeat the run several times before and after each single change, and print all of the numbers.",
    numbers=(repeated, "O090", "C058"),
    besides=(repeated,),
)
