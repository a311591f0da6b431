"""What the chapter teaches, in words that follow the notes' own numbers."""

from __future__ import annotations

from benchbook.experiments import lessons, notes
from benchbook.experiments.lessons import Point
from benchbook.experiments.notes_reanalysis.judgements import judge_claims
from benchbook.experiments.notes_reanalysis.summary import Summary
from benchbook.figures import Lesson

TITLE = "One run has no interval: what it says of a cause is a guess"
SINGLE = "fig-notes-single-run"
POINTS = (
    Point(
        "B053",
        "its cache sizes rest on blocks of 10–20 KB",
        "by its own two counters a block is charged {} KB",
    ),
    Point(
        "C058",
        "the kernel's limits of dirty data were left at 10 and 5 % in all three runs",
        "{} of the three runs' reports show them in force",
        lead=True,
        brief="{} of its reports show them in force",
    ),
    Point(
        "C076",
        "its changes are 31, 8, 69 and −27 %",
        "{} of them follow from its own table",
        lead=True,
    ),
    Point(
        "R058",
        "its runs on 4 virtual CPUs have 7,000 to 9,000 transactions a second, to the nearest thousand",
        "in its own tables the best has {} times the throughput of the lowest; why is not measured here",
    ),
    Point(
        "O069",
        "its measurements lie within 1.5 to 3 times SQLite's speed",
        "the smallest is {}",
        lead=True,
    ),
    Point("O090", "the speed-up at ten thousand rows is 4.82", "its own table prints {}"),
    Point("O073", "the benchmarks ask for random keys", "{} of its programs draw the keys that they ask for"),
)
ADVICE = "Run it again, several times, before and after each single change, and print all of the numbers."


def lesson(summary: Summary) -> Lesson:
    """The chapter's lesson from its verdicts, and what the only repeated runs say."""
    again = summary.validation.estimate
    single = notes.number("r8g_runs", "tps", round=2)
    repeated = (
        f"The only setting with more than one run is that of note 003's second round: one run had {single:,.0f} "
        f"transactions a second, five more average {again.point:,.0f} [{again.low:,.0f}, {again.high:,.0f}]."
    )
    return lessons.lesson(
        "notes_reanalysis", TITLE, POINTS, judge_claims(), figure_id=SINGLE, besides=[repeated], advice=ADVICE
    )
