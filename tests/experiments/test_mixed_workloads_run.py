"""A tiny real run of the chapter on mixed workloads, from parameters to figures and sentences."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, trials

from benchbook import lab
from benchbook.chapters import mixed_workloads as mixed
from benchbook.engines import kv, probe
from benchbook.errors import NoEngineError
from benchbook.model import PlannedTrial, Run

pytestmark = needing(kv.versions)

CHAPTER = "mixed_workloads"

PARAMETERS = mixed.Parameters.given(
    {
        "blocks": 2, "insert_rows": 2_000, "rows": 1_000, "value_bytes": 50, "operations": 400, "warm_operations": 100,
        "scan_operations": 100, "scan_rows": 10, "kept_samples": 100,
    }
)  # fmt: skip


def of(run: Run, names: Iterable[str], stores: Iterable[str] = mixed.STORES) -> pd.DataFrame:
    """The trials of workloads in all stores, in redb where it was built."""
    try:
        kv.find_redb()
    except NoEngineError:
        stores = [store for store in stores if store != "redb"]
    return trials(run, *(f"{name}_{store}" for name in names for store in stores))


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len([*mixed.configurations(PARAMETERS)]))
    check_metrics(run, mixed.reduce)


def test_every_operation_was_made_and_its_answer_compared(run: Run) -> None:
    worked = of(run, mixed.WORKLOADS)
    assert worked["operations"].isin([400, 100]).all()
    assert worked["checked_reads"].gt(100).all()
    assert worked["run_syncs"].eq(0).all(), "no write waited for the device"
    assert of(run, "c")["write_amplification"].isna().all()
    written = of(run, "a")["write_amplification"]
    assert written.isna().all() or written.gt(0.9).all()


def test_inserts_are_timed_for_each_row_and_look_ups_are_compared(run: Run) -> None:
    inserted, looked = trials(run, *mixed.INSERTS), of(run, ["lookup"], mixed.LOOKUPS)
    assert inserted["insert_mean_ns"].gt(0).all()
    assert inserted["inserted_rows"].eq(2_000).all()
    assert looked["lookup_mean_ns"].gt(0).all()
    assert looked["checked_reads"].ge(256).all()


def test_redb_is_left_out_by_name_where_it_was_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / kv.PROGRAM).symlink_to(kv.find())
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    [arm] = [each for each in mixed.configurations(PARAMETERS) if each.name == "a_redb"]
    with mixed.session(PARAMETERS, lambda *_: None) as bench:
        left_out, provenance = bench.measure(PlannedTrial(0, 0, arm, seed=1)), bench.provenance()
    assert left_out.metrics == {}
    assert "left out: the measuring program kv-redb is not built: run `make redb`" in left_out.labels["engine"]
    assert provenance["left_out"]["redb"] in left_out.labels["engine"]
    assert "a_lmdb" in provenance["settings"]
    assert not any(name.endswith("redb") for name in provenance["settings"])


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    summary = check_chapter(run, ("design", "inserts", "updates"))
    assert len(lab.experiment(CHAPTER).table(summary, "ratios")) == len(mixed.WORKLOADS)
