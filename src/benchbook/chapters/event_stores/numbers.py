"""The numbers of the chapter: a save and a query on each engine over those on Badger, and what a sync costs."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.chapters.event_stores.arms import (
    AGAIN,
    BADGER,
    BBOLT,
    CACHED,
    JOURNAL,
    LMDB,
    PEBBLE,
    SQLITE,
    STORES,
    TAGS,
    Parameters,
    synced,
)
from benchbook.measuring.badger import metric_words, notes, summary
from benchbook.measuring.badger.notes import FAST, SLOW
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import average, level, ratio
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.quantities import percent
from benchbook.statistics import Gate

AA = (AGAIN, BADGER)
BURST, P95, ALONE, QUERY, BUSY = (
    "burst_mean_ns", "burst_p95_ns", "alone_mean_ns", "query_mean_ns", "concurrent_query_mean_ns",
)  # fmt: skip
FLUSHES = "flushes_per_save"
WAITED, NOT_WAITED = 0.9, 0.2
"""Flushes for each save from which on saves waited for the device, and up to which they did not: others flush too."""
OTHERS = (SQLITE, TAGS, LMDB, BBOLT, PEBBLE)
KB = 1e-3
METRICS: Metrics = {
    **metric_words.METRICS,
    ALONE: Metric("mean of a save with nothing else under way", "µs", 1e-3, heading="save alone"),
    QUERY: Metric("mean of a query", "µs", 1e-3, heading="query"),
    BUSY: Metric("mean of a query while others save", "µs", 1e-3, heading="query beside saves"),
    "concurrent_save_mean_ns": Metric("mean of a save while others query", "µs", 1e-3, heading="save beside queries"),
    "most_under_way": Metric("most saves under way at once", heading="under way"),
    FLUSHES: Metric("flushes of the device for each save", format="{:.2f}".format, heading="flushes a save"),
    "written_bytes_per_event": Metric("bytes written for each event", "kB", KB, "{:.2f}".format, heading="written"),
    "store_bytes_per_event": Metric("size of the store for each event", "kB", KB, "{:.2f}".format, heading="stored"),
    "anonymous_bytes": Metric("memory of the process", "MB", 1e-6, heading="memory"),
    "concurrent_cache_hit_ratio": Metric("share of the queries beside saves that the cache answered", "%", 100),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def durability(self) -> list[Gate]:
        """Each save of a synced store was flushed to the device, none of another; none where no flush is counted."""
        trials = self.run.trials
        if FLUSHES not in trials or trials[FLUSHES].isna().any():
            return []
        waits = trials["configuration"].isin([*map(synced, STORES), JOURNAL])
        fewest, most = float(trials.loc[waits, FLUSHES].min()), float(trials.loc[~waits, FLUSHES].max())
        if not trials[FLUSHES].any():  # a device that keeps nothing back has nothing to flush
            return []
        said = f"{fewest:.2f} flushes for each save of a synced store at least, {most:.2f} of another at most"
        return [Gate("durability", fewest >= WAITED and most <= NOT_WAITED, fewest, said)]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        found = super().departures()
        if not self.durability():
            found.append("flushes of the device are not counted here, so that durability is declared and not certified")
        return found


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved; saves waited for the device where they were to, and there alone."""
    return [*summary.counts_agree(), *summary.durability()]


NUMBERS = {
    **{f"burst_{store}": ratio(BADGER, store, BURST) for store in OTHERS},
    "p95_sqlite": ratio(BADGER, SQLITE, P95),
    **{f"alone_{store}": ratio(BADGER, store, ALONE) for store in OTHERS},
    **{f"synced_{store}": ratio(synced(BADGER), synced(store), ALONE) for store in OTHERS},
    **{f"waits_{store}": ratio(synced(store), store, ALONE) for store in (BADGER, *OTHERS)},
    **{f"query_{store}": ratio(BADGER, store, QUERY) for store in OTHERS},
    **{f"busy_{store}": ratio(BADGER, store, BUSY) for store in OTHERS},
    "unequal": ratio(JOURNAL, BADGER, ALONE),
    "queue": ratio((BADGER, BURST), (BADGER, ALONE)),
    "queue_sqlite": ratio((SQLITE, BURST), (SQLITE, ALONE)),
    "under_way": average(BADGER, "most_under_way"),
    "under_way_sqlite": average(SQLITE, "most_under_way"),
    "flushes_journal": average(JOURNAL, FLUSHES),
    "flushes_synced": average(synced(BADGER), FLUSHES),
    "flushes_none": average(BADGER, FLUSHES),
    "cached": ratio(BADGER, CACHED, QUERY),
    "cached_busy": ratio(BADGER, CACHED, BUSY),
    "cache_hits": percent(average(CACHED, "concurrent_cache_hit_ratio")),
    **{f"written_{store}": level(store, "written_bytes_per_event", 1e3) for store in (BADGER, SQLITE)},
    "equal": ratio(*AA, BURST),
}


def _noted(label: str) -> dict[str, float]:
    return {"mean": notes.burst_ms(label, "avg"), "p95": notes.burst_ms(label, "p95")}


WORDS = {"noted_slow": lambda summary: _noted(SLOW), "noted_fast": lambda summary: _noted(FAST)}
