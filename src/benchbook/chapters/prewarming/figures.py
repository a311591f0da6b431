"""The figures: time to warm by way, the first requests along their course, and their P95 where data or keys move."""

from __future__ import annotations

from benchbook.chapters.prewarming.arms import ASKED, IN_SMALL, LOCAL, NONE, SLOW, SMALL, WAYS, at, moved
from benchbook.chapters.prewarming.measure import PARTS
from benchbook.chapters.prewarming.numbers import MEAN, METRICS, P95, SECONDS, Summary
from benchbook.drawing.regular import Ask, Dots, Lines
from benchbook.model import Estimate

WARMED = {way: words for way, words in WAYS.items() if way != NONE}


def _of(metric: str, place: str) -> Ask:
    return lambda summary, way: summary.level(at(way, place), metric)


bill = Dots(
    rows=WARMED, row="way",
    series={"each read slower": _of(SECONDS, SLOW), "disk as it is": _of(SECONDS, LOCAL)},
    heading="reads", metric=METRICS[SECONDS],
)  # fmt: skip


def _along(way: str) -> Ask:
    def ask(summary: Summary, request: float) -> Estimate:
        part = round(request * PARTS / summary.parameters.first_requests)
        return summary.level(at(way, SLOW), f"part_{part:02}_ns")

    return ask


course = Lines(
    over=lambda summary: [(part + 1) * summary.parameters.first_requests / PARTS for part in range(PARTS)],
    across="requests since the warming", series={words: _along(way) for way, words in WAYS.items()},
    ticks=(), heading="way", metric=METRICS["part_#_ns"].but(words="mean latency"),
)  # fmt: skip


def _rows(summary: Summary) -> dict[str, str]:
    """Ways in the pool that holds all data, in the smaller one, and keys that moved."""
    shares = summary.parameters.moved_percent
    return (
        {at(way, SLOW): words for way, words in WAYS.items()}
        | {at(way, SMALL): f"{WAYS[way]}, smaller pool" for way in IN_SMALL}
        | {moved(each): f"{WAYS[ASKED]}, {each} % others since" for each in shares}
    )


tails = Dots(
    rows=_rows, row="way",
    series={
        "mean": lambda summary, arm: summary.level(arm, MEAN),
        "P95": lambda summary, arm: summary.level(arm, P95),
    },
    heading="of the first requests", axis="latency of the first requests (ms)", quantity="latency (ms)", factor=1e-6,
)  # fmt: skip

FIGURES = {"bill": bill, "course": course, "tails": tails}
