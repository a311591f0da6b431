"""A tiny calibration through the real runner: stored, summed up, drawn, and the same again from the same seed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.calibration import catalogue, shares, verdicts
from benchbook.chapters.calibration.arms import Parameters, configurations
from benchbook.chapters.calibration.catalogue import ALL, Tried
from benchbook.chapters.calibration.measure import Bench
from benchbook.errors import BenchbookError
from benchbook.figures import Figure, Prose
from benchbook.model import Estimate, PlannedTrial, Run
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.names import NOTHING

chapter = lab.experiment("calibration")

TINY: dict[str, Any] = {
    "blocks": 2,
    "families": ["lognormal", "stalls"],
    "sizes": [3, 6],
    "repetitions": 40,
    "slow_repetitions": 2,
    "effects_percent": [2.5, 25],
    "timelines_s": [40],
    "settings": 4,
    "resamples": 99,
    "alone_sds": [0.02],
    "visit_repetitions": 40,
    "visit_moves": [0.06],
    "block_sds": [0.02, 0.1],
    "edge_ratios": [1.25, 5],
}
PARAMETERS = Parameters.given(TINY)


@pytest.fixture(scope="module")
def run(module_home: Path) -> Run:
    return lab.obtain(chapter, PARAMETERS)


def test_every_cell_is_stored_once_per_batch_without_samples(run: Run) -> None:
    counts = run.trials.groupby(["block", "configuration"]).size()
    assert len(counts) == 2 * len(configurations(PARAMETERS))
    assert (counts == 1).all()
    assert run.samples.empty
    assert run.provenance["engine"] == "simulation"


def test_the_same_parameters_give_the_stored_run(run: Run) -> None:
    assert lab.obtain(chapter, PARAMETERS).id == run.id


def test_stored_counts_follow_from_the_seed_alone(run: Run) -> None:
    bench = Bench(PARAMETERS)
    cells = {cell.name: cell for cell in configurations(PARAMETERS)}
    for row in run.trials.to_dict("records")[:4]:
        planned = PlannedTrial(0, int(row["block"]), cells[str(row["configuration"])], int(row["seed"]))
        for name, value in bench.simulated(planned).items():
            if value is None:
                assert np.isnan(row[name]), name
            else:
                assert row[name] == pytest.approx(value, rel=1e-12), name


def test_two_batches_of_a_cell_and_two_cells_of_a_batch_differ(run: Run) -> None:
    widths = run.trials["ratio_width"].dropna()
    assert widths.nunique() == len(widths) == 2 * 2 * 2


def test_every_interval_of_the_catalogue_was_tried_somewhere(run: Run) -> None:
    found = chapter.summarize(run)
    assert {name for name in ALL if found.places(name)} == set(ALL)
    assert [n for _, n, _ in found.places("median")] == [6, 6]
    assert [n for _, n, _ in found.places("alone_ratio")] == [3, 6]
    assert [n for _, n, _ in found.places("alone_median")] == [6]


def test_coverage_is_that_of_all_batches_together(run: Run) -> None:
    found = chapter.summarize(run)
    rows = run.trials[run.trials["configuration"] == "lognormal_n6"]
    estimate = found.coverage("ratio", "lognormal_n6")
    assert estimate is not None
    assert estimate.n == 80
    assert estimate.point == pytest.approx(rows["ratio_covered"].sum() / 80)
    assert estimate.low < estimate.point < estimate.high or estimate.point == 1
    with pytest.raises(NotEstimableError):
        found.coverage("ratio", "seconds_40")


def test_shares_of_the_verdicts_add_up_to_one(run: Run) -> None:
    table = chapter.table(chapter.summarize(run), "outcomes")
    shares = table[[column for column in table.columns if column != "false (%)"]]
    assert shares.sum(axis=1).round(0).eq(100).all()
    assert len(table) == 5 * 3


def test_even_a_tiny_run_gets_whole_figures_and_sentences(run: Run) -> None:
    found = chapter.summarize(run)
    figures = chapter.figures(found)
    assert len({figure.id for figure in figures.values()}) == len(figures)
    for figure in figures.values():
        _whole(figure, run)
    for name in (
        "design", "answer", "wrong_coverage", "others", "gate", "power", "stalled", "machines", "rule", "told", "worst",
        "looks", "found", "processors", "levels", "luck",
    ):  # fmt: skip
        text = chapter.say(found, name).text
        assert text.strip().endswith(".")
        assert text != NOTHING, name
        assert "nan" not in text.lower()
    assert isinstance(chapter.table(found, "exceptions"), pd.DataFrame | Prose)
    assert chapter.say(found, "reasons").text.endswith(".")
    assert chapter.judge(found) == []
    assert list(chapter.table(found, "rule").index) == list(verdicts.VISITS.values())
    assert len(chapter.table(found, "levels")) == 4 * 3


def test_an_untrue_share_is_that_of_the_worse_side_on_the_worst_machine(run: Run) -> None:
    found = chapter.summarize(run)
    rows = run.trials[run.trials["configuration"].str.startswith("visits_")].groupby("configuration").sum(True)
    columns = ["2x4_5_above", "2x4_5_below", "2x4_1_25_above", "2x4_1_25_below"]
    case, share = verdicts.untrue(found, strategies=["2x4"])
    assert share.n == 80
    assert share.point == pytest.approx(rows[columns].max().max() / 80)
    assert rows.loc[case.counted[0], case.counted[1]] == rows[columns].max().max()
    only = verdicts.found(found, "2x4", edges=[5.0], arms=["far"], processors=["two"])
    far = [name for name in rows.index if name.endswith("far_two")]
    assert only.n == 2 * 80
    assert only.point == pytest.approx(rows.loc[far, "2x4_5_found"].sum() / 160)


def test_a_run_without_large_ratios_says_nothing_of_them(run: Run) -> None:
    found = chapter.summarize(run)
    small = replace(found, parameters=found.parameters.model_copy(update={"edge_ratios": (1.25,)}))
    assert "On larger ratios" not in chapter.say(small, "told").text
    assert "On larger ratios" in chapter.say(found, "told").text
    assert chapter.figures(small)["visits"].caption


def _whole(figure: Figure, run: Run) -> None:
    assert figure.caption.strip().endswith(".")
    assert len(figure.alt) > 40
    assert figure.run_id == run.id
    json.dumps(figure.record(), allow_nan=False)


def test_a_run_that_lacks_a_cell_is_refused(run: Run) -> None:
    lacking = replace(run, trials=run.trials[run.trials["configuration"] != "seconds_40"])
    with pytest.raises(BenchbookError, match="does not hold each configuration"):
        chapter.summarize(lacking)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.935, 0.965, "as promised"),
        (0.925, 0.965, "undecided"),
        (0.90, 0.929, "too seldom"),
        (0.971, 0.99, "too often"),
        (0.90, 0.99, "undecided"),
    ],
)
def test_a_coverage_is_called_off_only_when_the_simulation_can_tell(low: float, high: float, found: str) -> None:
    estimate = Estimate((low + high) / 2, low, high, 1_000, shares.METHOD)
    assert Tried("it", "it").finding(estimate) == found


def test_the_target_of_a_ninety_percent_interval_lies_around_ninety() -> None:
    assert Tried("it", "it").target == (catalogue.TARGET_LOW, catalogue.TARGET_HIGH) == (0.93, 0.97)
    assert ALL["equivalence"].target == (0.88, 0.92)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"families": []}, "families"),
        ({"families": ["cauchy"]}, "families"),
        ({"families": ["gamma", "gamma"]}, "names a value twice"),
        ({"sizes": [1]}, r"sizes=\(1,\) must lie between 2 and 200"),
        ({"sizes": [201]}, "sizes"),
        ({"sizes": [6, 6]}, "names a value twice"),
        ({"timelines_s": [19]}, r"timelines_s=\(19,\) must lie between 20 and 3,600"),
        ({"effects_percent": [0]}, "effects_percent"),
        ({"effects_percent": [-5]}, "effects_percent"),
        ({"effects_percent": [float("nan")]}, "effects_percent"),
        ({"effects_percent": []}, "effects_percent"),
        ({"between_trial_sd": 0}, "between_trial_sd=0"),
        ({"between_trial_sd": float("inf")}, "between_trial_sd"),
        ({"between_block_sd": -0.1}, "between_block_sd"),
        ({"operations": 9_999}, "operations=9999"),
        ({"hit_ratio": 1}, "hit_ratio=1"),
        ({"autocorrelation": 1}, "autocorrelation=1"),
        ({"alone_sds": [0.3]}, "alone_sds"),
        ({"edge_ratios": [1]}, r"edge_ratios=\(1.0,\) must lie between 1.001 and 100"),
        ({"block_sds": [0.02, 0.02]}, "names a value twice"),
        ({"visit_moves": [0.6]}, "visit_moves"),
        ({"other_processor": 2}, "other_processor=2"),
        ({"slower_percent": -1}, "slower_percent=-1"),
        ({"settings": 2}, "settings=2"),
        ({"visit_sds": [0.6]}, r"visit_sds=\(0.6,\) must lie between 0 and 0.5"),
        ({"luck_visits": [3]}, "luck_visits"),
        ({"cliff_percent": 100}, "cliff_percent=100"),
        ({"repetition": 100}, "did you mean 'repetitions'"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said) as caught:
        Parameters.given(given)
    assert caught.value.mend


def test_the_memory_asked_for_grows_with_the_largest_cell() -> None:
    small, large = (
        chapter.needs(Parameters.given(each)).memory_bytes
        for each in ({}, {"repetitions": 100_000, "sizes": [3, 200], "settings": 20})
    )
    assert small < 2_000_000_000
    assert large > 40_000_000_000


def test_a_figure_of_coverage_says_how_many_of_its_cases_cover_too_seldom(run: Run) -> None:
    summary = chapter.summarize(run)
    few, every = shares.seldom(summary)["effects"]
    table = chapter.figures(summary)["effects"].data
    assert every == len(table)
    assert few == (table["finding"] == "too seldom").sum()
    assert f"in {few} of {every} simulated cases" in chapter.figures(summary)["effects"].finding
