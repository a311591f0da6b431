"""The figures: a save in a burst, a save alone, a query on each engine, and the claims. Their words in the page."""

from __future__ import annotations

from benchbook.chapters.event_stores.arms import BADGER, SQLITE, STORES, synced
from benchbook.chapters.event_stores.numbers import ALONE, BURST, BUSY, METRICS, QUERY
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.drawing.regular import Ask, Dots, Given
from benchbook.measuring.badger import notes
from benchbook.measuring.badger.notes import FAST, SLOW

ROW = "store"
SYNCS = {"not synced": False, "synced": True}


def _level(metric: str, waits: bool = False) -> Ask:
    return lambda summary, store: summary.level(synced(store) if waits else store, metric)


bursts = Dots(
    rows=STORES, row=ROW, series={"a save of a burst": _level(BURST)}, heading="test",
    metric=METRICS[BURST].but(words="burst mean of a save"),
    given=lambda summary: [
        Given("the note, under these names", {BADGER: notes.burst_ms(SLOW, "avg"), SQLITE: notes.burst_ms(FAST, "avg")})
    ],
)  # fmt: skip
alone = Dots(
    rows=STORES, row=ROW, series={name: _level(ALONE, waits) for name, waits in SYNCS.items()}, heading="durability",
    metric=METRICS[ALONE],
)  # fmt: skip
queries = Dots(
    rows=STORES, row=ROW, series={"queries alone": _level(QUERY), "beside saves": _level(BUSY)}, heading="test",
    metric=METRICS[QUERY],
)  # fmt: skip
claims = ClaimFigure(what="The chapter's claims that are ratios")

FIGURES = {"bursts": bursts, "alone": alone, "queries": queries, "claims": claims}
