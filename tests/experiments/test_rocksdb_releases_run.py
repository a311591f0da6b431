"""A tiny real run on both releases of RocksDB, where the note's has been built."""

from __future__ import annotations

from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook.chapters.rocksdb_releases import CASES, RELEASES, Parameters, configurations, reduce
from benchbook.engines import kv
from benchbook.model import Run

pytestmark = needing(kv.notes_release)

CHAPTER = "rocksdb_releases"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 2, "turn_ms": 30, "discard_ms": 2, "rows": 500_000, "cache_mib": 8,
        "larger_cache_mib": 128, "lookups": 16, "warm_lookups": 500, "kept_samples": 100,
    }
)  # fmt: skip


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)


def test_each_release_measured_its_own(run: Run) -> None:
    assert run.provenance["notes_version"] == "10.4.2"
    assert run.provenance["engine_version"] != run.provenance["notes_version"]


def test_rows_lie_where_the_case_says_on_both(run: Run) -> None:
    for release in RELEASES:
        for case in CASES:
            own = trials(run, f"{release}_{case}")
            in_memory = case.startswith("memtable")
            assert own["memtable_rows"].eq(PARAMETERS.rows if in_memory else 0).all(), (release, case)
            assert own["table_files"].gt(0).all() != in_memory, (release, case)
            assert own["checked_reads"].eq(own["lookups"]).all()


def test_both_read_a_filter_again_that_no_shard_holds_and_neither_one_that_fits(run: Run) -> None:
    for release in RELEASES:
        assert trials(run, f"{release}_files_after")["filter_misses_per_lookup"].gt(0.9).all(), release
        assert trials(run, f"{release}_files_larger")["filter_misses_per_lookup"].lt(0.1).all(), release


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(
        run, ("design", "memtable", "files", "larger", "place", "apart", "counter", "defaults", "newer", "noise")
    )
