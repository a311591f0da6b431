"""What the chapter teaches beside its answers: what the cap alone and the pool alone do."""

from __future__ import annotations

from benchbook.experiments.io_cliff.answers import TIMELINES
from benchbook.experiments.io_cliff.arms import A_10_5, A_80, A_FREE, B_FREE, A, B
from benchbook.experiments.io_cliff.causes import told_apart
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import compared, number
from benchbook.experiments.shape.sides import Turn


def cured(summary: Summary) -> str:
    """What the large pool, and storage without a cap, give where the small pool falls."""
    return (
        "Compared with a pool of 20 % of the data on capped storage, a pool of 100 % gives "
        f"{number(summary.gain(B, A))} times the throughput, and storage without a cap "
        f"{number(summary.gain(A_FREE, A))} times; compared with a pool of 80 %, which the note states, one of 100 % "
        f"gives {number(summary.gain(B, A_80))} times. How deep the small pool falls follows from the cap."
    )


def pool(summary: Summary) -> str:
    """What the pool gives where the storage takes what is written."""
    return compared(
        "On storage without a cap, throughput with a pool of 100 % of the data, over that with one of 20 %",
        summary.gain(B_FREE, A_FREE),
    )


def limits(summary: Summary) -> str:
    """When throughput falls with the note's limits on dirty data and with higher ones."""
    low, high = (summary.fell_s(arm) for arm in (A, A_10_5))
    near = " and ".join(f"{summary.reached_s(arm).point:.1f}" for arm in (A, A_10_5))
    said = (
        "With limits on dirty data of 4 and 1 % of memory throughput falls in second "
        f"{number(low)}, with 10 and 5 % in second {number(high)}; dirty data is near these limits in seconds {near}"
    )
    if told_apart(summary, A, A_10_5):
        return f"{said}."
    return f"{said}, too close together to tell whether the limit makes the fall."


LESSON = Teaching(
    Turn(
        "C012",
        above="The cliff is there with a small pool that evicts more than the storage can write; a pool that "
        "holds all data or faster storage removes it",
        below="Most trials here show no cliff, although the small pool evicts and the storage is capped",
        open="A cliff needs its cause: a pool that evicts, and storage that cannot take what is evicted",
        at=0.5,
    ),
    figure=TIMELINES,
    claimed="Note 002: under a write load throughput falls off a cliff within a minute, and a pool that holds all of "
    "the data removes it.",
    advice="Plot throughput over time and not only its mean, with dirty data and evictions beside it, and then take "
    "the suspected causes away one at a time: if they are the causes, the fall goes with a larger pool, "
    "and with faster storage.",
    numbers=("C012", cured, limits),
    besides=(cured, pool, limits),
)
