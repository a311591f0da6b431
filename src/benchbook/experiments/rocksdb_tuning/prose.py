"""The chapter's sentences with numbers, and its tables, computed from the run that the page shows."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from benchbook import statistics
from benchbook.experiments import notes
from benchbook.experiments.families.kv import note
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.rocksdb_tuning.arms import (
    AFTER,
    BEFORE,
    BENCHMARK,
    BLOOM,
    COUNTED,
    DEFAULTS,
    LEVEL_0,
    PARTS,
    RELAXED,
    SINGLES,
    STRIDE,
    TIGHT,
    UNPINNED,
    USES,
    at,
)
from benchbook.experiments.rocksdb_tuning.estimands import (
    B_BEFORE,
    CANDIDATES,
    S_AFTER,
    S_BEFORE,
    S_SQLITE,
    chosen,
    stated_defaults,
)
from benchbook.experiments.rocksdb_tuning.summary import TIME, Summary
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, mean_count, with_interval


def note_claims() -> pd.DataFrame:
    """The five options as the note lists them."""
    told = notes.table("omendb_optimizations").set_index("optimization")[["before", "after"]]
    return told.rename_axis("option")


def design(summary: Summary) -> Prose:
    """What was measured, in numbers; and, where it is not the design that the claims ask for, how it differs."""
    p = summary.parameters
    pilot = "first block chooses" if p.pilot_blocks == 1 else f"first {p.pilot_blocks} blocks choose"
    return telling.design(
        summary,
        f"{len(summary.arms)} configurations, {summary.on()}, {p.rows:,} rows unless stated otherwise. The note's "
        f"benchmark asks for {p.benchmark_lookups:,} keys, once each; all other trials make {p.lookups:,} look-ups "
        f"after {p.lookups // 10:,} others, or {p.slow_lookups:,} where an index or filter does not fit into its "
        f"cache. The {pilot} the best further setting and does not judge it. {in_turns(p)} "
        "Values are the note's: `value_` and the key.",
    )


def over(summary: Summary, top: str, bottom: str) -> str:
    """A mean look-up over another, with its interval."""
    return with_interval(summary.over(top, bottom, TIME))


def _release(summary: Summary) -> str:
    """RocksDB alone, with its version."""
    return next((each for each in summary.on().split(", ") if each.startswith("RocksDB")), "this release")


def where_rows_lay(summary: Summary) -> Prose:
    """Where the rows were when the note's look-ups were made, and what that leaves the options to do."""

    def memtable() -> str:
        rows, files = (summary.mean(S_AFTER, name) for name in ("memtable_rows", "table_files"))
        return (
            f"After the note's one write, RocksDB with all five options holds {rows:,.0f} rows in its memtable and has "
            f"{mean_count(files)} files. A write goes into one memtable whatever its size: here in "
            f"{_release(summary)}, and by their sources in RocksDB 9 and 10. The next write, were it of a "
            "single row, would make RocksDB flush all of it."
        )

    def counted() -> str:
        lookups = summary.parameters.benchmark_lookups
        took_ms = lookups * note.latency_us("OmenDB", "before") / 1e3
        return (
            "By its source, the note's engine makes such a write after the batch, of its row count, which is left out "
            f"here. Until the flush has made a file, the memtable answers; the note's {lookups:,} look-ups follow at "
            f"once and take {took_ms:.1f} ms. A pause, or a store closed and opened again, would have put its rows "
            "into a file."
        )

    def skipped() -> str:
        share = with_interval(summary.share(at(COUNTED, BLOOM), "filtered_share", "lookups"), 100)
        return f"In the note's benchmark with a Bloom filter, the filter skipped a file in {share} % of the look-ups."

    return tell(memtable, counted, skipped, otherwise="This run did not count where the rows were.")


def singles(summary: Summary) -> Prose:
    """What each option changes in the note's benchmark, with intervals that hold together."""

    def compared() -> str:
        found = statistics.many_to_one(
            summary.values(B_BEFORE, TIME),
            {USES[use].label: summary.values(at(BENCHMARK, use), TIME) for use in SINGLES},
            sessions=summary.sessions,
        )
        return (
            "In the note's benchmark, a query takes, with one option changed (simultaneous intervals): "
            + "; ".join(f"{label} {with_interval(effect)}" for label, effect in found.items())
            + " times as long."
        )

    def longer() -> str:
        return (
            f"With all five, it takes {over(summary, at(BENCHMARK, AFTER), B_BEFORE)} times as long there, and "
            f"{over(summary, S_AFTER, S_BEFORE)} times with every hundredth key, warm."
        )

    return tell(compared, longer, otherwise="This run did not time the benchmark.")


def further(summary: Summary) -> Prose:
    """The best further setting, as chosen on other blocks than it is measured on."""

    def best() -> str:
        label = USES[str(summary.configurations[chosen(summary)].settings["use"])].label
        ratio = with_interval(summary.judged(chosen(summary), S_AFTER))
        return (
            f"The pilot's choice among {len(CANDIDATES)} settings is {label}: in the other blocks, a query takes "
            f"{ratio} times as long with it as with the five options alone."
        )

    def lead() -> str:
        return f"SQLite as run takes {with_interval(summary.judged(S_SQLITE, chosen(summary)))} times as long as that."

    return tell(best, lead, otherwise="This run did not time the further settings.")


def smaller_questions(summary: Summary) -> Prose:
    """Pinning, RocksDB's defaults, and RocksDB's part of a query."""

    def pinned() -> str:
        files = summary.mean(at(LEVEL_0, AFTER), "level0_files")
        ratio = over(summary, at(LEVEL_0, AFTER), at(LEVEL_0, UNPINNED))
        return (
            f"With all rows in {mean_count(files)} files of level 0, as a flush leaves them, a look-up takes "
            f"{over(summary, at(LEVEL_0, AFTER), at(LEVEL_0, BEFORE))} times as long with the five options as before; "
            f"pinning alone makes it take {ratio} times as long."
        )

    def relaxed() -> str:
        ratio = over(summary, at(DEFAULTS, RELAXED), at(DEFAULTS, TIGHT))
        return (
            "Written in batches with RocksDB's defaults otherwise, a Bloom filter and 512 MB of cache make a look-up "
            f"take {ratio} times as long as neither with 8 MB."
        )

    def stated() -> str:
        cache = notes.reading("rocksdb_default_block_cache_mib")
        return (
            f"Of the two defaults that the note states, {stated_defaults(summary):.0f} holds in the release that its "
            f"project builds, 10.4.2: there is no filter, but the cache has {cache:.0f} MiB, not 8; and open files are "
            "not limited to 1,000 but not at all."
        )

    def part() -> str:
        share = with_interval(summary.share(at(STRIDE, PARTS), "engine_share", "lookups"), 100)
        return f"After the options, RocksDB's part of a query is {share} %, the clock's own time included."

    return tell(pinned, relaxed, part, stated)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: time of a look-up, of the insert, and where the rows were."""
    columns: Columns = {
        **levels(summary, TIME),
        **means(summary, "insert_s", "memtable_rows", "table_files", "level0_files", "files_bytes"),
        **means(summary, "file_bytes_per_lookup"),
    }
    return table(_named(summary), columns)


def _named(summary: Summary) -> Iterable[tuple[dict[str, object], str]]:
    for arm in summary.arms:
        yield {"configuration": summary.label(arm), "rows": f"{summary.configurations[arm].settings['rows']:,}"}, arm
