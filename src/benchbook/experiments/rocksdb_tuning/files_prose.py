"""The sentences on rows in files: what the options do where they can act, and why all five together are slow."""

from __future__ import annotations

from benchbook.experiments.rocksdb_tuning.arms import (
    AFTER,
    BEFORE,
    BLOOM,
    CACHE,
    COUNTED,
    IN_FILES,
    INDEX,
    LARGE,
    LARGER,
    UNCACHED,
    USES,
    at,
)
from benchbook.experiments.rocksdb_tuning.estimands import (
    SETTLED,
    USUAL_FILE_MIB,
    USUAL_ROW_BYTES,
    WRITTEN,
    filter_mb,
    usual_filter_mb,
)
from benchbook.experiments.rocksdb_tuning.prose import over
from benchbook.experiments.rocksdb_tuning.summary import Summary
from benchbook.experiments.shape.telling import tell
from benchbook.figures import Prose, with_interval


def in_files(summary: Summary) -> Prose:
    """What the options do where they can act."""

    def moved() -> str:
        return (
            f"In compacted files, RocksDB's look-up of a random row takes {over(summary, SETTLED, WRITTEN)} times as "
            "long as from the memtable that one write leaves."
        )

    def options() -> str:
        each = "; ".join(
            f"{USES[use].label} {over(summary, at(IN_FILES, use), SETTLED)}"
            for use in (BLOOM, CACHE, INDEX, LARGE, AFTER)
        )
        return f"From there, the options change it to: {each} times as long."

    def reread() -> str:
        read = summary.mean(at(COUNTED, AFTER), "file_bytes_per_lookup") / 1e6
        if read < 1:
            return ""
        whole = filter_mb(summary.parameters.rows)
        return (
            f"All five together are the slow case: each look-up read {read:,.1f} MB from the file. RocksDB divides a "
            f"cache of 512 MB into 64 parts of 8, and the filter of this file, {whole:,.1f} MB, fits into none of "
            "them: kept in the cache, it is read anew by every look-up. With 1 GB of cache the parts are large "
            f"enough, and a look-up takes {over(summary, at(IN_FILES, LARGER), SETTLED)} times as long as before the "
            "change. The index alone, kept in a cache of 8 MB, is read anew in the same way. With all options, but "
            "index and filter outside of the cache, a look-up read "
            f"{summary.mean(at(COUNTED, UNCACHED), 'file_bytes_per_lookup'):,.0f} bytes."
        )

    def usual() -> str:
        usual_rows = round(USUAL_FILE_MIB * 2**20 / USUAL_ROW_BYTES, -4)
        held = summary.mean(SETTLED, "files_bytes") / summary.parameters.rows
        return (
            f"The filter is that large because all rows lie in one file, in which a row takes {held:.1f} bytes. With "
            f"values of 100 bytes, a file of {USUAL_FILE_MIB} MB has some {usual_rows:,.0f} "
            f"rows and a filter of {usual_filter_mb():.1f} MB, which fits. RocksDB's users have met the slow case "
            "(issues 3961 and 9816); partitioned filters, which its manual advises, were not measured."
        )

    def hits() -> str:
        small, large = (
            with_interval(summary.share(at(COUNTED, use), "block_cache_hit_ratio", "block_requests"), 100)
            for use in (BEFORE, CACHE)
        )
        size = summary.mean(SETTLED, "files_bytes") / 1e6
        return (
            f"The files hold {size:,.0f} MB; a block cache of 8 MB has {small} % of the data blocks that are asked "
            f"for, one of 512 MB {large} %."
        )

    def smaller() -> str:
        ratio = with_interval(summary.over(at(IN_FILES, LARGE), SETTLED, "files_bytes"))
        return f"With 16 KB blocks the files are {ratio} times as large."

    return tell(moved, options, reread, usual, hits, smaller, otherwise="This run did not time rows in files.")
