"""A tiny real run of the six labels, from parameters to figures and verdicts."""

from __future__ import annotations

import pandas as pd
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing

from benchbook import lab
from benchbook.chapters import label_order
from benchbook.model import Run

chapter = lab.experiment("label_order")

pytestmark = needing(chapter.needs(label_order.Parameters()).engine)

CHAPTER = "label_order"

PARAMETERS = label_order.Parameters.given(
    {
        "blocks": 2, "events": 2_000, "workers": 2, "burst_spread_ms": 2, "burst_quiet_ms": 1, "rest_s": 0,
        "pause_s": 0, "mem_table_mib": 2, "base_table_mib": 2, "kept_samples": 500, "allow_slow_storage": False,
    }
)  # fmt: skip


def test_every_label_ran_once_in_every_block_in_the_planned_order(run: Run) -> None:
    check_cells(run, 6)
    summary = chapter.summarize(run)
    assert summary.trials["configuration"].tolist() == [t.configuration.name for t in chapter.plan(PARAMETERS).trials]
    assert summary.trials["place"].tolist() == [*range(6), *range(6)]
    assert pd.to_datetime(summary.trials["started_at"]).is_monotonic_increasing
    assert all(gate.passed for gate in (*summary.counts_agree(), *summary.in_order()))


def test_all_labels_stored_the_same_and_on_a_store_of_their_own(run: Run) -> None:
    assert run.trials["saved_events"].eq(4_000).all(), "nothing is left of the label before"
    assert run.trials["stored_keys"].eq(9 * run.trials["saved_events"]).all()
    assert run.trials["badger"].nunique() == 1
    assert run.trials.groupby("block")["seed"].nunique().eq(1).all()
    assert run.provenance["engine_version"] == "4.8.0"
    assert {str(64 << 20), str(32 << 20)} <= {*map(str, run.provenance["settings"].values())}


def test_the_rest_comes_before_a_blocks_first_label_and_outside_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rests: list[float] = []
    sleep = label_order.time.sleep
    # Waiting for a process sleeps too, in small steps.
    monkeypatch.setattr(label_order.time, "sleep", lambda s: rests.append(s) if s == 700 else sleep(s))
    parameters = PARAMETERS.model_copy(update={"events": 200, "rest_s": 700.0})
    with label_order.session(parameters, lambda what, share: None) as session:
        trials = [session.measure(planned) for planned in chapter.plan(parameters).trials[5:8]]
    assert rests == [700, 700], "the sixth is the first of a resumed run, and the seventh opens the second block"
    assert all(trial.duration_s < 60 for trial in trials)
    assert [trial.planned.index for trial in trials] == [5, 6, 7]


def test_stored_metrics_are_those_of_the_stored_samples(run: Run) -> None:
    check_metrics(run, chapter.reduce)
    assert run.samples.groupby("trial").size().eq(500).all()


def test_even_a_tiny_run_gets_whole_figures_and_one_verdict_per_claim(run: Run) -> None:
    summary = check_chapter(run, ("design", "answer", "by_chance", "queue"))
    assert "2 blocks instead of at least 6" in chapter.say(summary, "design").text
    assert len(chapter.table(summary, "overview")) == 12
    assert len(chapter.table(summary, "chances")) == 2
