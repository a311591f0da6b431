"""What chapters ask of a run by configuration: values in block order, and what is said where one is missing."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest
from made_up import run_of

from benchbook.drawing.marks import blank
from benchbook.errors import BenchbookError
from benchbook.model import Configuration, Part, Run
from benchbook.numbers.metrics import Metric
from benchbook.numbers.sentences import WANTED_BLOCKS, departing, opening, source
from benchbook.numbers.summary import NotEstimableError, OfChapter, Summary, check_whole
from benchbook.pages.tables import cells, levels, means, shown, table
from benchbook.parameters.base import ExperimentParameters, param


class Parameters(ExperimentParameters):
    """One number that the claims ask for."""

    rows: int = param(10, words="rows of a table", asks="rows")


METRICS = {
    "mean_ns": Metric("mean time", "µs", 1e-3, heading="mean"),
    "p99_ns": Metric("P99 of a time", "ns", heading="P99"),
    "holed_ns": Metric("time with a hole", "ns"),
    "zero_ns": Metric("no time", "ns"),
}


class Asked(Summary[Parameters]):
    """A chapter's own, which has other words for what is missing."""

    MEND = "measure again"


def asked_of(run: Run, rows: int = 10) -> Asked:
    """The summary of a run of a chapter on RocksDB."""
    chapter = cast(OfChapter, SimpleNamespace(name="made_up", engine="RocksDB", METRICS=METRICS))
    arms = {name: Configuration(name, f"the arm {name}") for name in "ab"}
    return Asked(chapter, run, Parameters(rows=rows), arms)


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
    return run_of(mixed, id="id", experiment="cache_sizing", parameters={}, profile="quick", published=True)


def test_values_stand_in_block_order_whatever_the_order_of_the_rows() -> None:
    asks = asked_of(a_run())
    assert asks.values("a", "mean_ns").tolist() == [1e1, 1e3, 1e5]
    assert asks.values("b", "mean_ns").tolist() == [1e2, 1e4, 1e6]
    assert asks.level("a", "mean_ns", 1e3).point == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("arm", "metric", "words"),
    [
        ("c", "mean_ns", "mean time of “c”"),
        ("a", "p99_ns", "P99 of a time of “the arm a”"),
        ("b", "holed_ns", "time with a hole of “the arm b”"),
        ("b", "p50_ns", "p50 of “the arm b”"),
    ],
)
def test_a_configuration_or_metric_that_is_missing_is_told_in_the_chapters_words(
    arm: str, metric: str, words: str
) -> None:
    asks = asked_of(a_run(holed_ns=[1.0, 2.0, 3.0, float("nan"), 5.0, 6.0]))
    with pytest.raises(NotEstimableError) as caught:
        asks.values(arm, metric)
    assert caught.value.problem == f"{words} is not estimable in every trial"
    assert caught.value.mend == "measure again"
    assert not asks.has(arm, metric)
    assert not asks.has(arm, "mean_ns", metric)
    assert asks.has("a", "mean_ns", "holed_ns"), "its own trials have it"


def test_tables_leave_a_cell_empty_where_the_run_holds_too_little() -> None:
    asks = asked_of(a_run(zero_ns=[0.0] * 6))
    columns = {
        "mean": lambda arm: f"{asks.values(arm, 'mean_ns').mean():.0f}",
        "P99": lambda arm: f"{asks.values(arm, 'p99_ns').mean():.0f}",
    }
    assert cells(columns, "b") == {"mean": "336700", "P99": ""}
    assert shown(asks.level, "a", "mean_ns", factor=1e-3).startswith("1.00 [")
    assert shown(asks.level, "a", "p99_ns") == "not estimable"
    assert shown(asks.level, "a", "zero_ns") == "not estimable", "0 has no logarithm"


def test_columns_of_metrics_have_their_heading_unit_and_format() -> None:
    asks = asked_of(a_run(zero_ns=[0.0] * 6))
    found = levels(asks, "mean_ns", "zero_ns") | means(asks, "p99_ns")
    assert list(found) == ["mean (µs)", "no time (ns)", "P99 (ns)"]
    assert cells(found, "a")["mean (µs)"].startswith("1.00 [")
    assert [*cells(found, "a").values()][1:] == ["", ""], "0 has no logarithm, and no trial has the other"
    assert cells(means(asks, "mean_ns", otherwise="unknown"), "b") == {"mean (µs)": "337"}
    assert cells(means(asks, "p99_ns", otherwise="unknown"), "b") == {"P99 (ns)": "unknown"}
    assert cells(levels(asks, "p99_ns", otherwise="unknown"), "b") == {"P99 (ns)": "unknown"}


