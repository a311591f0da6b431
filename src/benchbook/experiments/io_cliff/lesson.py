"""What the chapter teaches beside its answers: what a pool of a fifth of the data does."""

from __future__ import annotations

from benchbook.experiments.io_cliff.answers import CLIFFS
from benchbook.experiments.io_cliff.arms import SMALL_POOL, A
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.shape.lessons import Teaching, Turn, compared


def small(summary: Summary) -> str:
    """Throughput with a pool of a fifth of the data."""
    return compared(
        "With a pool of 20 % instead of 80 % of the data, the throughput is this many times as high",
        summary.gain(SMALL_POOL, A),
    )


LESSON = Teaching(
    Turn(
        "C012",
        above="Throughput falls off a cliff here too: report in how many trials, not in which one",
        below="Most trials here show no cliff: one run with a fall does not show that the settings cause it",
        open="Count the trials that fall off a cliff: there are too few here to say whether most do",
        at=0.5,
    ),
    figure=CLIFFS,
    advice="Plot throughput over time and not only its mean, repeat the run, and record dirty data, checkpoints and "
    "evictions beside it: a fall has a cause that can be switched off.",
    besides=(small,),
)
