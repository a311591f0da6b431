"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

import pandas as pd

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments.per_block import NotEstimableError
from benchbook.experiments.sentences import departing, opening
from benchbook.experiments.sqlite_fairness import notes
from benchbook.experiments.sqlite_fairness.arms import COMMITS, ONCE_WARM, ONE_WRITE, TIMED, WARM, at, note
from benchbook.experiments.sqlite_fairness.judgements import CLAIMED_SIZES, speedup_over_sizes
from benchbook.experiments.sqlite_fairness.summary import MB, Summary
from benchbook.experiments.sqlite_fairness.uses import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    DEFAULT,
    LOOKUPS,
    NO_LOG,
    ONCE,
    UNSYNCED,
    WRITES,
)
from benchbook.figures import Prose, mean_count, with_interval
from benchbook.model import Effect


def note_claims() -> pd.DataFrame:
    """The speed-ups that the note prints."""
    return notes.note_tables()


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    text = (
        f"{opening(summary.run)} {len(summary.arms)} configurations, "
        f"{summary.run.provenance['engine_version']}. The note's benchmark with "
        f"{', '.join(f'{rows:,}' for rows in p.sizes)} rows and {p.queries:,} look-ups; settings at "
        f"{p.ladder_rows:,} rows, {p.ladder_queries:,} uniform look-ups after {p.warm_queries:,} others; writers of "
        f"{p.commits:,} commits of {p.commit_rows:,} rows, and of one commit of {p.one_write_rows:,}."
    )
    return Prose(text + departing(summary.departures()))


def answer(summary: Summary) -> Prose:
    """The speed-up at the largest size, by how SQLite was used."""
    rows = summary.parameters.largest
    try:
        effects = {use: summary.ratio(note(use, rows), note(AFTER, rows)) for use in (AS_RUN, ONCE, BEST)}
        before = summary.ratio(note(AS_RUN, rows), note(BEFORE, rows))
    except NotEstimableError as error:
        return Prose(f"This run cannot say: {error.problem}.")
    text = (
        f"At {rows:,} rows the note's engine with its options after is {with_interval(effects[AS_RUN])} times as fast "
        f"as SQLite prepared for every query, as the note ran it ({with_interval(before)} with the options before); "
        f"{with_interval(effects[ONCE])} times as fast as SQLite prepared once, and {with_interval(effects[BEST])} "
        f"times as fast as SQLite in one read transaction with the file mapped: {_who(effects[BEST])}."
    )
    if rows == CLAIMED_SIZES[-1]:
        text += (
            f" The note has {notes.speedups('query')[rows]:.2f} before and {notes.speedup_after():.2f} after its "
            "change."
        )
    return Prose(text)


def _who(effect: Effect) -> str:
    """Who is faster by a speed-up over SQLite, if the interval says so."""
    if effect.low > 1:
        return "the note's engine is the faster one"
    return "SQLite is the faster one" if effect.high < 1 else "neither is shown to be faster"


def over_sizes(summary: Summary) -> Prose:
    """The note's advertised range against the mean over its sizes, for each use of SQLite."""
    try:
        each = {use: speedup_over_sizes(summary, use) for use in (AS_RUN, ONCE, BEST)}
    except NotEstimableError as error:
        return Prose(f"The mean over the note's four sizes cannot be told from this run: {error.problem}.")
    return Prose(
        f"Over the note's {len(CLAIMED_SIZES)} sizes the geometric mean of the speed-up is "
        + "; ".join(f"{with_interval(effect)} against {LOOKUPS[use].label}" for use, effect in each.items())
        + "."
    )


def preparing(summary: Summary) -> Prose:
    """What preparing the statement for every query costs."""
    parts = []
    for rows in summary.parameters.sizes:
        try:
            apart = statistics.difference(
                summary.values(note(AS_RUN, rows), "query_mean_ns") / 1e3,
                summary.values(note(ONCE, rows), "query_mean_ns") / 1e3,
            )
            ratio = summary.ratio(note(AS_RUN, rows), note(ONCE, rows))
        except NotEstimableError:
            continue
        parts.append(f"{rows:,} rows: {with_interval(apart)} µs more, {with_interval(ratio)} times as long")
    if not parts:
        return Prose("Nothing was timed in this run.")
    return Prose(f"Prepared for every query instead of once, a look-up takes: {'; '.join(parts)}.")


def settings(summary: Summary) -> Prose:
    """Which settings change a warm look-up, with intervals that hold together."""
    others = [arm for arm in summary.having(WARM, "query_mean_ns") if arm != ONCE_WARM and _is_sqlite(arm)]
    try:
        effects = statistics.many_to_one(
            summary.values(ONCE_WARM, "query_mean_ns"),
            {summary.label(arm): summary.values(arm, "query_mean_ns") for arm in others},
        )
    except BenchbookError as error:
        return Prose(f"The settings cannot be compared in this run: {error.problem}.")
    moved = {label: e for label, e in effects.items() if e.low > 1 or e.high < 1}
    still = [label for label in effects if label not in moved]
    text = "Against “prepared once”, with intervals that hold together: " + (
        "; ".join(f"{label} {with_interval(e)}" for label, e in moved.items()) or "no setting is shown to change it"
    )
    if still:
        text += f". Not shown to differ: {'; '.join(still)}"
    return Prose(f"{text}.")


