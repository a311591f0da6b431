"""Sentences on what made the note's requests slow: hardly any was cached, and storage and way were slower than here."""

from __future__ import annotations

import numpy as np

from benchbook.experiments import notes
from benchbook.experiments.hot_cold_keys.answers import FEW_COLD
from benchbook.experiments.hot_cold_keys.arms import (
    BASELINE,
    BY_CHANCE,
    DISJOINT_CELL,
    HOT_CELL,
    MIXED_CELL,
    PIPELINE,
    cell,
    zipf_name,
)
from benchbook.experiments.hot_cold_keys.slow import extremes, failed, implied, largest, mean_ms, over_disjoint
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
            f"median if each block that is not cached takes {with_interval(found.read_ms)} ms more. But its fastest "
            "request was hardly a cached one, and a shorter way with slower reads would do as well: of a later run, "
            f"with {100 * notes.reading('later_run_hot_share'):.0f} % of the requests for warmed keys, its repository "
            f"reports a median of {notes.reading('later_run_p50_ms'):g} ms."
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


def fall(summary: Summary) -> Prose:
    """How far warmed keys take a request there, and why that decides no claim on the size of the fall."""

    def slower_reads() -> str:
        least, most = (with_interval(effect) for effect in extremes(summary))
        return (
            f"Where reads are slowed, warmed keys take the mean to between {least} and {most} of that of disjoint "
            "keys, so that the note's upper bounds would hold there too."
        )

    def longer_way() -> str:
        _, trip = largest(summary)
        way = with_interval(over_disjoint(summary, 0, trip))
        return f"Where only the way is longer, by {trip:g} ms a trip, they take it to {way}."

    def fastest() -> str:
        read, trip = largest(summary)
        hot, mixed = (
            with_interval(summary.ratio((cell(HOT_CELL, read, trip), each), (cell(other, read, trip), each)))
            for other, each in ((DISJOINT_CELL, "note_min_ns"), (MIXED_CELL, "note_min_ns"))
        )
        return (
            f"With the longest of both, the fastest request for warmed keys takes {hot} times as long as the fastest "
            f"for disjoint ones, whose pages nobody had read, and {mixed} times as long as the fastest where four "
            "requests in five are for warmed keys, which is one of these."
        )

    return tell(
        slower_reads, longer_way, fastest,
        "The note names neither its reads nor its way. To take them from its fastest and its median request would "
        "assume the fall that is to be tested, and a delay that never varies has no P99. So the claims on how far P99, "
        "median and minimum fall stay open.",
        otherwise="Nothing was measured on slower storage in this run.",
    )  # fmt: skip


def few_cold(summary: Summary) -> Prose:
    """What a few cold requests do to the P99, and what the note's repository saw later."""

    def hundredth() -> str:
        few = with_interval(summary.ratio((FEW_COLD, "p99_ns"), (BASELINE, "p99_ns")))
        return f"With 1 % of the requests for unwarmed keys, the P99 is {few} times that of warmed keys alone."

    def popular() -> str:
        return " ".join(
            f"With all keys drawn by popularity, Zipf {each:g}, in the warm-up as in the measurement, it is "
            f"{with_interval(summary.ratio((zipf_name(each), 'p99_ns'), (BASELINE, 'p99_ns')))} times."
            for each in summary.parameters.zipf_exponents
        )

    hot, every = (notes.reading(f"later_run_{name}_p99_ms") for name in ("hot", "blended"))
    return tell(
        hundredth, popular,
        "That is so by construction: once more than 1 % of the requests are cold, the slowest hundredth consists of "
        "cold ones. The unwarmed keys here are as cold as can be, since nothing had read them or their neighbours.",
        f"The note's repository reports the same of a later run, with one request in five for cold keys: a P99 of "
        f"{hot:g} ms for the warmed keys, and of {every:g} ms for all.",
    )  # fmt: skip
