"""What the chapter teaches beside its answers: where the rows were, and what the options do to rows in files."""

from __future__ import annotations

from benchbook.experiments.rocksdb_tuning.answers import OPTIONS
from benchbook.experiments.rocksdb_tuning.arms import AFTER, CACHE, COUNTED, IN_FILES, LARGER, at
from benchbook.experiments.rocksdb_tuning.estimands import S_AFTER, S_BEFORE, SETTLED, USUAL_FILE_MIB, usual_filter_mb
from benchbook.experiments.rocksdb_tuning.summary import TIME, Summary
from benchbook.experiments.shape.lessons import Teaching
from benchbook.experiments.shape.numbers import number
from benchbook.experiments.shape.sides import Turn
from benchbook.experiments.shape.summary import NotEstimableError


def in_memory(summary: Summary) -> str:
    """That no row was in a file when the benchmark's look-ups were made."""
    held, files = (summary.values(S_AFTER, metric) for metric in ("memtable_rows", "table_files"))
    rows = summary.parameters.rows
    if held.min() < rows or files.max() > 0:
        raise NotEstimableError("some rows were in files", "say how many")
    return (
        f"Loaded the note's way, in one write, all {rows:,} rows were in RocksDB's memtable and none in a file: the "
        "five options had nothing to act on."
    )


def in_files(summary: Summary) -> str:
    """What the options do once rows are in files."""
    size = summary.mean(SETTLED, "files_bytes") / 1e6
    every, cache = (number(summary.over(at(IN_FILES, use), SETTLED, TIME)) for use in (AFTER, CACHE))
    return (
        f"With all rows in one file of {size:,.0f} MB, RocksDB's look-up takes {every} times as long with the five "
        f"options as without, and {cache} times with the larger cache alone."
    )


def reread(summary: Summary) -> str:
    """Why all five together are slow in files: the filter is read anew by every look-up."""
    read = summary.mean(at(COUNTED, AFTER), "file_bytes_per_lookup") / 1e6
    larger = number(summary.over(at(IN_FILES, LARGER), SETTLED, TIME))
    if read < 1:
        raise NotEstimableError("no filter was read anew", "measure with more rows")
    return (
        f"The five options together made every look-up read {read:,.1f} MB from the file: the filter of "
        f"{summary.parameters.rows:,} rows in one file does not fit into one of the parts into which RocksDB divides a "
        f"cache of 512 MB. With 1 GB it does, and a look-up takes {larger} times as long as before the change. Values "
        f"of 100 bytes in files of {USUAL_FILE_MIB} MB would have filters of {usual_filter_mb():.1f} MB, which fit."
    )


def same(summary: Summary) -> str:
    """That the options change nothing where the note measured, as precisely as this run can say."""
    return (
        f"With every row asked at a fixed stride, warm, a query takes {number(summary.over(S_AFTER, S_BEFORE, TIME))} "
        "times as long with the options as without."
    )


LESSON = Teaching(
    Turn(
        "O101",
        above="The five options do not make the note's queries faster: its rows never reached a file",
        below="The five options make queries faster, though the note's rows never reached a file",
        open="The five options are not shown to make the note's queries faster: its rows never reached a file",
    ),
    figure=OPTIONS,
    claimed="Note 004: five options of RocksDB (Bloom filter, 512 MB block cache, 16 KB blocks, index and filter in "
    "the cache, pinned for level 0) cut a query at ten million rows from 4.444 to 3.915 µs, by 12 %.",
    numbers=("O007", same, in_files),
    advice="Before you tune how files are read, look whether rows are in files: RocksDB's memtable.hit and "
    "block.cache.hit say so. Close and reopen the store, or flush it, between writing and reading.",
    besides=(in_memory, in_files, reread),
)
