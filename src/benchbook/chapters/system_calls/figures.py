"""The figures: a look-up's time and lead by what is added to each call, and the calls themselves; words in the page."""

from __future__ import annotations

from benchbook.chapters.system_calls.arms import ASKING, BEST, FILE, OMEN, USES, at
from benchbook.chapters.system_calls.numbers import KINDS, METRICS, TIME, Summary
from benchbook.drawing.regular import Ask, Dots, Lines


def _lead(use: str) -> Ask:
    return lambda summary, ns: summary.lead(use, ns)


leads = Lines(
    over=lambda summary: summary.parameters.added_ns, across="added to each system call (ns)",
    series={USES[use][0]: _lead(use) for use in ASKING}, heading="use",
    axis="time over the note's engine", quantity="time over the engine's",
    rule=1, replicates="blocks",
)  # fmt: skip


def _calls(kind: str) -> Ask:
    return lambda summary, arm: summary.average(arm, kind)


def _counted(summary: Summary) -> dict[str, str]:
    """Each use in words, with calls counted."""
    rest = {at(use, summary.parameters.most_ns): USES[use][0] for use in (BEST, OMEN, FILE)}
    return {at(use, 0): USES[use][0] for use in ASKING} | rest


calls = Dots(
    rows=_counted, row="use", series={words: _calls(kind) for kind, words in KINDS.items()}, heading="kind of call",
    axis="calls of a look-up", quantity="calls", scale="zero",
)  # fmt: skip


times = Dots(
    rows={use: label for use, (label, _) in USES.items()}, row="use",
    series={
        "as it is": lambda summary, use: summary.level(use, TIME),
        "each call longer": lambda summary, use: summary.level(at(use, summary.parameters.most_ns), TIME),
    },
    heading="system calls", metric=METRICS[TIME],
)  # fmt: skip

FIGURES = {"leads": leads, "calls": calls, "times": times}
