"""The chapter's sentences with numbers, and its table, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook import statistics
from benchbook.experiments.environment import cache_bytes
from benchbook.experiments.families.kv.note import behind, printed
from benchbook.experiments.families.kv.options import MIB
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.arms import AGAIN, AS_RUN, BEFORE, RANDOM, WELL, name, short
from benchbook.experiments.scale.speedups import (
    INSERT,
    QUERY,
    both_ends,
    having,
    highest,
    mixed,
    of,
    on_hosts,
)
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape import by_host, telling
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, mean_count, with_interval
from benchbook.figures.prose import digits
from benchbook.model import Estimate

NOTHING = "This run timed nothing."


def note_claims() -> pd.DataFrame:
    """The note's column, and the two numbers behind each of its rows."""
    return notes.note_table()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    random = f", random ones at {_sizes(summary.random_rows)}" if p.random_rows else ""
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {summary.on()}. Sequential keys at {_sizes(summary.rows)} rows{random}; "
        f"{p.lookups:,} look-ups per trial at a fixed stride, timed in batches of {p.batch_lookups:,}. The state "
        f"before the options is measured twice (A/A) at {_sizes(sorted(p.again_rows))} rows. Separate trials time "
        f"single look-ups with {short(p.tail_rows)} rows. {in_turns(p)}",
    )


def answer(summary: Summary) -> Prose:
    """Whether the lead shrinks with scale, in a few sentences with intervals."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN)

    def lead() -> str:
        query, insert = (both_ends(summary, sizes, metric) for metric in (QUERY, INSERT))
        return f"The speed-up over SQLite as run is, of queries, {query}. Of inserts it is {insert}."

    def longer(system: str, first: int, last: int) -> str:
        def compute(some: Summary, confidence: float) -> Estimate:
            return some.over(name(system, last), name(system, first), QUERY, confidence=confidence)

        return by_host.in_words(summary, compute)

    def change() -> str:
        first, last = min(sizes), max(sizes)
        fall = statistics.ratio(of(summary, QUERY, last), of(summary, QUERY, first), sessions=summary.sessions)
        omendb, sqlite = (longer(system, first, last) for system in (BEFORE, AS_RUN))
        return (
            f"From {short(first)} to {short(last)} rows, the query speed-up changes by a factor of "
            f"{with_interval(fall)}. As a multiple of its time at first, a look-up takes {omendb} in the note's engine "
            f"and {sqlite} in SQLite."
        )

    said = [*([lead] if sizes else []), *([change] if len(sizes) > 1 else [])]
    return tell(*said, otherwise=NOTHING)


def column(summary: Summary) -> Prose:
    """What the note's column says when its last row is made like the others, and the others like its last."""
    stated, query, means = printed(), behind("query"), notes.mixed_behind()
    first, last = min(stated), max(stated)

    def measured() -> str:
        start = mixed(summary, first)
        as_printed, mean, alone = (
            with_interval(statistics.ratio(end, begin, sessions=summary.sessions))
            for end, begin in (
                (of(summary, QUERY, last), start),
                (mixed(summary, last), start),
                (of(summary, QUERY, last), of(summary, QUERY, first)),
            )
        )
        return (
            f"Measured here between the same two sizes: mixed as printed {as_printed}, the mean {mean}, the query "
            f"alone {alone}."
        )

    return tell(
        f"As printed, the note's column falls from {stated[first]:g} to {stated[last]:g}, to "
        f"{stated[last] / stated[first]:.2f} of its start. With the mean in every row, its own numbers fall to "
        f"{means[last] / means[first]:.2f} ({means[first]:.2f} to {means[last]:.2f}), with the query alone to "
        f"{query[last] / query[first]:.2f} ({query[first]:g} to {query[last]:g}): the mixture describes neither.",
        measured,
    )


