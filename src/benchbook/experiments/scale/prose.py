"""The chapter's sentences with numbers, and its table, computed from the run that the page shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pandas as pd

from benchbook import statistics
from benchbook.experiments.families.kv.note import SIZES, behind, printed
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.arms import AFTER, AGAIN, AS_RUN, BEFORE, RANDOM, WELL, name, short
from benchbook.experiments.scale.speedups import INSERT, QUERY, effect, ends, having, mixed, of, series
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import table
from benchbook.experiments.shape.telling import tell, told
from benchbook.figures import Prose, mean_count, with_interval

NOTHING = "Nothing was timed in this run."
TARGET = 2.0
"""The note's own target for the speed-up."""


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
        f"{p.lookups:,} look-ups a trial at a fixed stride, timed in batches of {p.batch_lookups:,}. The state before "
        f"the options is measured twice (A/A) at {_sizes(sorted(p.again_rows))} rows. Single look-ups are timed in "
        f"trials of their own with {short(p.tail_rows)} rows.",
    )


def answer(summary: Summary) -> Prose:
    """Whether the lead shrinks with scale, in a few sentences with intervals."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN)

    def lead() -> str:
        query, insert = (ends(series(summary, sizes, metric)) for metric in (QUERY, INSERT))
        return f"The query speed-up over SQLite as run is {query}; the insert speed-up is {insert}."

    def change() -> str:
        first, last = min(sizes), max(sizes)
        fall = statistics.ratio(of(summary, QUERY, last), of(summary, QUERY, first))
        omendb, sqlite = (
            with_interval(summary.over(name(system, last), name(system, first), QUERY)) for system in (BEFORE, AS_RUN)
        )
        return (
            f"From {short(first)} to {short(last)} rows the query speed-up changes by a factor of "
            f"{with_interval(fall)}: a look-up takes {omendb} times as long in the note's engine and {sqlite} times as "
            "long in SQLite."
        )

    return tell(*([lead] if sizes else []), *([change] if len(sizes) > 1 else []), otherwise=NOTHING)


def column(summary: Summary) -> Prose:
    """What the note's column says when its last row is made like the others, and the others like its last."""
    stated, query, means = printed(), behind("query"), notes.mixed_behind()
    first, last = min(stated), max(stated)

    def measured() -> str:
        start = mixed(summary, first)
        as_printed, mean, alone = (
            with_interval(statistics.ratio(end, begin))
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
        f"Printed, the note's column falls from {stated[first]:g} to {stated[last]:g}, to "
        f"{stated[last] / stated[first]:.2f} of itself. With the mean in every row its own numbers fall to "
        f"{means[last] / means[first]:.2f} ({means[first]:.2f} to {means[last]:.2f}), with the query alone to "
        f"{query[last] / query[first]:.2f} ({query[first]:g} to {query[last]:g}): the mixture describes neither.",
        measured,
    )