def test_a_table_has_a_row_for_each_and_its_names_as_index() -> None:
    asks = asked_of(a_run())
    columns: dict[str, Any] = {"mean": lambda arm: f"{asks.values(arm, 'mean_ns').mean():.0f}"}
    rows = [({"configuration": asks.label(arm)}, arm) for arm in asks.arms]
    assert table(rows, columns).loc["the arm b", "mean"] == "336700"
    named = table([({"of": "it", "configuration": arm}, arm) for arm in "ab"], columns)
    assert named.loc[("it", "b"), "mean"] == "336700"
    empty = table([], columns)
    assert [*empty.columns] == ["mean"]
    assert empty.empty


def test_what_is_computed_once_is_kept_with_the_summary_and_with_no_copy() -> None:
    asks, computed = asked_of(a_run()), []
    for _ in range(2):
        assert asks.once("x", lambda: computed.append("x") or 5) == 5  # type: ignore[func-returns-value]
    assert computed == ["x"]
    assert replace(asks, run=a_run(4)).once("x", lambda: 6) == 6


def test_departures_are_those_of_the_parameters_and_of_too_few_blocks() -> None:
    assert asked_of(a_run(WANTED_BLOCKS)).departures() == []
    assert asked_of(a_run(), rows=5).departures() == ["5 rows where 10 are asked", "3 blocks instead of at least 6"]


def test_the_baseline_is_held_against_itself_and_what_cannot_be_compared_fails() -> None:
    asks = asked_of(a_run(8, same_ns=[float(5 + place // 2) for place in range(16)], zero_ns=[0.0] * 16))
    assert asks.aa_gate("b", "a", "same_ns").passed
    assert not asks.aa_gate("b", "a", "mean_ns").passed
    torn = asks.aa_gate("b", "a", "zero_ns")
    assert not torn.passed
    assert "cannot be held against itself" in torn.reason


def test_a_share_of_the_baseline_is_held_against_itself_by_its_difference() -> None:
    near, far = [0.30, 0.31, 0.32, 0.31, 0.29, 0.30], [0.0, 0.5, 0.0, 0.5, 0.0, 0.5]
    none, counts = [0.0] * 6, [1_000.0] * 6
    asks = asked_of(a_run(near=near, far=far, none=none, counts=counts, uncounted=none))
    for share in ("near", "none"):
        gate = asks.aa_share_gate("b", "a", share, "counts")
        assert gate.passed, gate.reason
        assert "a difference of" in gate.reason
    assert not asks.aa_share_gate("b", "a", "far", "counts").passed
    torn = asks.aa_share_gate("b", "a", "near", "uncounted")
    assert not torn.passed
    assert "cannot be held against itself" in torn.reason


def test_a_run_that_is_not_whole_is_refused() -> None:
    run = a_run()
    check_whole(run, ["b", "a"])
    for names in (["a"], ["a", "b", "c"]):
        with pytest.raises(BenchbookError, match="each configuration once per block"):
            check_whole(run, names)
    with pytest.raises(BenchbookError, match="each configuration once per block"):
        check_whole(replace(run, trials=run.trials.iloc[1:]), ["a", "b"])


def test_sentences_name_the_run_and_how_it_departs() -> None:
    run = a_run()
    assert source(run) == "measured in 1 visit (quick profile)"
    assert source(replace(run, published=False)) == "measured on this machine in 1 visit (quick profile)"
    assert opening(run) == "This page shows run `id` (quick profile): 3 blocks of"
    parts = (Part("a", 1, {"processor": "one"}), Part("b", 2, {"processor": "other"}))
    elsewhere = replace(run, pool=parts)
    assert source(elsewhere) == "measured in 2 visits on 2 kinds of host (quick profile)"
    assert opening(elsewhere).startswith(
        "This page shows runs `a` and `b`, pooled (quick profile; measured on 2 kinds of host, one (1 block) and "
        "other (2 blocks)): 3 blocks of"
    )
    assert "kinds" not in opening(replace(run, pool=parts[:1]))
    assert departing([]) == ""
    said = departing(["no checkpoint", "3 blocks"], "Not the note's benchmark")
    assert "**Not the note's benchmark:** this run has no checkpoint; 3 blocks." in said
    assert "registered design:**" in departing(["no checkpoint"])


def test_a_figure_with_nothing_to_show_says_why_and_what_to_do() -> None:
    asks = asked_of(a_run())
    figure = blank(asks, "fig-a", "RocksDB's part", "No part of RocksDB was timed", "raise rows")
    assert figure.caption == "RocksDB's part: no part of RocksDB was timed."
    assert figure.title == "RocksDB's part"
    assert figure.alt == "RocksDB's part: no figure. No part of RocksDB was timed; to see it, raise rows."
    assert figure.data["why"].tolist() == ["No part of RocksDB was timed"]
    assert figure.run_id == "id"
