"""A tiny real run of the six labels, from parameters to figures and verdicts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.engines import badger
from benchbook.engines.badger import Build
from benchbook.errors import MachineError
from benchbook.experiments import label_order
from benchbook.experiments.label_order import Parameters, measure, reduce
from benchbook.experiments.label_order.arms import plan
from benchbook.model import Run

try:
    measure.version()
except MachineError as missing:
    pytestmark = [pytest.mark.engine, pytest.mark.skip(reason=f"{missing.problem}; {missing.mend}")]
else:
    pytestmark = pytest.mark.engine

PARAMETERS = Parameters.given(
    {
        "blocks": 2, "events": 2_000, "workers": 2, "burst_spread_ms": 2, "burst_quiet_ms": 1, "rest_s": 0,
        "mem_table_mib": 2, "base_table_mib": 2, "kept_samples": 500,
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def run(module_home: object) -> Run:
    return lab.obtain(lab.experiment("label_order"), PARAMETERS)


def test_every_label_ran_once_in_every_block_in_the_planned_order(run: Run) -> None:
    cells = run.trials.groupby(["block", "configuration"]).size()
    assert len(cells) == 2 * 6
    assert (cells == 1).all()
    summary = label_order.summarize(run)
    assert summary.trials["configuration"].tolist() == [t.configuration.name for t in plan(PARAMETERS).trials]
    assert summary.trials["place"].tolist() == [*range(6), *range(6)]
    assert pd.to_datetime(summary.trials["started_at"]).is_monotonic_increasing
    assert all(gate.passed for gate in summary.gates() if gate.name in {"order", "counts agree"})


def test_all_labels_stored_the_same_and_on_a_store_of_their_own(run: Run) -> None:
    assert run.trials["saved_events"].eq(4_000).all(), "nothing is left of the label before"
    assert run.trials["stored_keys"].eq(9 * run.trials["saved_events"]).all()
    assert run.trials["badger"].nunique() == 1
    assert run.trials.groupby("block")["seed"].nunique().eq(1).all()
    assert run.provenance["engine_version"] == "4.8.0"


def test_the_options_on_record_are_those_of_the_parameters(run: Run) -> None:
    settings = json.dumps(run.provenance["settings"])
    assert str(64 << 20) in settings
    assert str(32 << 20) in settings


def test_the_rest_comes_before_a_blocks_first_label_and_outside_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    sleep = measure.time.sleep
    # Waiting for a process sleeps too, in small steps.
    monkeypatch.setattr(measure.time, "sleep", lambda s: rests.append(s) if s == 700 else sleep(s))
    parameters = PARAMETERS.model_copy(update={"events": 200, "rest_s": 700.0})
    with measure.session(parameters, lambda what, share: None) as session:
        trials = [session.measure(planned) for planned in plan(parameters).trials[5:8]]
    assert rests == [700], "the seventh trial opens the second block"
    assert all(trial.duration_s < 60 for trial in trials)
    assert [trial.planned.index for trial in trials] == [5, 6, 7]


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    for row in run.trials.to_dict("records"):
        samples = run.samples.loc[run.samples["trial"] == row["trial"], "latency_ns"].to_numpy().astype(np.int64)
        assert len(samples) == 500
        for name, value in reduce(samples).items():
            if value is None:
                assert np.isnan(row[name]), name
            else:
                assert row[name] == pytest.approx(value, rel=1e-12), name


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    module: Any = lab.experiment("label_order")
    summary = module.summarize(run)
    for figure in module.figures(summary).values():
        assert figure.run_id == run.id
        json.dumps(figure.record(), allow_nan=False)
    assert [verdict.claim_id for verdict in module.judge(summary)] == ["B008", "B010"]
    for name in ("design", "answer", "by_chance", "queue"):
        text = getattr(module, name)(summary).text
        assert text.strip()
        assert "nan" not in text.split()
    assert "2 blocks instead of at least 6" in module.design(summary).text
    assert len(module.overview(summary)) == 12
    assert len(module.chances(summary)) == 2


def test_the_other_builds_of_the_probe_are_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = badger.find
    asked: list[Build] = []
    monkeypatch.setattr(badger, "find", lambda build: asked.append(build) or found(build))
    assert label_order.needs(PARAMETERS).missing_engine() is None
    assert asked == [Build.NOTE]
