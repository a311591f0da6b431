"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook import statistics
from benchbook.experiments.scale import notes
from benchbook.experiments.scale.arms import AFTER, AGAIN, AS_RUN, BEFORE, RANDOM, WELL, name, short
from benchbook.experiments.scale.speedup_figures import ends, having, series
from benchbook.experiments.scale.speedups import INSERT, QUERY, effect, mixed, of
from benchbook.experiments.scale.summary import Summary
from benchbook.experiments.sentences import departing, opening
from benchbook.figures import Prose, mean_count, with_interval

NOTHING = Prose("Nothing was timed in this run.")
TARGET = 2.0
"""The note's own target for the speed-up."""


def note_claims() -> pd.DataFrame:
    """The note's column, and the two numbers behind each of its rows."""
    return notes.note_table()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p, run = summary.parameters, summary.run
    random = f", random ones at {_sizes(summary.random_rows)}" if p.random_rows else ""
    text = (
        f"{opening(run)} {len(summary.arms)} configurations, "
        f"{run.provenance.get('engine_version', '')}. Sequential keys at {_sizes(summary.rows)} rows"
        f"{random}; {p.lookups:,} look-ups a trial at a fixed stride, timed in batches of {p.batch_lookups:,}. The "
        f"state before the options is measured twice (A/A) at {_sizes(sorted(p.again_rows))} rows. Single look-ups are "
        f"timed in trials of their own with {short(p.tail_rows)} rows."
    )
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """Whether the lead shrinks with scale, in a few sentences with intervals."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN)
    if not sizes:
        return NOTHING
    first, last = min(sizes), max(sizes)
    query, insert = (series(sizes, partial(of, summary, metric)) for metric in (QUERY, INSERT))
    sentences = [f"The query speed-up over SQLite as run is {ends(query)}; the insert speed-up is {ends(insert)}."]
    if last > first:
        fall = statistics.ratio(of(summary, QUERY, last), of(summary, QUERY, first))
        slower = {
            system: statistics.ratio(
                summary.values(name(system, last), QUERY), summary.values(name(system, first), QUERY)
            )
            for system in (BEFORE, AS_RUN)
        }
        sentences.append(
            f"From {short(first)} to {short(last)} rows the query speed-up changes by a factor of "
            f"{with_interval(fall)}: a look-up takes {with_interval(slower[BEFORE])} times as long in the note's "
            f"engine and {with_interval(slower[AS_RUN])} times as long in SQLite."
        )
    return Prose(" ".join(sentences))


def column(summary: Summary) -> Prose:
    """What the note's column says when its last row is made like the others, and the others like its last."""
    printed, query, means = notes.printed(), notes.behind("query"), notes.mixed_behind()
    first, last = min(printed), max(printed)
    text = (
        f"Printed, the note's column falls from {printed[first]:g} to {printed[last]:g}, to "
        f"{printed[last] / printed[first]:.2f} of itself. With the mean in every row its own numbers fall to "
        f"{means[last] / means[first]:.2f} ({means[first]:.2f} to {means[last]:.2f}), with the query alone to "
        f"{query[last] / query[first]:.2f} ({query[first]:g} to {query[last]:g}): the mixture describes neither."
    )
    if len(having(summary, [first, last], BEFORE, AS_RUN)) < 2:
        return Prose(text)
    mean_fall = statistics.ratio(mixed(summary, last), mixed(summary, first))
    query_fall = statistics.ratio(of(summary, QUERY, last), of(summary, QUERY, first))
    as_printed = statistics.ratio(of(summary, QUERY, last), mixed(summary, first))
    return Prose(
        f"{text} Measured here between the same two sizes: mixed as printed {with_interval(as_printed)}, the mean "
        f"{with_interval(mean_fall)}, the query alone {with_interval(query_fall)}."
    )


def comparator(summary: Summary) -> Prose:
    """What is left of the speed-up when SQLite is used well."""
    sizes = having(summary, summary.rows, BEFORE, AS_RUN, WELL)
    if not sizes:
        return NOTHING
    query, insert = (series(sizes, partial(of, summary, metric, base=WELL)) for metric in (QUERY, INSERT))
    faster = [short(rows) for rows in sizes if query[rows].high < 1]
    ahead = f"SQLite is the faster one to query at {', '.join(faster)} rows" if faster else (
        "At no size does the interval of the query speed-up lie wholly below 1"
    )  # fmt: skip
    syncs = [
        f"{summary.labels[arm]} {mean_count(summary.values(arm, 'insert_syncs').mean())}"
        for arm in (name(system, max(sizes)) for system in (BEFORE, AS_RUN, WELL))
        if summary.has(arm, "insert_syncs")
    ]
    return Prose(
        f"Against SQLite used well the query speed-up is {ends(query)}, the insert speed-up {ends(insert)}. {ahead}. "
        f"Calls that make data durable, for the whole insert: {'; '.join(syncs)}. An engine that makes none can lose "
        "the whole insert in a power cut; the speed-up in inserts is bought with that too."
    )


