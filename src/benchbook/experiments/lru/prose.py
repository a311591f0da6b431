"""The chapter's sentences with numbers, and its tables, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.lru.answers import Z_LARGE, Z_SMALL, memory_mb
from benchbook.experiments.lru.arms import LARGE, MIDDLE, ONCE, SMALL, SQLITE, UNIFORM, ZIPF, at
from benchbook.experiments.lru.summary import TIME, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval


def note_claims() -> pd.DataFrame:
    """The note's three ways on, with what it expects of each."""
    told = notes.table("omendb_options").set_index("name")
    return told[["expected_gain", "expected_speedup_lo", "expected_speedup_hi", "risk"]].fillna("").rename(
        columns={"expected_gain": "gain", "expected_speedup_lo": "speed-up from", "expected_speedup_hi": "to"}
    )  # fmt: skip


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {summary.on()}, {p.rows:,} rows, sequential keys, written at once. At "
        f"least {p.lookups:,} look-ups a trial after {p.warm_lookups:,} others that fill the cache, and "
        f"{p.once_lookups:,} where each key is asked for once. {in_turns(p, all_of_them=True)}",
    )


def _over(summary: Summary, top: str, bottom: str) -> str:
    return with_interval(summary.over(top, bottom, TIME))


def gains(summary: Summary) -> Prose:
    """What the larger caches gain, by keys."""

    def zipf() -> str:
        return (
            f"With Zipf keys, a query is {_over(summary, Z_SMALL, Z_LARGE)} times as fast with "
            f"{summary.parameters.large_entries:,} rows cached as with {summary.parameters.small_entries:,}, and "
            f"{_over(summary, Z_SMALL, at(ZIPF, MIDDLE))} times with {summary.parameters.middle_entries:,}."
        )

    def uniform() -> str:
        return f"With uniform keys, {_over(summary, at(UNIFORM, SMALL), at(UNIFORM, LARGE))} times."

    def once() -> str:
        effect = _over(summary, at(ONCE, LARGE), at(ONCE, SMALL))
        return f"Where no key is asked for twice, the larger cache makes a query take {effect} times as long."

    return tell(zipf, uniform, once, otherwise="This run did not time the caches.")


def hits(summary: Summary) -> Prose:
    """What a hit and a miss cost, as far as the mean over all look-ups says."""

    def shares() -> str:
        small, large = (with_interval(summary.share(arm, "hit_ratio", "lookups"), 100) for arm in (Z_SMALL, Z_LARGE))
        return (
            f"A cache of {summary.parameters.small_entries:,} rows has {small} % of the Zipf keys, one of "
            f"{summary.parameters.large_entries:,} {large} %."
        )

    def memory() -> str:
        added = memory_mb(summary)
        each = added.point * 1e6 / summary.parameters.large_entries
        return f"Full, the larger takes {with_interval(added)} MB more, {each:,.0f} bytes for a row of some 20."

    return tell(shares, memory, otherwise="This run did not count hits.")


def speedups(summary: Summary) -> Prose:
    """The lead over SQLite, by cache and keys."""

    def lead(law: str) -> str:
        each = [_over(summary, at(law, SQLITE), at(law, use)) for use in (SMALL, LARGE)]
        return f"{each[0]} times with the note's cache and {each[1]} with the largest"

    def both() -> str:
        return f"Against SQLite as run, the engine is {lead(ZIPF)} for Zipf keys; {lead(UNIFORM)} for uniform ones."

    def locality() -> str:
        zipf, uniform = (
            summary.values(at(law, SMALL), TIME) / summary.values(at(law, LARGE), TIME) for law in (ZIPF, UNIFORM)
        )
        ratio = statistics.ratio(zipf, uniform, sessions=summary.sessions)
        return f"The larger cache gains {with_interval(ratio)} times as much with Zipf keys as with uniform ones."

    return tell(both, locality, otherwise="This run did not time SQLite.")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: time of a query, hits, memory."""
    columns: Columns = {
        **levels(summary, TIME),
        **means(summary, "hit_ratio", "memtable_rows", "anonymous_bytes", "lookups"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
