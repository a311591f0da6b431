"""What the chapter teaches beside its answers: which settings moved anything, and how small an effect it would show."""

from __future__ import annotations

from benchbook.experiments.config_ladder import singles
from benchbook.experiments.shape.lessons import TOO_SHORT, Teaching, compared, number
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.switched_settings.answers import OF_003
from benchbook.experiments.switched_settings.summary import COMPRESSION, NOTE_003, WAITING, Summary


def title(summary: Summary) -> str:
    """How many settings move throughput by as much as the notes sell, and which."""
    found = summary.sorted()
    if not found.every:
        return TOO_SHORT
    large = [words for words, e in found.moved.items() if e.high < 1 - singles.SOLD or e.low > 1 + singles.SOLD]
    still = len(found.within(singles.SOLD))
    rest = f"{still} are shown to change it by less than {singles.SOLD:.0%}"
    if not large:
        return f"No change of {len(found.every)} single settings is shown to be worth {singles.SOLD:.0%}, and {rest}"
    names = f"{large[0]} is" if len(large) == 1 else f"{', '.join(large[:-1])} and {large[-1]} are"
    return f"Of {len(found.every)} changes only {names} worth {singles.SOLD:.0%}; {rest}"


def precise(summary: Summary) -> str:
    """How narrow the intervals are, and how far the base differs from itself."""
    found = summary.sorted()
    if not found.every:
        raise NotEstimableError("this run did not measure the settings", "measure all parts")
    again = summary.gain(singles.OF_003[singles.NOTHING].top, singles.OF_003[singles.NOTHING].bottom)
    return (
        f"The intervals of {len(found.small)} of {len(found.every)} changes lie within {singles.SMALL:.0%} of no "
        f"change; the base over itself under another name gives {number(again)}."
    )


def largest(summary: Summary) -> str:
    """The two changes with the largest effects."""
    found = summary.sorted()
    if not found.moved:
        raise NotEstimableError("no interval excludes 1", "measure more blocks")
    first = "; ".join(f"{words}: {number(e)}" for words, e in list(found.moved.items())[:2])
    return f"The largest effects, as throughput with ÷ without: {first}."


def control(summary: Summary) -> str:
    """That an effect that is there is seen."""
    return compared(
        "A change that is known to matter, commits that do not wait for their flush, gives in throughput",
        summary.gain(WAITING.top, WAITING.bottom),
    )


def agreed(summary: Summary) -> str:
    """The same change measured on servers of their own."""
    pair = NOTE_003[COMPRESSION]
    turns, alone = summary.gain(pair.top, pair.bottom), summary.alone(COMPRESSION)
    return (
        f"Switched on one server, compression of the log gives {number(turns)} times the throughput; on servers of "
        f"their own, one after the other, {number(alone)}."
    )


LESSON = Teaching(
    title,
    figure=OF_003,
    advice="Most settings can be changed by a reload. Put your own workload on the server, switch a setting on and off "
    "every second in random order, and compare the seconds: in a few minutes that shows effects of a few percent, "
    "which two runs one after the other do not.",
    numbers=(precise, control, "R070"),
    besides=(largest, agreed),
)
