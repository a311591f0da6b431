"""The figures: times by cache and keys, hit ratios, speed-ups over SQLite, claims. Their words stand in page.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchbook.experiments.families.kv import note
from benchbook.experiments.lru.arms import (
    LARGE,
    LARGER,
    LAWS,
    MIDDLE,
    ONCE,
    SIZES,
    SMALL,
    SQLITE,
    UNIFORM,
    UNIVERSAL,
    ZIPF,
    at,
    entries,
)
from benchbook.experiments.lru.numbers import METRICS, TIME, Summary
from benchbook.experiments.shape.claim_figure import ClaimFigure
from benchbook.experiments.shape.regular import Ask, Dots, Given
from benchbook.model import Estimate

TARGET = 2.0
"""The note's own target for the speed-up over SQLite."""


def _rows(*uses: str) -> Callable[[Summary], dict[str, str]]:
    """Uses with what a figure calls them."""
    words = {UNIVERSAL: ", universal compaction", LARGER: ", 1 GB block cache"}

    def rows(summary: Summary) -> dict[str, str]:
        cached = {use: f"{entries(summary.parameters, use):,} rows cached{words.get(use, '')}" for use in uses}
        return cached | ({SQLITE: "SQLite as run"} if SQLITE in uses else {})

    return rows


def _level(law: str) -> Ask:
    return lambda summary, use: summary.level(at(law, use), TIME)


def _hits(law: str) -> Ask:
    return lambda summary, use: summary.share(at(law, use), "hit_ratio", "lookups")


def _speedup(law: str, summary: Summary, use: str) -> Estimate:
    return summary.over(at(law, SQLITE), at(law, use), TIME)


times = Dots(
    rows=_rows(*SIZES, SQLITE), row="cache", series={LAWS[law]: _level(law) for law in (ZIPF, UNIFORM, ONCE)},
    heading="keys", metric=METRICS[TIME].but(words="mean query"), scale="zero", height=190, each=30,
)  # fmt: skip
hits = Dots(
    rows=_rows(*SIZES), row="cache", series={LAWS[law]: _hits(law) for law in (ZIPF, UNIFORM, ONCE)},
    heading="keys", axis="look-ups that found their row (%)", factor=100, scale="percent", height=180, each=30,
)  # fmt: skip
speedups = Dots(
    rows=_rows(SMALL, MIDDLE, LARGE, UNIVERSAL, LARGER), row="cache",
    series={LAWS[law]: partial(_speedup, law) for law in (ZIPF, UNIFORM)},
    heading="keys", axis="times as fast as SQLite that prepares for every look-up",
    quantity="SQLite's mean look-up / the engine's", rule=1.0, height=190, each=30, replicates="blocks",
    given=lambda summary: [
        Given("the note, its benchmark", {SMALL: note.speedup_after()}),
        Given("the note's target", dict.fromkeys((SMALL, LARGER), TARGET), line="dash", listed=False),
    ],
)  # fmt: skip
claims = ClaimFigure(what="The chapter's claims that are ratios")

FIGURES = {"speedups": speedups, "times": times, "hits": hits, "claims": claims}
