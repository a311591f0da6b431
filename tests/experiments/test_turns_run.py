"""A tiny real run of the chapter on turns, from parameters to figures and sentences."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, needing

from benchbook import lab, store, verification
from benchbook.chapters.turns.arms import AGAIN, ALONE, BASE, TURNS, Parameters, configurations, name
from benchbook.chapters.turns.measure import reduce
from benchbook.chapters.turns.numbers import MEAN, OTHERS
from benchbook.engines import kv
from benchbook.model import Run

chapter = lab.experiment("turns")

pytestmark = needing(kv.versions)

CHAPTER = "turns"

PARAMETERS = Parameters.given(
    {"blocks": 3, "rounds": 3, "turn_ms": 20, "discard_ms": 2, "rows": 2_000, "warm_lookups": 100, "kept_samples": 100}
)


def test_every_configuration_has_its_cell_in_every_block(run: Run) -> None:
    check_cells(run, len(configurations(PARAMETERS)))


def test_the_run_verifies_as_it_is_stored(run: Run) -> None:
    [entry] = [each for each in store.catalogue(CHAPTER) if each.id == run.id]
    assert verification.verify(entry).problems == ()


def test_the_configurations_of_the_group_follow_each_other(run: Run) -> None:
    for _, block in run.trials.sort_values("trial").groupby("block"):
        places = np.flatnonzero(block["configuration"].str.endswith(TURNS))
        assert (np.diff(places) == 1).all()


def test_what_is_stored_gives_the_metrics(run: Run) -> None:
    check_metrics(run, reduce)


def test_figures_and_sentences_follow_the_run(run: Run) -> None:
    check_chapter(run)
    summary = lab.experiment(CHAPTER).summarize(run)
    logs = {way: np.log(summary.values(name(AGAIN, way), MEAN) / summary.values(name(BASE, way), MEAN))
            for way in (TURNS, ALONE)}  # fmt: skip
    for way, values in logs.items():
        assert summary.spread(AGAIN, way).point == pytest.approx(values.std(ddof=1), rel=1e-6)
    between = summary.between(AGAIN).point
    assert between == pytest.approx(np.exp(logs[TURNS].mean() - logs[ALONE].mean()), rel=1e-9)
    assert len(OTHERS) == 5
    assert "small pages" in chapter.say(summary, "lottery").text
    assert [*chapter.table(summary, "both")] == ["in turns", "one after the other"]
