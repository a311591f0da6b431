"""What the chapter teaches beside its answers: how far equal labels lie apart, and what the note compared."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.families.badger.notes import FAST, SLOW
from benchbook.experiments.families.badger.summary import WORDS
from benchbook.experiments.label_order.answers import FIRST
from benchbook.experiments.label_order.pairs import METRICS, chance, note_ms
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.shape.lessons import Teaching, Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Headline
from benchbook.figures.lesson import FAILED


def apart(metric: str, summary: Summary) -> str:
    """The note's two labels beside the two equal ones that are furthest apart."""
    found = chance(summary, metric)
    return (
        f"In the {WORDS[metric]} the note's two labels differ by a factor of {found.note:.2f}; of two equal labels in "
        f"one block the furthest apart differ by {found.largest:.3g}, and {found.in_blocks} of {summary.run.blocks} "
        "blocks hold a pair as far apart as the note's."
    )


def one_store(summary: Summary) -> Headline:
    """What stands behind the note's two labels, as read in its repository."""
    if notes.reading("programs_behind_relay_labels") != 1:
        raise NotEstimableError("the labels stand for different programs", "mend data/notes/readings.csv")
    slow, fast = (note_ms(label, "burst_mean_ns") for label in (SLOW, FAST))
    text = f"The relays that it compares, {slow:g} and {fast:g} ms, are one Badger program under two names."
    return Headline("001", text, FAILED)


LESSON = Teaching(
    Turn(
        "B008",
        above="What runs first is slower, whatever its name: change places before you compare",
        below="What runs first is faster, whatever its name: change places before you compare",
        open="Equal settings differ too: run one under two names before you compare two",
    ),
    figure=FIRST,
    advice="Draw the order anew in every round, and measure one setting twice under two names: what those two differ "
    "by, a comparison has to beat.",
    besides=tuple(partial(apart, metric) for metric in METRICS),
    headlines=(one_store,),
)
