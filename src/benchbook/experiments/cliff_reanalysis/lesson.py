"""What the chapter teaches."""

from __future__ import annotations

from benchbook.experiments.cliff_reanalysis.places import TIMELINES
from benchbook.experiments.cliff_reanalysis.reports import BASELINE, A
from benchbook.experiments.cliff_reanalysis.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def together(summary: Summary) -> str:
    """The fall and the plateau, second by second."""
    first, second = (summary.plateau(name) for name in (BASELINE, A))
    levels = " and ".join(dict.fromkeys(f"{each.percent_of_memory:.1f}" for each in (first, second)))
    return (
        f"In the baseline and in run A, throughput fell at about {summary.fell_s(BASELINE):.0f} and "
        f"{summary.fell_s(A):.0f} s; the data waiting to be written (Dirty) levelled off in seconds {first.second} and "
        f"{second.second}, at {levels} % of the available memory. One run each; when pgbench began is known "
        "to a second or two."
    )


def sizes(summary: Summary) -> str:
    """The pool in force."""
    found = summary.fits[A]
    return (
        f"The pool that was called 16 GB was one of about {found.gib:.0f} GiB, by the server's own counters in the "
        "note's report."
    )


def gained(summary: Summary) -> str:
    """Where the gain comes from."""
    split = summary.parted_s
    return (
        f"The run with the larger pool had {summary.gain(0, split):.3f} times the throughput of run A up to second "
        f"{split} and {summary.gain(split, 60):.2f} times afterwards."
    )


LESSON = Teaching(
    "In the note's own reports throughput fell at about the time when unwritten data reached the kernel's limit, in "
    "two single runs, and the pool was about 4 GB, not 16",
    figure=TIMELINES,
    claimed="Note 002: with a pool of 16 GB throughput fell off an I/O cliff; a pool of 20 GB removed it and gave "
    "31 % more.",
    advice="Before a setting is credited, ask the server whether it is in force (SHOW), and put Dirty and the counters "
    "of evictions and device writes beside throughput.",
    numbers=(together, sizes, gained),
    besides=(together, sizes, gained),
)