def held(summary: Summary) -> Prose:
    """Where the rows were when they were looked up, and what the note's tree had become."""
    arms = [(rows, name(BEFORE, rows)) for rows in summary.rows]
    seen = [(rows, arm) for rows, arm in arms if summary.has(arm, "memtable_rows", "table_files", "index_leaves")]
    if not seen:
        return Prose("This run did not record where the rows were.")
    share = min(float((summary.values(arm, "memtable_rows") / rows).min()) for rows, arm in seen)
    files = max(float(summary.values(arm, "table_files").max()) for _, arm in seen)
    rows, arm = seen[-1]
    leaves = float(summary.values(arm, "index_leaves").mean())
    text = (
        f"In every trial before the options at least {share:.1%} of the rows were in RocksDB's memtable while they "
        f"were looked up, and there were at most {files:,.0f} table files"
        + (": block cache and filters, which serve files, were not asked." if files == 0 else ".")
        + f" The note's tree, filled in key order, has {leaves:,.0f} leaves at {short(rows)} rows, {rows / leaves:.1f} "
        "keys in each; a look-up halves the list of leaves first."
    )
    missed = [
        f"{summary.values(arm, 'pages_missed_per_lookup').mean():.2f} at {short(rows)}"
        for rows, arm in ((rows, name(AS_RUN, rows)) for rows in summary.rows)
        if summary.has(arm, "pages_missed_per_lookup")
    ]
    if missed:
        text += f" SQLite as run misses its page cache so many times a look-up: {', '.join(missed)} rows."
    return Prose(text)


def random_keys(summary: Summary) -> Prose:
    """Whether random keys change the picture."""
    sizes = [
        rows
        for rows in having(summary, summary.random_rows, BEFORE, AS_RUN, keys=RANDOM)
        if rows in having(summary, summary.rows, BEFORE, AS_RUN)
    ]
    if not sizes:
        return Prose("This run has no trials with random keys.")
    rows = max(sizes)
    words = []
    for metric, what in ((QUERY, "query"), (INSERT, "insert")):
        change = statistics.ratio(of(summary, metric, rows, keys=RANDOM), of(summary, metric, rows))
        words.append(f"{what} speed-up {with_interval(effect(of(summary, metric, rows, keys=RANDOM)))}, "
                     f"{with_interval(change)} times that of sequential keys")  # fmt: skip
    return Prose(f"With random keys at {short(rows)} rows: {'; '.join(words)}.")


def noise(summary: Summary) -> Prose:
    """How far the state before the options differs from itself."""
    words = []
    for rows in sorted(summary.parameters.again_rows):
        if not summary.has(name(AGAIN, rows), QUERY, INSERT):
            continue
        again = {
            what: statistics.ratio(
                summary.values(name(AGAIN, rows), metric), summary.values(name(BEFORE, rows), metric)
            )
            for what, metric in (("query", QUERY), ("insert", INSERT))
        }
        words.append(f"{short(rows)} " + ", ".join(f"{what} {with_interval(each)}" for what, each in again.items()))
    if not words:
        return NOTHING
    return Prose(
        f"The state before the options against itself (A/A), as ratios, by rows: {'; '.join(words)}. With "
        f"{summary.parameters.lookups:,} look-ups a trial lasts a few milliseconds; differences of this size are noise."
    )


def advice(summary: Summary) -> Prose:
    """The note's advice on sizes and wording, answered with what was seen."""
    sizes = having(summary, summary.rows, BEFORE, AFTER, AS_RUN)
    if not sizes:
        return NOTHING
    reached = [
        f"{with_interval(found)} at {short(rows)}"
        for rows, found in series(sizes, partial(of, summary, QUERY, system=AFTER)).items()
    ]
    beyond = [short(rows) for rows in sizes if rows > max(notes.SIZES)]
    more = (
        f"Beyond the note's sizes this run has {', '.join(beyond)}."
        if beyond
        else "The paper profile goes on to 25M and 50M rows, after it has said how much time and memory that takes."
    )
    at_target = all(effect(of(summary, QUERY, rows, system=AFTER)).low > TARGET for rows in sizes)
    verdict = "every interval lies above" if at_target else "not every interval lies above"
    return Prose(
        f"The note advises to benchmark at 10M, 25M and 50M rows, and to claim speed at very large scale only after "
        f"more work. {more} After its options the query speed-up over SQLite as run is {', '.join(reached)} rows: "
        f"{verdict} the note's own target of {TARGET:g}."
    )


def _sizes(sizes: list[int]) -> str:
    return ", ".join(short(rows) for rows in sizes)
