"""Tiny real runs of the key-value probe for the scale chapter, from parameters to figures and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing, times, trials

from benchbook import store, verification
from benchbook.chapters.scale import SYSTEMS, Parameters, configurations, reduce, request_of
from benchbook.engines import kv, probe
from benchbook.errors import BenchbookError
from benchbook.model import Run

pytestmark = needing(kv.versions)
CHAPTER = "scale"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "rounds": 3, "turn_ms": 20, "discard_ms": 2,
        "rows": [1_000, 10_000], "random_rows": [2_000], "again_rows": [10_000], "lookups": 1_000,
        "tail_rows": 2_000, "tail_lookups": 12_000, "tail_warm_lookups": 100, "kept_samples": 500,
    }
)  # fmt: skip


def test_every_cell_is_whole_and_every_look_up_compared(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    assert run.trials["checked_reads"].eq(run.trials["lookups"]).all()
    stride = trials(run, *(f"{system}_10000_sequential" for system in SYSTEMS))
    assert stride["row_cache_hits"].eq(0).all(), "each key is asked for once"
    [entry] = [each for each in store.catalogue("scale") if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_the_mean_of_a_trial_is_that_of_its_stored_batches(run: Run) -> None:
    samples = times(run)
    for row in trials(run, "before_1000_sequential", "sqlite_well_2000_random").to_dict("records"):
        batches = samples[samples["trial"] == row["trial"]]
        assert (len(batches), {*batches["series"]}) == (10, {"batch"})
        assert batches["latency_ns"].sum() / PARAMETERS.lookups == pytest.approx(row["query_mean_ns"], rel=1e-9)
    single = trials(run, *(f"{system}_2000_uniform" for system in SYSTEMS))
    assert (single["query_mean_ns"].isna() & single["uniform_p99_ns"].notna()).all()


def test_all_rows_are_in_the_memtable_and_sqlite_alone_is_durable(run: Run) -> None:
    held = trials(run, "before_10000_sequential", "after_10000_sequential")
    assert (held["memtable_rows"].eq(10_000) & held["table_files"].eq(0) & held["index_leaves"].gt(100)).all()
    assert held["insert_syncs"].eq(0).all()
    assert trials(run, "sqlite_as_run_10000_sequential")["insert_syncs"].ge(1).all()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    check_chapter(run, ("design", "answer", "column", "held", "caches", "comparator", "random_keys", "noise", "target"))


@pytest.mark.parametrize(("rows", "said"), [(0, r"refused: .*rows is 0"), (10**11, "MiB are needed")])
def test_impossible_rows_are_refused_by_the_probe_too(tmp_path: Path, rows: int, said: str) -> None:
    asked = request_of(PARAMETERS, next(configurations(PARAMETERS)), 1)
    with pytest.raises(BenchbookError, match=said):
        probe.ask(kv.find(), asked | {"load": asked["load"] | {"rows": rows}}, timeout_s=20, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
