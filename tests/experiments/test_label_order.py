"""Label order without an engine: labels that are the same, and a planted effect of the first place."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planting import planted

from benchbook import lab
from benchbook.chapters.label_order import PAUSES, Parameters, Summary, chance, configurations, pairs
from benchbook.measuring.badger.request import request_of
from benchbook.model import PlannedTrial
from benchbook.numbers.summary import NotEstimableError

chapter, sizing = lab.experiment("label_order"), lab.experiment("cache_sizing")
MEAN = "burst_mean_ns"


def drawn(first: float = 1.0, slow: str = "", sd: float = 0.03, **columns: object) -> Summary:
    """A run of the standard plan: lognormal burst means, with factors for the first place and one label."""
    p, generator = Parameters(blocks=20), np.random.default_rng(4)

    def values(trial: PlannedTrial) -> dict[str, Any]:
        mean = 4e6 * generator.lognormal(0, sd) * (first if trial.index % 6 == 0 else 1)
        mean *= 1.4 if trial.configuration.name == slow else 1
        began = f"2026-01-17T{trial.index // 60:02d}:{trial.index % 60:02d}:00Z"
        row = {"started_at": began, MEAN: mean, "burst_p95_ns": 3 * mean, "saved_events": 9.0, "timed_saves": 9.0}
        return row | columns

    run = planted("label_order", p, values)
    shuffled = run.trials.iloc[np.random.default_rng(1).permutation(len(run.trials))]  # stored in any order
    found: Summary = chapter.summarize(replace(run, trials=shuffled))
    return found


def test_labels_ask_the_probe_for_the_same_as_cache_sizing_under_the_stated_sizes_and_never_name_themselves() -> None:
    p, sized = Parameters(), sizing.Parameters()
    ours = [request_of(p, arm, 1) for arm in configurations(p)]
    assert all(request == ours[0] for request in ours)
    assert "label" not in json.dumps(ours)
    theirs = request_of(sized, sizing.configurations(sized)["stated"], 1)
    assert (ours[0]["options"], ours[0]["load"]) == (theirs["options"], theirs["load"])


def test_the_place_in_the_block_is_that_of_the_plan() -> None:
    summary = drawn()
    planned = chapter.plan(summary.parameters).trials
    assert summary.trials["configuration"].tolist() == [trial.configuration.name for trial in planned]
    assert summary.trials["place"].tolist() == [trial.index % 6 for trial in planned]
    assert summary.grid(MEAN, "place").ravel().tolist() == summary.trials[MEAN].tolist()
    rows = summary.trials[summary.trials["configuration"] == "label_c"].sort_values("block")
    assert summary.grid(MEAN, "configuration")[:, 2].tolist() == rows[MEAN].tolist()
    assert sum(summary.times_first().values()) == 20


@pytest.mark.parametrize("pause", PAUSES)
def test_the_first_is_held_against_the_geometric_mean_of_the_later_ones(pause: str) -> None:
    assert drawn(first=1.3, sd=0).first_over_later(MEAN, pause).point == pytest.approx(1.3)
    summary, logs = drawn(sd=0.2), []
    for _, rows in summary.trials.groupby("block"):
        later = rows.iloc[1:][rows.iloc[1:]["configuration"].isin(PAUSES[pause])]
        logs.append(np.log(rows.iloc[0][MEAN]) - np.log(later[MEAN]).mean())
    assert summary.first_over_later(MEAN, pause).point == pytest.approx(np.exp(np.mean(logs)))


def test_pairs_as_far_apart_as_the_notes_are_counted() -> None:
    assert sorted(pairs(np.array([[1.0, 2.0, 8.0]]))[0]) == pytest.approx([2, 4, 8])
    never, slow = chance(drawn(), "mean"), chance(drawn(first=4.0, sd=0.01), "mean")
    assert never.note == pytest.approx(9.35 / 3.61)
    assert (never.far, never.pairs, never.in_blocks) == (0, 20 * 15, 0)
    assert (slow.in_blocks, slow.far) == (20, 20 * 5)


def test_the_permutation_tests_see_a_place_a_label_or_neither() -> None:
    neither, place, label = (each.apart(MEAN) for each in (drawn(), drawn(first=1.4), drawn(slow="label_c")))
    assert min(neither.labels.p_value, neither.first.p_value) > 0.01
    assert max(place.first.p_value, label.labels.p_value) < 0.001


def test_counts_that_disagree_an_order_that_was_not_kept_and_a_missing_latency_are_told() -> None:
    assert all(gate.passed for gate in (*drawn().counts_agree(), *drawn().in_order()))
    assert not drawn(timed_saves=8.0).counts_agree()[0].passed
    assert [gate.passed for gate in drawn(started_at="2026-01-17T00:00:00Z").in_order()] == [True]
    summary = drawn()
    summary.trials.loc[[7, 8], "started_at"] = summary.trials.loc[[8, 7], "started_at"].tolist()
    summary.trials.loc[4, "session"] = 1
    assert "1 trials began before" in summary.in_order()[0].reason
    assert "1 of 20 blocks interrupted and resumed later" in summary.departures()
    with pytest.raises(NotEstimableError, match="raise events"):
        drawn(burst_p95_ns=np.nan).tail()
