"""What a run of this chapter holds: which pages were cached, read, and read again; and times on slower storage."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from benchbook import notes, statistics
from benchbook.chapters.hot_cold_keys import arms
from benchbook.chapters.hot_cold_keys.arms import BASELINE, BY_CHANCE, DISJOINT, DISJOINT_CELL, HOT_CELL, SERIAL, cell
from benchbook.errors import BenchbookError
from benchbook.measuring.features import summary
from benchbook.measuring.features.arms import hot_share
from benchbook.measuring.features.treatment import same_reads
from benchbook.model import READS, Effect, Estimate
from benchbook.numbers.estimands import Estimand, Ground, ratio, share
from benchbook.numbers.summary import NotEstimableError

POOL_TIMES_WARMED = 4
"""L010 asks for a pool of at least four times the pages that the warm-up touches."""
POOL_PAGES_PER_MIB = 128
NS_PER_MS, MEAN, NOTE_MIN = 1e6, "mean_ns", "note_min_ns"
Cells = dict[tuple[str, float, float, str], Estimate]
"""Keys, what is added to a read and to a trip in ms, and client, to a mean in ms."""

disjoint_read, chance_read = same_reads(DISJOINT, BASELINE), same_reads(BY_CHANCE, BASELINE)


class Summary(summary.Summary[arms.Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def reading(self) -> list[str]:
        """The configurations that read tables, on this machine's own storage."""
        return [arm for arm in self.plain if arm != arms.EMPTY]

    @property
    def rungs(self) -> list[str]:
        """The shares of warmed keys but one: they have a figure of their own, and stand in the tables of the others."""
        return [hot_share(int(share)) for share in self.parameters.hot_shares_percent if int(share) != 80]

    @property
    def drawn(self) -> list[str]:
        """The configurations that read tables and are drawn everywhere."""
        return [arm for arm in self.reading if arm not in self.rungs]

    def course(self, arm: str) -> dict[int, float]:
        """Hit ratio in % of each counter window of a trial, by the request at which it ends."""
        found = (re.fullmatch(r"hit_ratio_until_(\d+)", column) for column in self.run.trials.columns)
        ends = sorted(int(match.group(1)) for match in found if match)
        names = {end: f"hit_ratio_until_{end}" for end in ends}
        return {end: 100 * self.mean(arm, name) for end, name in names.items() if self.has(arm, name)}


def rereads(summary: Summary) -> Estimate:
    """Share of the blocks read for the first 1,000 disjoint requests that had been read before in the trial."""
    pool_pages = summary.parameters.shared_buffers_mib * POOL_PAGES_PER_MIB
    if pool_pages < POOL_TIMES_WARMED * summary.values(DISJOINT, "warmed_pages").max():
        raise NotEstimableError(
            "the pool is smaller than four times the pages that the warm-up touched: our own setting would cause "
            "re-reads",
            "raise shared_buffers_mib",
        )
    return summary.share(DISJOINT, "reread_share", "note_reads")


def spread_of_minimum(summary: Summary) -> Estimate:
    """Factor between the minima of trials with keys by chance."""
    return statistics.geometric_sd(summary.values(BY_CHANCE, NOTE_MIN))


def with_fix(metric: str) -> Estimand:
    """Of the warmed keys over the disjoint ones, the note's mistake."""
    return ratio(BASELINE, DISJOINT, metric, idle=disjoint_read)


def certified(arm: str, **ground: Unpack[Ground]) -> Estimand:
    return share(arm, "needed_in_pool_at_start", "needed_pages", **ground)


def read_again(summary: Summary) -> np.ndarray:
    """The least share in % of reads in whole trials that must have been repeated: more were read than were absent."""
    reads = summary.values(DISJOINT, "pool_misses_per_request") * summary.values(DISJOINT, "requests")
    absent = summary.values(DISJOINT, "needed_pages") * (1 - summary.values(DISJOINT, "needed_in_pool_at_start"))
    return np.asarray(100 * np.maximum(0.0, 1 - absent / reads))


def first_reads(summary: Summary, arm: str) -> np.ndarray:
    """Blocks that each of the first 1,000 requests read, over all trials of a configuration; empty if not counted."""
    trials = summary.samples([arm], READS).groupby("trial")["latency_ns"]
    return np.concatenate([np.zeros(0, dtype=np.int64), *(each.to_numpy()[: arms.NOTE_REQUESTS] for _, each in trials)])


