"""Sentences on what made the note's requests slow: hardly any was cached, and storage and way were slower than here."""

from __future__ import annotations

import numpy as np

from benchbook.experiments import notes
from benchbook.experiments.hot_cold_keys.arms import BY_CHANCE, HOT_CELL, PIPELINE
from benchbook.experiments.hot_cold_keys.slow import failed, implied, largest, mean_ms
from benchbook.experiments.hot_cold_keys.summary import Summary
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval

NOTE_TABLES = 30
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def chance_of_a_cached_request(summary: Summary) -> Prose:
    """How likely a request is to find all of its pages, if each is cached by itself."""
    pages = 2 * summary.parameters.n_tables

    def likely(share: float, together: int) -> str:
        return "10" + f"{together * np.log10(share):.0f}".translate(SUPERSCRIPT)

    ratio = notes.number("lakebase_before_after", "before_measured", metric="buffer_hit_ratio")

    def here() -> str:
        share = summary.mean(BY_CHANCE, "needed_in_pool_at_start")
        return (
            f"Of the pages that disjoint keys by chance need, {share:.1%} are cached when measuring begins: were each "
            f"cached by itself, a request would find all {pages} of them with a probability of {likely(share, pages)}."
        )

    return tell(
        here,
        f"At the note's {ratio:g} %, which counts heap pages, a request would find those of {NOTE_TABLES} tables with "
        f"a probability of {likely(ratio / 100, NOTE_TABLES)}; so the fastest of 1,000 is no sign of what a cached "
        "request takes.",
    )


def storage(summary: Summary) -> Prose:
    """Which storage and which way give the note's numbers."""

    def one_by_one() -> str:
        found = implied(summary)
        return (
            "With one round trip per table, a request whose pages are all cached takes the note's fastest time if a "
            f"round trip takes {with_interval(found.trip_ms)} ms more than here, and disjoint keys then take its "
            f"median if each block that is not cached takes {with_interval(found.read_ms)} ms more."
        )

    def at_once() -> str:
        read, trip = largest(summary)
        serial = with_interval(mean_ms(summary, HOT_CELL, read, trip))
        single = with_interval(mean_ms(summary, HOT_CELL, read, trip, PIPELINE))
        return (
            f"A round trip of {trip:g} ms makes a request for warmed keys take {serial} ms with one trip per table, "
            f"and {single} ms in one pipeline."
        )

    def certified() -> str:
        lost, every = failed(summary)
        if not every:
            raise NotEstimableError("no trial was on slower storage", "measure again")
        off = f"they were off by more than a fifth in {lost} of {every} trials"
        return f"The added reads and round trips were measured in each trial; {off}."

    return tell(
        one_by_one, at_once, certified,
        "A delay that never varies has no tail, so the note's P99 is not imitated.",
        otherwise="Nothing was measured on slower storage in this run.",
    )  # fmt: skip
