"""The chapter's sentences with numbers, computed from the run that the page shows."""

from __future__ import annotations

from functools import partial

from benchbook import statistics
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.telling import tell, told
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    COMMITS,
    DEFAULT,
    EXTRA,
    LOOKUPS,
    NO_LOG,
    ONCE,
    ONCE_WARM,
    ONE_WRITE,
    POWER_CUT,
    TIMED,
    UNSYNCED,
    WARM,
    WRITES,
    at,
    note,
)
from benchbook.experiments.sqlite_fairness.speedup_prose import differ
from benchbook.experiments.sqlite_fairness.summary import TIME, Summary
from benchbook.figures import Prose, mean_count, with_interval


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {summary.on()}. The note's benchmark with "
        f"{', '.join(f'{rows:,}' for rows in p.sizes)} rows and {p.queries:,} look-ups; settings at "
        f"{p.ladder_rows:,} rows, {p.ladder_queries:,} uniform look-ups after {p.warm_queries:,} others; writers of "
        f"{p.commits:,} commits of {p.commit_rows:,} rows, and of one commit of {p.one_write_rows:,}. {in_turns(p)}",
    )


def preparing(summary: Summary) -> Prose:
    """What preparing the statement for every query costs."""

    def at_rows(rows: int) -> str:
        query, once = note(AS_RUN, rows), note(ONCE, rows)
        times = (summary.values(arm, TIME) / 1e3 for arm in (query, once))
        apart = statistics.difference(*times, sessions=summary.sessions)
        ratio = with_interval(summary.over(query, once, TIME))
        return f"{rows:,} rows: {with_interval(apart)} µs more, {ratio} times as long"

    parts = told(*(partial(at_rows, rows) for rows in summary.parameters.sizes))
    if not parts:
        return Prose("Nothing was timed in this run.")
    return Prose(f"Prepared for every query instead of once, a look-up takes: {'; '.join(parts)}.")


def settings(summary: Summary) -> Prose:
    """Which settings change a warm look-up, with intervals that hold together."""

    def compared() -> str:
        sqlite = [arm for arm in summary.part(WARM) if arm != ONCE_WARM and not {BEFORE, AFTER} & set(arm.split("_"))]
        others = {summary.label(arm): summary.values(arm, TIME) for arm in summary.having(sqlite, TIME)}
        effects = statistics.many_to_one(summary.values(ONCE_WARM, TIME), others, sessions=summary.sessions)
        moved = [f"{label} {with_interval(e)}" for label, e in effects.items() if e.low > 1 or e.high < 1]
        still = [label for label, e in effects.items() if e.low <= 1 <= e.high]
        rest = f". Not shown to differ: {'; '.join(still)}" if still else ""
        words = "; ".join(moved) or "no setting is shown to change it"
        over_hosts = " Their intervals reach over kinds of host that differ." if differ(summary) else ""
        return f"Against “prepared once”, with simultaneous intervals: {words}{rest}.{over_hosts}"

    return tell(compared, otherwise="The settings cannot be compared in this run.")


def tails(summary: Summary) -> Prose:
    """Speed-ups of quantiles, which a mean hides."""

    def quantile(name: str, metric: str) -> str:
        effects = (
            f"{with_interval(summary.over(at(TIMED, use), at(TIMED, AFTER), metric))} ({LOOKUPS[use].label})"
            for use in (AS_RUN, ONCE, BEST)
        )
        return f"{name}: {', '.join(effects)}"

    parts = told(partial(quantile, "P50", "query_p50_ns"), partial(quantile, "P99", "query_p99_ns"))
    return Prose(f"Speed-up over SQLite by quantile: {'; '.join(parts)}." if parts else "No quantile is estimable.")


