"""A tiny calibration through the real runner: stored, summed up, drawn, and the same again from the same seed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import check_chapter

from benchbook import lab
from benchbook.chapters import calibration
from benchbook.chapters.calibration import EVERY, Bench, Parameters, Tried, configurations
from benchbook.model import Estimate, PlannedTrial, Run
from benchbook.numbers.summary import NotEstimableError

chapter = lab.experiment("calibration")
TINY: dict[str, Any] = {
    "blocks": 2, "families": ["lognormal", "stalls"], "sizes": [3, 6], "repetitions": 40, "slow_repetitions": 2,
    "effects_percent": [2.5, 25], "timelines_s": [40], "settings": 4, "resamples": 99, "alone_sds": [0.02],
    "visit_repetitions": 40, "visit_moves": [0.06], "block_sds": [0.02, 0.1], "edge_ratios": [1.25, 5],
}  # fmt: skip
PARAMETERS = Parameters.given(TINY)


@pytest.fixture(scope="module")
def run(module_home: Path) -> Run:
    return lab.obtain(chapter, PARAMETERS)


def test_stored_counts_follow_from_the_seed_alone(run: Run) -> None:
    cells = {cell.name: cell for cell in configurations(PARAMETERS)}
    assert len(run.trials) == 2 * len(cells)
    for row in run.trials.drop_duplicates("configuration").to_dict("records")[::3]:
        planned = PlannedTrial(0, int(row["block"]), cells[str(row["configuration"])], int(row["seed"]))
        for name, value in Bench(PARAMETERS).simulated(planned).items():
            assert row[name] == pytest.approx(np.nan if value is None else value, rel=1e-12, nan_ok=True), name
    widths = run.trials["ratio_width"].dropna()
    assert widths.nunique() == len(widths) == 2 * 2 * 2, "two batches of a cell and two cells of a batch differ"


def test_coverage_is_that_of_all_batches_together(run: Run) -> None:
    found = chapter.summarize(run)
    assert {name for name in EVERY if found.places(name)} == set(EVERY), "every interval was tried somewhere"
    rows = run.trials[run.trials["configuration"] == "lognormal_n6"]
    estimate = found.coverage("ratio", "lognormal_n6")
    assert estimate.n == 80
    assert estimate.point == pytest.approx(rows["ratio_covered"].sum() / 80)
    with pytest.raises(NotEstimableError):
        found.coverage("ratio", "seconds_40")


def test_even_a_tiny_run_gets_whole_figures_and_sentences(run: Run) -> None:
    parts = ("answer", "wrong_coverage", "power", "stalled", "told", "worst", "looks", "found", "levels", "luck")
    found = check_chapter(run, parts)
    assert [name for name in parts if not chapter.say(found, name).text.strip().endswith(".")] == []
    shares = chapter.table(found, "outcomes").drop(columns="false (%)")
    assert shares.sum(axis=1).round(0).eq(100).all()
    few, every = calibration.seldom(found)["effects"]
    assert f"in {few} of {every} simulated cases" in chapter.figures(found)["effects"].finding


def test_an_untrue_share_is_that_of_the_worse_side_on_the_worst_machine(run: Run) -> None:
    found = chapter.summarize(run)
    rows = run.trials[run.trials["configuration"].str.startswith("visits_")].groupby("configuration").sum(True)
    columns = ["2x4_5_above", "2x4_5_below", "2x4_1_25_above", "2x4_1_25_below"]
    case, share = found.untrue(strategies=["2x4"])
    assert share.point == pytest.approx(rows[columns].max().max() / 80)
    assert rows.loc[case.counted[0], case.counted[1]] == rows[columns].max().max()
    only = found.found("2x4", edges=[5.0], arms=["far"], processors=["two"])
    far = [name for name in rows.index if name.endswith("far_two")]
    assert only.n == 2 * 80
    assert only.point == pytest.approx(rows.loc[far, "2x4_5_found"].sum() / 160)
    small = replace(found, parameters=found.parameters.model_copy(update={"edge_ratios": (1.25,)}))
    assert "On larger ratios" in chapter.say(found, "told").text
    assert "On larger ratios" not in chapter.say(small, "told").text


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (0.935, 0.965, "as promised"), (0.925, 0.965, "undecided"), (0.90, 0.929, "too seldom"),
        (0.971, 0.99, "too often"), (0.90, 0.99, "undecided"),
    ],
)  # fmt: skip
def test_a_coverage_is_called_off_only_when_the_simulation_can_tell(low: float, high: float, found: str) -> None:
    estimate = Estimate((low + high) / 2, low, high, 1_000, calibration.METHOD)
    assert Tried("it", "it").finding(estimate) == found
    assert EVERY["equivalence"].target == (0.88, 0.92)


def test_the_memory_asked_for_grows_with_the_largest_cell() -> None:
    large = {"repetitions": 100_000, "sizes": [3, 200], "settings": 20}
    small, most = (chapter.needs(Parameters.given(each)).memory_bytes for each in ({}, large))
    assert small < 2_000_000_000
    assert most > 40_000_000_000
