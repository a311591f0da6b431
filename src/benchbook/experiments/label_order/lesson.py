"""What the chapter teaches beside its answers: how far equal labels lie apart, and what the note compared."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.families.badger.notes import FAST, SLOW
from benchbook.experiments.label_order.answers import FIRST
from benchbook.experiments.label_order.pairs import METRICS, chance, note_ms
from benchbook.experiments.label_order.summary import Summary
from benchbook.experiments.shape.judging import verdicts
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Headline
from benchbook.figures.lesson import FAILED


def apart(metric: str, summary: Summary) -> str:
    """The note's two labels beside the two equal ones that are furthest apart."""
    found = chance(summary, metric)
    far = f"{found.in_blocks or 'none'} of {summary.run.blocks} blocks {'have' if found.in_blocks > 1 else 'has'}"
    return (
        f"In the {summary.in_words(metric)}, the note's two labels differ by a factor of {found.note:.2f}; here the "
        f"two identical runs furthest apart in one block differ by {found.largest:.3g}, and "
        f"{far} a pair as far apart as the note's."
    )


def one_store(summary: Summary) -> Headline:
    """What stands behind the note's two labels, as read in its repository."""
    if notes.reading("programs_behind_relay_labels") != 1:
        raise NotEstimableError("the labels stand for different programs", "correct data/notes/readings.csv")
    slow, fast = (note_ms(label, "burst_mean_ns") for label in (SLOW, FAST))
    text = f"The relays that it compares, at {slow:g} and {fast:g} ms, are one Badger program under two names."
    return Headline("001", text, FAILED)


BY_ORDER = Turn(
    "B008",
    above="Whatever runs first is slower, under any name: swap the order before you compare",
    below="Whatever runs first is faster, under any name: swap the order before you compare",
    open="Neither label nor order made a visible difference here: give each setting several runs in random order",
)


def title(summary: Summary) -> str:
    """What order does; and that identical runs alone lie as far apart as the note's two, where some do."""
    told = BY_ORDER.title(verdicts(summary))
    far = chance(summary, next(iter(METRICS))).in_blocks
    if told != BY_ORDER.open or not far:
        return told
    return (
        f"Neither label nor order made a visible difference here, but in {far} of {summary.run.blocks} blocks two "
        "identical runs lie as far apart as the note's two: give each setting several runs"
    )


LESSON = Teaching(
    title,
    figure=FIRST,
    claimed="Note 001: saves in a burst took 9.35 ms on average under Badger's name and 3.61 ms under SQLite's, each "
    "measured once, one after the other; it concludes that Badger's cache is too small.",
    advice="Draw a new random order in every round, and measure one setting twice under two names: any difference has "
    "to exceed the difference between those two.",
    numbers=("B008", *(partial(apart, metric) for metric in METRICS)),
    besides=tuple(partial(apart, metric) for metric in METRICS),
    headlines=(one_store,),
)