def means_ms(summary: Summary, *cells: str) -> tuple[np.ndarray, ...]:
    """Mean latencies of these cells, of the blocks of which none of their trials failed; shape (blocks,) each.

    Raises NotEstimableError below two blocks.
    """
    rows = [summary.in_blocks(name) for name in cells]
    if not all(len(each) and MEAN in each for each in rows):
        raise summary.missing(cells[0], MEAN)
    values = np.array([each[MEAN].to_numpy(dtype=float) for each in rows]) / NS_PER_MS
    whole = np.isfinite(values).all(axis=0)
    if whole.sum() < 2:
        raise summary.missing(cells[0], MEAN)
    return (*values[:, whole], whole)


def mean_ms(summary: Summary, keys: str, read_ms: float, trip_ms: float, client: str = SERIAL) -> Estimate:
    """Mean latency of a request in one cell, geometric mean over the trials that did not fail."""
    values, whole = means_ms(summary, cell(keys, read_ms, trip_ms, client))
    return summary.estimated(statistics.geometric_mean, values, of=whole)


def cells(summary: Summary) -> Cells:
    """The cells of which this run has two trials that did not fail."""
    p, found = summary.parameters, {}
    for keys in arms.CELLS:
        for client in (SERIAL, arms.PIPELINE):
            for read in sorted(p.added_read_ms):
                for trip in sorted(p.added_trip_ms):
                    with suppress(BenchbookError):
                        found[keys, read, trip, client] = mean_ms(summary, keys, read, trip, client)
    return found


def extremes(summary: Summary) -> tuple[Effect, Effect]:
    """Least and largest ratio of the means of warmed and disjoint keys among the cells in which reads take longer.

    Raises NotEstimableError where no read does.
    """
    p = summary.parameters
    places = [(read, trip) for read in p.added_read_ms if p.slower and read > 0 for trip in p.added_trip_ms]
    if not places:
        raise NotEstimableError("nothing was measured on slower storage", "give added_read_ms and added_trip_ms")
    found = [over_others(summary, *place) for place in places]
    return min(found, key=lambda each: each.point), max(found, key=lambda each: each.point)


def over_others(
    summary: Summary, read_ms: float, trip_ms: float, metric: str = MEAN, others: str = DISJOINT_CELL
) -> Effect:
    """A latency of warmed keys over that of others in the same place."""
    top, bottom = (cell(each, read_ms, trip_ms) for each in (HOT_CELL, others))
    return summary.ratio((top, metric), (bottom, metric))


def largest(summary: Summary) -> tuple[float, float]:
    """What is added to a read and to the round trip at most, in ms; raises NotEstimableError where nothing is."""
    p = summary.parameters
    if not p.slower:
        raise NotEstimableError("nothing was measured on slower storage", "give added_read_ms and added_trip_ms")
    return max(p.added_read_ms), max(p.added_trip_ms)


@dataclass(frozen=True)
class Implied:
    """With one round trip per look-up, what storage and way would give the note's fastest and its typical request.

    trip_ms: so long a round trip makes a request whose pages are all cached take as long as the note's fastest.
    read_ms: with it, so much more than on this machine's disk must each read take for its median of disjoint keys.
    """

    trip_ms: Estimate
    read_ms: Estimate


def implied(summary: Summary) -> Implied:
    """Both, by straight lines through the cells, block by block.

    Raises NotEstimableError where nothing was added, or less than two different values.
    """
    read, trip = largest(summary)
    p = summary.parameters
    if not (min(p.added_read_ms) == min(p.added_trip_ms) == 0 < min(read, trip)):
        raise NotEstimableError("nothing was measured both without and with added latency", "begin both lists with 0")
    fastest, typical = (before(name) for name in ("min", "p50"))
    places = ((HOT_CELL, 0, 0), (HOT_CELL, 0, trip), (DISJOINT_CELL, 0, 0), (DISJOINT_CELL, read, 0))
    hot, hot_far, cold, cold_slow, whole = means_ms(summary, *(cell(*place) for place in places))
    trips_ms = (fastest - hot) / ((hot_far - hot) / trip)
    reads_ms = (typical - fastest - (cold - hot)) / ((cold_slow - cold) / read)
    return Implied(*(summary.estimated(statistics.arithmetic_mean, each, of=whole) for each in (trips_ms, reads_ms)))


def failed(summary: Summary) -> dict[str, int]:
    """How many trials on slower storage or over a longer way failed, since these were not as slow as asked; and all."""
    slower = summary.of([arm for arm in summary.arms if arm not in summary.plain])
    if not len(slower):
        raise NotEstimableError("no trial was on slower storage", "measure again")
    return {"lost": int(slower["requests"].isna().sum()), "every": len(slower)}


def before(metric: str) -> float:
    """A number of the note's one run, in the unit of its table."""
    return notes.number("lakebase_before_after", "before_measured", metric=metric)
