"""A tiny real run of the chapter on mixed workloads, from parameters to figures and sentences."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters.mixed_workloads.arms import (
    AGAIN,
    INSERTS,
    LOOKUP,
    LOOKUPS,
    REDB,
    STORES,
    WORKLOADS,
    A,
    C,
    Parameters,
    at,
    configurations,
)
from benchbook.chapters.mixed_workloads.measure import reduce, session
from benchbook.engines import kv, probe
from benchbook.errors import NoEngineError
from benchbook.model import PlannedTrial, Run

chapter = lab.experiment("mixed_workloads")

pytestmark = needing(kv.versions)

CHAPTER = "mixed_workloads"

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "insert_rows": 2_000, "rows": 1_000, "value_bytes": 50, "operations": 400, "warm_operations": 100,
        "scan_operations": 100, "scan_rows": 10, "kept_samples": 100,
    }
)  # fmt: skip


def present(stores: Iterable[str]) -> list[str]:
    """All of them, redb where it was built."""
    try:
        kv.find_redb()
    except NoEngineError:
        return [store for store in stores if store != REDB]
    return list(stores)


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_every_operation_was_made_and_its_answer_compared(run: Run) -> None:
    mixed = trials(run, *(at(name, store) for name in WORKLOADS for store in present(STORES)))
    assert mixed["operations"].isin([400, 100]).all()
    assert mixed["checked_reads"].gt(100).all()
    assert mixed["run_syncs"].eq(0).all(), "no write waited for the device"


def test_what_was_written_is_told_where_something_was(run: Run) -> None:
    assert trials(run, *(at(C, store) for store in present(STORES)))["write_amplification"].isna().all()
    told = trials(run, *(at(A, store) for store in present(STORES)))["write_amplification"]
    assert told.isna().all() or told.gt(0.9).all()


def test_inserts_are_timed_for_each_row(run: Run) -> None:
    assert trials(run, *INSERTS, AGAIN)["insert_mean_ns"].gt(0).all()
    assert trials(run, *INSERTS)["inserted_rows"].eq(2_000).all()


def test_look_ups_are_timed_and_compared(run: Run) -> None:
    looked = trials(run, *(at(LOOKUP, store) for store in present(LOOKUPS)))
    assert looked["lookup_mean_ns"].gt(0).all()
    assert looked["checked_reads"].ge(256).all()


def test_redb_is_left_out_by_name_where_it_was_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / kv.PROGRAM).symlink_to(kv.find())
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    [arm] = [each for each in configurations(PARAMETERS) if each.name == at(A, REDB)]
    with session(PARAMETERS, lambda *_: None) as bench:
        left_out = bench.measure(PlannedTrial(0, 0, arm, seed=1))
        provenance = bench.provenance()
    assert left_out.metrics == {}
    assert (
        left_out.labels["engine"]
        == "left out: the measuring program kv-redb is not built: run `make redb`; it needs Cargo"
    )
    assert provenance["left_out"]["redb"] in left_out.labels["engine"]
    assert at(A, "lmdb") in provenance["settings"]
    assert not any(name.endswith(REDB) for name in provenance["settings"])


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run, ("design", "inserts", "updates"))
    assert len(chapter.table(chapter.summarize(run), "ratios")) == len(WORKLOADS)