def _is_sqlite(arm: str) -> bool:
    return not any(name in arm for name in (BEFORE, AFTER))


def tails(summary: Summary) -> Prose:
    """Speed-ups of quantiles, which a mean hides."""
    parts = []
    for metric, name in (("query_p50_ns", "P50"), ("query_p99_ns", "P99")):
        try:
            effects = [
                f"{with_interval(summary.ratio(at(TIMED, use), at(TIMED, AFTER), metric))} ({LOOKUPS[use].label})"
                for use in (AS_RUN, ONCE, BEST)
            ]
        except NotEstimableError:
            continue
        parts.append(f"{name}: {', '.join(effects)}")
    return Prose(f"Speed-up over SQLite by quantile: {'; '.join(parts)}." if parts else "No quantile is estimable.")


def where_rows_lie(summary: Summary) -> Prose:
    """What the two engines read when they are asked: RocksDB's memtable, SQLite's pages."""
    largest = summary.parameters.largest
    text = []
    arm = note(AFTER, largest)
    if summary.has(arm, "memtable_share"):
        share, tables = (summary.values(arm, name).mean() for name in ("memtable_share", "table_files"))
        text.append(
            f"At {largest:,} rows {share:.0%} of the rows lie in RocksDB's memtables when the look-ups begin, and "
            f"{mean_count(tables)} table files exist: the note's batch goes into one memtable whatever its size, so "
            "that Bloom filters, block cache and block size, which belong to files, are not asked."
        )
    held = note(ONCE, largest)
    if summary.has(held, "page_hit_ratio"):
        ratio = summary.values(held, "page_hit_ratio").mean()
        text.append(
            f"SQLite's own page cache answers {ratio:.0%} of its page look-ups; the others are copied from the "
            "kernel's page cache by a system call each, or, where the file is mapped, read in place."
        )
    try:
        both = [summary.values(each, "resident_bytes").mean() / MB for each in (arm, held)]
        text.append(f"The process of the note's engine holds {both[0]:,.0f} MB of memory, SQLite's {both[1]:,.0f} MB.")
    except NotEstimableError:
        pass
    try:
        moved = summary.ratio(at(WARM, "after_settled"), at(WARM, AFTER))
        against = summary.ratio(at(WARM, BEST), at(WARM, "after_settled"))
        text.append(
            f"Compacted into files, as it would be found after a restart, a look-up takes {with_interval(moved)} times "
            f"as long at {summary.parameters.ladder_rows:,} rows; SQLite at its best then takes "
            f"{with_interval(against)} times the time of the note's engine."
        )
    except NotEstimableError:
        pass
    return Prose(" ".join(text) or "This run did not count where the rows lie.")


def durable(summary: Summary) -> Prose:
    """Syncs a commit, what they cost, and what a killed process loses."""
    try:
        syncs = {
            WRITES[use].label: summary.values(at(COMMITS, use), "write_syncs_per_commit").mean()
            for use in WRITES
            if use != NO_LOG
        }
        parity = summary.ratio(at(COMMITS, DEFAULT), at(COMMITS, "log_synced"), "write_ns_per_row")
        unequal = summary.ratio(at(COMMITS, DEFAULT), at(COMMITS, UNSYNCED), "write_ns_per_row")
        level = summary.ratio(at(COMMITS, "wal_full"), at(COMMITS, "log_synced"), "write_ns_per_row")
        bare = summary.ratio(at(COMMITS, "wal_normal"), at(COMMITS, UNSYNCED), "write_ns_per_row")
    except NotEstimableError as error:
        return Prose(f"This run cannot say: {error.problem}.")
    counted = "; ".join(f"{label}: {number:.2f}" for label, number in syncs.items())
    return Prose(
        f"Syncs a commit, counted where the kernel is called: {counted}. In commits of "
        f"{summary.parameters.commit_rows:,} rows SQLite with its defaults takes {with_interval(unequal)} times the "
        f"time of RocksDB as the note ran it, which syncs nothing; against RocksDB with a synced log the same SQLite "
        f"takes {with_interval(parity)} times, and SQLite that logs ahead and syncs each commit {with_interval(level)} "
        f"times. With neither syncing a commit (SQLite in WAL mode, synchronous normal) it is {with_interval(bare)} "
        "times."
    )


def killed(summary: Summary) -> Prose:
    """What was lost with a killed process, and the control that shows that the check can find a loss."""
    parts = []
    for part in (COMMITS, ONE_WRITE):
        for use in (UNSYNCED, NO_LOG):
            arm = at(part, use)
            if summary.has(arm, "acknowledged_rows"):
                reported, found = (summary.values(arm, name).sum() for name in ("acknowledged_rows", "recovered_rows"))
                how = "one commit" if part == ONE_WRITE else "many commits"
                parts.append(f"{WRITES[use].label}, {how}: {found:,.0f} of {reported:,.0f} rows found")
    if not parts:
        return Prose("No writer was killed in this run.")
    return Prose(
        f"{'; '.join(parts)}. RocksDB without its log is the control: were it to lose nothing, the check would prove "
        "nothing."
    )