def comparator(summary: Summary) -> Prose:
    """What is left of the speed-up when SQLite is used well."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
    if not sizes:
        return Prose(NOTHING)
    query, insert = (both_ends(summary, sizes, metric, base=WELL) for metric in (QUERY, INSERT))
    faster = [short(rows) for rows in sizes if highest(summary, QUERY, rows, base=WELL) < 1]
    ahead = f"SQLite answers queries faster at {', '.join(faster)} rows" if faster else (
        "The interval of the query speed-up is not entirely below 1 at any size"
    )  # fmt: skip

    def synced(system: str) -> str:
        arm = name(system, max(sizes))
        return f"{summary.label(arm)} {mean_count(summary.values(arm, 'insert_syncs').mean())}"

    syncs = told(*(partial(synced, system) for system in (BEFORE, AS_RUN, WELL)))
    return Prose(
        f"Against SQLite used well, the speed-up of queries is {query}. That of inserts is {insert}. {ahead}. "
        f"Calls that make data durable during the whole insert: {'; '.join(syncs)}. An engine that makes none can lose "
        "the whole insert in a power cut; this risk is part of the price of its faster inserts."
    )


def held(summary: Summary) -> Prose:
    """Where the rows were when they were looked up, and what the note's tree had become."""
    wanted = ("memtable_rows", "table_files", "index_leaves")
    seen = {rows: name(BEFORE, rows) for rows in summary.rows if summary.has(name(BEFORE, rows), *wanted)}
    if not seen:
        return Prose("This run did not record where the rows were.")
    share = min(float((summary.values(arm, "memtable_rows") / rows).min()) for rows, arm in seen.items())
    files = max(float(summary.values(arm, "table_files").max()) for arm in seen.values())
    rows = max(seen)
    leaves = float(summary.values(seen[rows], "index_leaves").mean())
    unasked = ": block cache and filters, which serve files, were not used." if files == 0 else "."

    def missed(rows: int) -> str:
        return f"{summary.values(name(AS_RUN, rows), 'pages_missed_per_lookup').mean():.2f} at {short(rows)}"

    pages = told(*(partial(missed, rows) for rows in summary.rows))
    portion = "all rows" if share >= 1 else f"at least {share:.1%} of the rows"
    files_said = "was no table file" if files == 0 else f"were at most {files:,.0f} table files"
    return tell(
        f"In every trial before the options, {portion} were in RocksDB's memtable while they were looked up, and there "
        f"{files_said}{unasked}",
        f"The note's tree, filled in key order, has {leaves:,.0f} leaves at {short(rows)} rows, with "
        f"{rows / leaves:.1f} keys each; a look-up starts with a binary search over the leaves.",
        f"Page-cache misses per look-up in SQLite as run: {', '.join(pages)} rows." if pages else "",
    )


def caches(summary: Summary) -> Prose:
    """Which sizes the processor's cache can hold whole: they look faster than where the cache is smaller."""
    taken = {
        rows: summary.mean(name(BEFORE, rows), "anonymous_bytes")
        for rows in summary.rows
        if summary.has(name(BEFORE, rows), "anonymous_bytes")
    }
    if not taken:
        return Prose("This run did not record how much memory the engines took.")
    words = ", ".join(f"{digits(held / MIB)} MiB at {short(rows)}" for rows, held in taken.items())
    text = f"Before the options, the process of the note's engine takes {words} rows."
    cache = cache_bytes(summary.run.provenance)
    if cache is None:
        return Prose(f"{text} A large cache of the processor, often shared by all of its cores, flatters small sizes.")
    fit = [short(rows) for rows, held in taken.items() if held <= cache]
    which = f"it can hold all of that at {', '.join(fit)} rows" if fit else "it can hold that at no size"
    return Prose(
        f"{text} The processor reports a cache of {digits(cache / MIB)} MiB, shared by its cores: {which}. A large "
        "cache flatters the sizes that fit; with a smaller one they would wait for memory too, and the lead at small "
        "sizes could be another."
    )


def random_keys(summary: Summary) -> Prose:
    """Whether random keys change the picture."""
    sizes = having(summary, having(summary, summary.random_rows, BEFORE, AS_RUN, keys=RANDOM), BEFORE, AS_RUN)
    if not sizes:
        return Prose("This run has no trials with random keys.")
    rows, words = max(sizes), []
    for metric, what in ((QUERY, "query"), (INSERT, "insert")):
        random = of(summary, metric, rows, keys=RANDOM)
        change = with_interval(statistics.ratio(random, of(summary, metric, rows), sessions=summary.sessions))
        words.append(
            f"{what} speed-up {on_hosts(summary, metric, rows, keys=RANDOM)}, {change} times that of sequential keys"
        )
    return Prose(f"With random keys at {short(rows)} rows: {'; '.join(words)}.")


def noise(summary: Summary) -> Prose:
    """How far the state before the options differs from itself."""

    def itself(rows: int) -> str:
        again, first = name(AGAIN, rows), name(BEFORE, rows)
        query, insert = (with_interval(summary.over(again, first, metric)) for metric in (QUERY, INSERT))
        return f"{short(rows)} query {query}, insert {insert}"

    words = told(*(partial(itself, rows) for rows in sorted(summary.parameters.again_rows)))
    if not words:
        return Prose(NOTHING)
    return Prose(
        f"The state before the options against itself (A/A), as ratios, by rows: {'; '.join(words)}. With "
        f"{summary.parameters.lookups:,} look-ups, a trial lasts a few milliseconds; differences of this size are "
        "noise."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: insert, look-up, what was in memory, with intervals where a claim rests on it."""
    columns: Columns = {
        "insert (µs per row)": lambda arm: with_interval(summary.row_us(arm)),
        **means(summary, "index_insert_s"),
        **levels(summary, QUERY, "query_middle_ns"),
        **means(summary, "memtable_rows", "pages_missed_per_lookup", "insert_syncs", "anonymous_bytes"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def _sizes(sizes: list[int]) -> str:
    return ", ".join(short(rows) for rows in sizes)