def comparator(summary: Summary) -> Prose:
    """What is left of the speed-up when SQLite is used well."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
    if not sizes:
        return Prose(NOTHING)
    query, insert = (series(summary, sizes, metric, base=WELL) for metric in (QUERY, INSERT))
    faster = [short(rows) for rows in sizes if query[rows].high < 1]
    ahead = f"SQLite is the faster one to query at {', '.join(faster)} rows" if faster else (
        "At no size does the interval of the query speed-up lie wholly below 1"
    )  # fmt: skip

    def synced(system: str) -> str:
        arm = name(system, max(sizes))
        return f"{summary.label(arm)} {mean_count(summary.values(arm, 'insert_syncs').mean())}"

    syncs = told(*(partial(synced, system) for system in (BEFORE, AS_RUN, WELL)))
    return Prose(
        f"Against SQLite used well the query speed-up is {ends(query)}, the insert speed-up {ends(insert)}. {ahead}. "
        f"Calls that make data durable, for the whole insert: {'; '.join(syncs)}. An engine that makes none can lose "
        "the whole insert in a power cut; the speed-up in inserts is bought with that too."
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
    unasked = ": block cache and filters, which serve files, were not asked." if files == 0 else "."

    def missed(rows: int) -> str:
        return f"{summary.values(name(AS_RUN, rows), 'pages_missed_per_lookup').mean():.2f} at {short(rows)}"

    pages = told(*(partial(missed, rows) for rows in summary.rows))
    return tell(
        f"In every trial before the options at least {share:.1%} of the rows were in RocksDB's memtable while they "
        f"were looked up, and there were at most {files:,.0f} table files{unasked}",
        f"The note's tree, filled in key order, has {leaves:,.0f} leaves at {short(rows)} rows, {rows / leaves:.1f} "
        "keys in each; a look-up halves the list of leaves first.",
        f"SQLite as run misses its page cache so many times a look-up: {', '.join(pages)} rows." if pages else "",
    )


def random_keys(summary: Summary) -> Prose:
    """Whether random keys change the picture."""
    sizes = having(summary, having(summary, summary.random_rows, BEFORE, AS_RUN, keys=RANDOM), BEFORE, AS_RUN)
    if not sizes:
        return Prose("This run has no trials with random keys.")
    rows, words = max(sizes), []
    for metric, what in ((QUERY, "query"), (INSERT, "insert")):
        random = of(summary, metric, rows, keys=RANDOM)
        change = with_interval(statistics.ratio(random, of(summary, metric, rows)))
        words.append(f"{what} speed-up {with_interval(effect(random))}, {change} times that of sequential keys")
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
        f"{summary.parameters.lookups:,} look-ups a trial lasts a few milliseconds; differences of this size are noise."
    )


def advice(summary: Summary) -> Prose:
    """The note's advice on sizes and wording, answered with what was seen."""
    found = series(summary, having(summary, summary.rows, BEFORE, AFTER, AS_RUN), QUERY, system=AFTER)
    if not found:
        return Prose(NOTHING)
    reached = ", ".join(f"{with_interval(each)} at {short(rows)}" for rows, each in found.items())
    beyond = [short(rows) for rows in found if rows > max(SIZES)]
    more = (
        f"Beyond the note's sizes this run has {', '.join(beyond)}."
        if beyond
        else "The paper profile goes on to 25M and 50M rows, after it has said how much time and memory that takes."
    )
    verdict = "every" if all(each.low > TARGET for each in found.values()) else "not every"
    return Prose(
        f"The note advises to benchmark at 10M, 25M and 50M rows, and to claim speed at very large scale only after "
        f"more work. {more} After its options the query speed-up over SQLite as run is {reached} rows: {verdict} "
        f"interval lies above the note's own target of {TARGET:g}."
    )


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: insert, look-up, what was in memory, with intervals where a claim rests on it."""
    columns: dict[str, Callable[[str], str]] = {
        "insert (µs a row)": lambda arm: with_interval(summary.row_us(arm)),
        "of it the index (s)": lambda arm: f"{summary.values(arm, 'index_insert_s').mean():.3g}",
        "look-up, mean (µs)": lambda arm: with_interval(summary.level(arm, QUERY, 1e3)),
        "look-up, middle batch (µs)": lambda arm: with_interval(summary.level(arm, "query_middle_ns", 1e3)),
        "rows in the memtable": lambda arm: f"{summary.values(arm, 'memtable_rows').mean():,.0f}",
        "pages missed a look-up": lambda arm: f"{summary.values(arm, 'pages_missed_per_lookup').mean():.2f}",
        "fsyncs of the insert": lambda arm: mean_count(summary.values(arm, "insert_syncs").mean()),
        "anonymous memory (MB)": lambda arm: f"{summary.values(arm, 'anonymous_bytes').mean() / 1e6:,.0f}",
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def _sizes(sizes: list[int]) -> str:
    return ", ".join(short(rows) for rows in sizes)
