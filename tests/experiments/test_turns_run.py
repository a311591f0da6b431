"""A tiny real run of the chapter on turns, from parameters to figures and sentences."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing

from benchbook import lab, store, verification
from benchbook.chapters.turns import Parameters, between, configurations, reduce, spread
from benchbook.engines import kv
from benchbook.model import Run

pytestmark = needing(kv.versions)

CHAPTER = "turns"

PARAMETERS = Parameters.given(
    {"blocks": 3, "rounds": 3, "turn_ms": 20, "discard_ms": 2, "rows": 2_000, "warm_lookups": 100, "kept_samples": 100}
)


def test_every_configuration_has_its_cell_and_the_run_verifies(run: Run) -> None:
    check_cells(run, len([*configurations(PARAMETERS)]))
    check_metrics(run, reduce)
    [entry] = [each for each in store.catalogue(CHAPTER) if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_the_configurations_of_the_group_follow_each_other(run: Run) -> None:
    for _, block in run.trials.sort_values("trial").groupby("block"):
        places = np.flatnonzero(block["configuration"].str.endswith("turns"))
        assert (np.diff(places) == 1).all()


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    summary, chapter = check_chapter(run), lab.experiment(CHAPTER)
    time = "lookup_mean_ns"
    logs = {
        way: np.log(summary.values(f"value_file_again_{way}", time) / summary.values(f"value_file_{way}", time))
        for way in ("turns", "alone")
    }
    for way, values in logs.items():
        assert spread(way)(summary, "value_file_again").point == pytest.approx(values.std(ddof=1), rel=1e-6)
    apart = between(summary)["value file, again (A/A)"].point
    assert apart == pytest.approx(np.exp(logs["turns"].mean() - logs["alone"].mean()), rel=1e-9)
    assert "small pages" in chapter.say(summary, "lottery").text
    assert [*chapter.table(summary, "both")] == ["in turns", "one after the other"]
