"""What chapters ask of a run by configuration: values in block order, and what is said where one is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from benchbook.errors import BenchbookError
from benchbook.experiments.marks import blank
from benchbook.experiments.per_block import NotEstimableError, PerBlock, cells, check_whole, in_words, shown
from benchbook.experiments.sentences import WANTED_BLOCKS, departing, opening, source, too_few_blocks
from benchbook.model import Run


@dataclass(frozen=True)
class Asked(PerBlock):
    mend: str

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        return NotEstimableError(f"no {metric} of {arm}", self.mend)

    def origin(self) -> str:
        return source(self.run)


def a_run(blocks: int = 3, **columns: list[float]) -> Run:
    """Two configurations, with the rows in no order."""
    rows = pd.DataFrame(
        {
            "trial": range(2 * blocks),
            "block": [block for block in range(blocks) for _ in "ab"],
            "configuration": ["a", "b"] * blocks,
            "mean_ns": [float(10 ** (place + 1)) for place in range(2 * blocks)],
        }
        | columns
    )
    mixed = rows.iloc[np.random.default_rng(3).permutation(len(rows))]
    empty = pd.DataFrame()
    return Run("id", "cache_sizing", 1, {}, "quick", 1, blocks, {}, mixed, empty, empty, published=True)


def test_values_stand_in_block_order_whatever_the_order_of_the_rows() -> None:
    asked = Asked(a_run(), "measure again")
    assert asked.values("a", "mean_ns").tolist() == [1e1, 1e3, 1e5]
    assert asked.values("b", "mean_ns").tolist() == [1e2, 1e4, 1e6]
    assert asked.level("a", "mean_ns", 1e3).point == pytest.approx(1.0)


@pytest.mark.parametrize(("arm", "metric"), [("c", "mean_ns"), ("a", "p99_ns"), ("b", "holed_ns")])
def test_a_configuration_or_metric_that_is_missing_is_told_in_the_chapters_words(arm: str, metric: str) -> None:
    asked = Asked(a_run(holed_ns=[1.0, 2.0, 3.0, float("nan"), 5.0, 6.0]), "measure again")
    with pytest.raises(NotEstimableError, match=f"no {metric} of {arm}") as caught:
        asked.values(arm, metric)
    assert caught.value.mend == "measure again"
    assert not asked.has(arm, metric)
    assert not asked.has(arm, "mean_ns", metric)
    assert asked.has("a", "mean_ns", "holed_ns"), "its own trials have it"


def test_tables_leave_a_cell_empty_where_the_run_holds_too_little() -> None:
    asked = Asked(a_run(zero_ns=[0.0] * 6), "measure again")
    columns = {
        "mean": lambda arm: f"{asked.values(arm, 'mean_ns').mean():.0f}",
        "P99": lambda arm: f"{asked.values(arm, 'p99_ns').mean():.0f}",
    }
    assert cells(columns, "b") == {"mean": "336700", "P99": ""}
    assert shown(asked.level, "a", "mean_ns", factor=1e-3).startswith("1.00 [")
    assert shown(asked.level, "a", "p99_ns") == "not estimable"
    assert shown(asked.level, "a", "zero_ns") == "not estimable", "0 has no logarithm"


def test_a_run_that_is_not_whole_is_refused() -> None:
    run = a_run()
    check_whole(run, ["b", "a"])
    for names in (["a"], ["a", "b", "c"]):
        with pytest.raises(BenchbookError, match="each configuration once per block"):
            check_whole(run, names)
    thinner = Run(**(vars(run) | {"trials": run.trials.iloc[1:]}))
    with pytest.raises(BenchbookError, match="each label once per block"):
        check_whole(thinner, ["a", "b"], "label")


def test_a_metrics_name_loses_its_unit() -> None:
    names = ("query_mean_ns", "load_s", "resident_bytes", "tps", "resident_bytes_per_key")
    assert [in_words(name) for name in names] == ["query mean", "load", "resident", "tps", "resident bytes per key"]


def test_sentences_name_the_run_and_how_it_departs() -> None:
    run = a_run()
    assert source(run) == "published run id (quick profile)"
    assert source(Run(**(vars(run) | {"published": False}))) == "run on this machine id (quick profile)"
    assert opening(run) == "This page shows run `id` (quick profile): 3 blocks of"
    assert too_few_blocks(run) == ["3 blocks instead of at least 6"]
    assert too_few_blocks(a_run(WANTED_BLOCKS)) == []
    assert departing([]) == ""
    said = departing(["no checkpoint", "3 blocks"], "Not the note's benchmark")
    assert "**Not the note's benchmark:** this run has no checkpoint; 3 blocks." in said
    assert "registered for:**" in departing(["no checkpoint"])


def test_a_figure_with_nothing_to_show_says_why_and_what_to_do() -> None:
    asked = Asked(a_run(), "measure again")
    figure = blank(asked, "fig-a", "RocksDB's part", "No part of RocksDB was timed", "raise rows")
    assert figure.caption == "RocksDB's part: no part of RocksDB was timed; published run id (quick profile)."
    assert figure.alt == "An empty figure. No part of RocksDB was timed: raise rows."
    assert figure.data["why"].tolist() == ["No part of RocksDB was timed"]
    assert figure.run_id == "id"
