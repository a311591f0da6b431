"""Blocks added to a stored run: the plan goes on where it stopped, and what does not fit is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from benchbook import runner, store
from benchbook.errors import BenchbookError


def measured(experiment: Any, more: int | None = None, **values: Any) -> Any:
    return runner.run(experiment, experiment.Parameters(blocks=3, **values), profile="custom", more=more)


def test_added_blocks_go_on_in_the_plan_and_are_pooled(experiment: Any) -> None:
    first = measured(experiment)
    grown = measured(experiment, more=2)
    again = measured(experiment, more=1)
    assert [(each.first_block, each.blocks) for each in (first, grown, again)] == [(0, 3), (3, 2), (5, 1)]
    whole = experiment.plan(experiment.Parameters(blocks=6)).trials
    pool = store.pooled([first, grown, again])
    columns = pool.trials[["block", "configuration", "seed"]].itertuples(index=False, name=None)
    assert list(columns) == [(each.block, each.configuration.name, each.seed) for each in whole]
    assert [part.first_block for part in pool.parts] == [0, 3, 5]
    assert store.parts(pool)[1].first_block == 3


def test_what_was_measured_stays_the_answer_while_blocks_are_added(experiment: Any, stop: type[Exception]) -> None:
    first = measured(experiment)
    experiment.fail_at = {4}
    with pytest.raises(stop):
        measured(experiment, more=2)
    assert measured(experiment).id == first.id, "an interrupted growth begins nothing anew"
    with pytest.raises(BenchbookError, match="adds 2 blocks, was interrupted"):
        measured(experiment, more=4)
    experiment.measured.clear()
    grown = measured(experiment, more=2)
    assert (grown.first_block, grown.blocks, sorted(experiment.measured)) == (3, 2, [4, 5])


def test_blocks_are_added_to_nothing_else(experiment: Any) -> None:
    with pytest.raises(BenchbookError, match="to add blocks to: none is stored"):
        measured(experiment, more=2)
    first = measured(experiment)
    with pytest.raises(BenchbookError, match=f"{first.id} has operations=50 instead of 60"):
        measured(experiment, more=2, operations=60)
    experiment.says["engine_version"] = "2.0"
    with pytest.raises(BenchbookError, match=r"measured with made up 1\.0 .* and here is made up 2\.0"):
        measured(experiment, more=2)
    experiment.says["engine_version"] = "1.0"
    experiment.version = 2
    with pytest.raises(BenchbookError, match="version 1 of the measurement instead of 2"):
        measured(experiment, more=2)
    experiment.version = 1
    with pytest.raises(BenchbookError, match="3 blocks are stored and 998 more are too many"):
        measured(experiment, more=998)


def test_a_run_on_another_processor_adds_blocks_and_is_told_apart(
    experiment: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = measured(experiment)
    monkeypatch.setitem(experiment.says, "processor", "another one")
    grown = measured(experiment, more=1)
    pool = store.pooled([first, grown])
    assert [each.provenance["processor"] == "another one" for each in pool.parts] == [False, True]
