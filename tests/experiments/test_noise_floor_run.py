"""One run of noise_floor on tiny tables, from parameters to a stored run, on a real PostgreSQL."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_whole, trials

from benchbook import lab
from benchbook.chapters.noise_floor import session
from benchbook.engines.pgbench import Template, data_bytes
from benchbook.errors import MachineError
from benchbook.model import Run

chapter = lab.experiment("noise_floor")

pytestmark = pytest.mark.engine

CHAPTER = "noise_floor"
SECONDS = [f"tps_second_{second:03d}" for second in range(3)]
# On a busy machine pgbench may leave out one of its reports; without any the plain trials have no throughput.
PARAMETERS = chapter.Parameters.given(
    {"blocks": 2, "scale": 1, "shared_buffers_mib": 6, "clients": 2, "warm_up_s": 0, "duration_s": len(SECONDS)}
)


def test_every_trial_starts_cold_and_client_and_server_count_the_same(run: Run) -> None:
    assert run.trials["cache_state"].eq("cold").all()
    assert run.trials["count_difference"].eq(0).all()
    assert run.trials["steadiness"].eq("too short").all()
    assert run.trials["run_hit_ratio"].between(0, 1, inclusive="neither").all()
    assert (run.trials["tps"] > 0).all()


def test_only_tpcb_writes_and_only_the_sampled_arms_have_transactions(run: Run) -> None:
    reading, writing = trials(run, "select_only", "select_only_again"), trials(run, "tpcb", "tpcb_again", "tpcb_plain")
    assert reading["run_wal_bytes"].max() < writing["run_wal_bytes"].min()
    plain = trials(run, "tpcb_plain")
    assert plain[["mean_ns", "looks", *SECONDS]].isna().all(axis=None)
    assert plain["tps"].tolist() == plain["report_tps"].tolist()
    sampled = run.trials[run.trials["configuration"] != "tpcb_plain"]
    assert sampled[["mean_ns", "looks", *SECONDS]].notna().all(axis=None)
    assert np.allclose(sampled["tps"], sampled[SECONDS].mean(axis=1))


def test_what_is_stored_is_small_and_whole(run: Run) -> None:
    stored = run.samples.groupby(["trial", "series"], observed=True).size().reset_index(name="count")
    series = dict(zip(stored["trial"], stored["series"], strict=True))
    names = dict(zip(run.trials["trial"], run.trials["configuration"], strict=True))
    assert {trial: "second" if name == "tpcb_plain" else "transaction" for trial, name in names.items()} == series
    assert stored["count"].max() <= 10_000
    check_whole(run)
    assert chapter.needs(PARAMETERS).disk_bytes > 2 * data_bytes(PARAMETERS.scale)
    assert run.provenance["heap_bytes"] + run.provenance["index_bytes"] < data_bytes(PARAMETERS.scale)


def test_settings_of_pgbenchs_database_end_the_run_before_anything_is_timed(module_home: Path) -> None:
    with session(PARAMETERS, lambda what, share: None) as bench:
        bench.cluster.start({"shared_buffers": "8MB"})
        with bench.cluster.connect() as connection:
            connection.execute("ALTER DATABASE pgbench SET enable_indexscan = off")
        bench.cluster.stop()
        shutil.rmtree(bench.cluster.folder / "template")
        changed = replace(bench, template=Template(bench.cluster))
        with pytest.raises(MachineError, match=r"enable_indexscan=off.*comes from ALTER DATABASE"):
            changed.measure(chapter.plan(PARAMETERS).trials[0])