def where_rows_lie(summary: Summary) -> Prose:
    """What the two engines read when they are asked: RocksDB's memtable, SQLite's pages."""
    largest = summary.parameters.largest
    omendb, sqlite = note(AFTER, largest), note(ONCE, largest)

    def mean(arm: str, metric: str) -> float:
        return float(summary.values(arm, metric).mean())

    def rocksdb() -> str:
        return (
            f"At {largest:,} rows, {mean(omendb, 'memtable_share'):.0%} of the rows are in RocksDB's memtables when "
            f"the look-ups begin, and {mean_count(mean(omendb, 'table_files'))} table files exist: the note's batch "
            "goes into one memtable whatever its size, so Bloom filters, block cache and block size, which concern "
            "files, play no part."
        )

    def pages() -> str:
        return (
            f"SQLite's own page cache answers {mean(sqlite, 'page_hit_ratio'):.0%} of its page look-ups; the others "
            "are copied from the kernel's page cache with one system call each, or read in place if the file is mapped."
        )

    def memory() -> str:
        both = [mean(arm, "resident_bytes") / 1e6 for arm in (omendb, sqlite)]
        return f"The process of the note's engine holds {both[0]:,.0f} MB of memory, SQLite's {both[1]:,.0f} MB."

    def compacted() -> str:
        settled = at(WARM, "after_settled")
        moved = with_interval(summary.over(settled, at(WARM, AFTER), TIME))
        against = with_interval(summary.over(at(WARM, BEST), settled, TIME))
        return (
            f"With the rows compacted into files, as after a restart, a look-up takes {moved} times as long at "
            f"{summary.parameters.ladder_rows:,} rows; SQLite at its best then takes {against} times as long as the "
            "note's engine."
        )

    return tell(rocksdb, pages, memory, compacted, otherwise="This run did not count where the rows are.")


def durable(summary: Summary) -> Prose:
    """Syncs per commit, what they cost, and what a killed process loses."""

    def times(sqlite: str, rocksdb: str) -> str:
        return with_interval(summary.over(at(COMMITS, sqlite), at(COMMITS, rocksdb), "write_ns_per_row"))

    def costs() -> str:
        counted = "; ".join(
            f"{use.label}: {summary.values(at(COMMITS, name), 'write_syncs_per_commit').mean():.2f}"
            for name, use in WRITES.items()
            if name != NO_LOG
        )
        return (
            f"Syncs per commit, counted at the system call: {counted}. With commits of "
            f"{summary.parameters.commit_rows:,} rows, SQLite with its defaults takes {times(DEFAULT, UNSYNCED)} times "
            "as long as RocksDB as the note ran it, which syncs nothing; compared with RocksDB with a synced log, the "
            f"same SQLite takes {times(DEFAULT, 'log_synced')} times as long, and SQLite with a write-ahead log synced "
            f"at each commit {times('wal_full', 'log_synced')} times. If neither syncs per commit (SQLite in WAL mode, "
            f"synchronous normal), it is {times('wal_normal', UNSYNCED)} times."
        )

    return tell(costs, otherwise="This run has no writes with counted syncs.")


def killed(summary: Summary) -> Prose:
    """What was lost with a killed process, and the control that shows that the check can find a loss."""

    def kept(part: str, use: str) -> str:
        reported, found = (counts.sum() for counts in summary.counted(at(part, use)))
        how = "one commit" if part == ONE_WRITE else "many commits"
        return f"{WRITES[use].label}, {how}: {found:,.0f} of {reported:,.0f} rows found"

    parts = told(*(partial(kept, part, use) for part in (COMMITS, ONE_WRITE) for use in (UNSYNCED, NO_LOG)))
    if not parts:
        return Prose("This run killed no writer.")
    return Prose(
        f"{'; '.join(parts)}. RocksDB without its log is the control: if it lost nothing, the check would prove "
        "nothing. A kill leaves what the kernel holds, so rows that were not synced are found too."
    )


def outlived(summary: Summary) -> Prose:
    """What a loss of power left of one commit, by how it was written."""

    def left(use: str) -> str:
        arm = at(POWER_CUT, use)
        reported, found = (counts.sum() for counts in summary.counted(arm))
        broken = int(summary.values(arm, "unreadable").sum())
        unreadable = f", and {broken} of {summary.run.blocks} stores could not be read" if broken else ""
        return f"{WRITES[use].label}: {100 * found / reported:.3g} %{unreadable}"

    def journal() -> str:
        """Why a commit that was synced can be taken back, where this run shows it."""
        default, extra = (summary.counted(at(POWER_CUT, use)) for use in (DEFAULT, EXTRA))
        if default[1].sum() == default[0].sum() or extra[1].sum() < extra[0].sum():
            return ""
        return (
            " With SQLite's default, the journal that could undo the commit was deleted without a sync of its folder; "
            "the lost power brought it back, and with it the state before the commit. `synchronous=EXTRA` syncs the "
            "folder too."
        )

    parts = told(*(partial(left, use) for use in WRITES))
    if not parts:
        return Prose("This run cut no power, which needs root: only the syncs per commit say what would outlive that.")
    return Prose(
        f"Acknowledged rows that were found after the disk had lost its power: {'; '.join(parts)}. The power was cut "
        "right after the writer had been killed, by telling the file system to forget whatever no sync had written."
        f"{''.join(told(journal))}"
    )
