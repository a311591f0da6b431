"""The figures: the rounds over round 2, throughput along their trials, the claims; words in the page."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from benchbook.chapters.three_rounds.numbers import Summary
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Given, Lines
from benchbook.measuring.pgbench.ladder import arms
from benchbook.measuring.pgbench.ladder.arms import ROUND_1_COLD, ROUND_2, ROUND_3
from benchbook.measuring.pgbench.ladder.rounds import LATER_RUNS, NOTHING, over_round_2
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.model import Estimate
from benchbook.notes import number, table

MEND = "measure again"
_ROWS: Mapping[str, str] = {
    arms.ROUND_2_AGAIN: "round 2 again (A/A)",
    arms.ROUND_1: "round 1, warm",
    ROUND_3: "round 3, warm",
    ROUND_1_COLD: "round 1, cold",
    **LATER_RUNS,
}
"""Configuration, or prefix of a later run of the one with several, to its row."""
_COURSES = {ROUND_1_COLD: (1, "round 1, cold"), ROUND_2: (2, "round 2, warm"), ROUND_3: (3, "round 3, warm")}


rounds = over_round_2(_ROWS, MEND)


def _course(arm: str, summary: Summary, place: int) -> Estimate:
    return summary.ratio((arm, f"interval_{place:02}_tps"), (arm, "tps"))


def _noted_courses(summary: Summary) -> tuple[Given, ...]:
    found = table("r8g_timeline")
    return tuple(
        Given(
            f"the note's round {of}",
            {
                int(t) // 5: float(tps) / number("r8g_runs", "tps", round=of)
                for t, tps in found.loc[found["round"] == of, ["t_s", "tps"]].to_numpy()
            },
        )
        for of, _ in _COURSES.values()
    )


courses = Lines(
    over=lambda summary: range(1, INTERVALS + 1),
    across="twelfth of the trial (5 s in the note)",
    series={name: partial(_course, arm) for arm, (_, name) in _COURSES.items()},
    given=_noted_courses,
    axis="throughput over the mean of the trial", scale="plain", rule=1, replicates="blocks",
    heading="round", aside=False,
    nothing=NOTHING, mend=MEND,
)  # fmt: skip

FIGURES = {
    "rounds": rounds,
    "courses": courses,
    "claims": ClaimFigure(
        title="Claims on note 003's rounds against measurements",
        what="What note 003 credits to its rounds and to warm caches",
        only=lambda answer: bool(answer.row),
    ),
}
