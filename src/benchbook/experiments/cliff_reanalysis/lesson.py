"""What the chapter teaches."""

from __future__ import annotations

from benchbook.experiments.cliff_reanalysis.places import TIMELINES
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, A
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def together(summary: Summary) -> str:
    """The fall and the plateau, second by second."""
    first, second = (summary.plateau(name) for name in (BASELINE, A))
    return (
        f"Throughput fell at {summary.fell_s(BASELINE):.0f} and {summary.fell_s(A):.0f} s; Dirty reached its plateau, "
        f"{first.percent_of_memory:.1f} and {second.percent_of_memory:.1f} % of the available memory, in seconds "
        f"{first.second} and {second.second}."
    )


def sizes(summary: Summary) -> str:
    """The pool in force."""
    found = summary.fits[A]
    return f"The pool that was called 16 GB was one of about {found.gib:.0f} GiB, by the server's own counters."


def gained(summary: Summary) -> str:
    """Where the gain comes from."""
    split = summary.parted_s
    return (
        f"The larger pool was {summary.gain(0, split):.3f} times as fast up to second {split} and "
        f"{summary.gain(split, 60):.2f} times as fast afterwards."
    )


LESSON = Teaching(
    "The cliff was a limit on unwritten data; the server's own counters said so",
    figure=TIMELINES,
    advice="Before a setting is credited, ask the server whether it is in force (SHOW), and put Dirty and the counters "
    "of evictions and device writes beside throughput.",
    numbers=(together, sizes, gained),
    besides=(together, sizes, gained),
)
