"""Label order without an engine: labels that are the same, planted effects of the first place, and bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart

from benchbook import lab
from benchbook.chapters.cache_sizing.arms import STATED
from benchbook.chapters.label_order import pairs
from benchbook.chapters.label_order.arms import Parameters, configurations
from benchbook.chapters.label_order.numbers import PAUSES, Summary
from benchbook.engines import probe
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.badger.request import request_of
from benchbook.model import Outcome, Run
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.names import NOTHING

sizing = lab.experiment("cache_sizing")
chapter = lab.experiment("label_order")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")


def drawn(
    *,
    first: float = 1.0,
    sd: float = 0.03,
    tail: float = 3.0,
    blocks: int = 20,
    seed: int = 4,
    labels: dict[str, float] | None = None,
    backlog: float = 100e6,
    **columns: object,
) -> Run:
    """A run of the standard plan: lognormal burst means, with a factor for the first place and for some labels."""
    parameters = Parameters.given({"blocks": blocks})
    generator = np.random.default_rng(seed)
    rows, seen = [], set()
    for planned in chapter.plan(parameters).trials:
        name = planned.configuration.name
        mean = 4e6 * math.exp(generator.normal(0, sd)) * (labels or {}).get(name, 1.0)
        mean *= first if planned.block not in seen else 1.0
        waiting = backlog if planned.block in seen else 0.0
        seen.add(planned.block)
        row = {
            "trial": planned.index, "block": planned.block, "configuration": name, "session": 0,
            "started_at": f"2026-01-17T{planned.index // 60:02d}:{planned.index % 60:02d}:00+00:00",
            "burst_mean_ns": mean, "burst_p50_ns": mean / 2, "burst_p95_ns": tail * mean, "burst_p99_ns": 5 * mean,
            "response_mean_ns": 1.1 * mean, "peak_test_events_per_s": 1e9 / mean,
            "saved_events": 100_000.0, "timed_saves": 100_000.0, "backlog_start_bytes": waiting,
        }  # fmt: skip
        rows.append(row | columns)
    order = np.random.default_rng(1).permutation(len(rows))  # a stored table may come in any order
    return Run(
        "0123456789ab-20260117T100000", "label_order", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, blocks, {"engine_version": "4.8.0"}, pd.DataFrame(rows).iloc[order], pd.DataFrame(),
        pd.DataFrame(),
    )  # fmt: skip


def outcomes(run: Run) -> dict[str, Outcome]:
    return {verdict.claim_id: verdict.outcome for verdict in chapter.judge(chapter.summarize(run))}


def test_six_labels_ask_the_probe_for_exactly_the_same_and_never_name_themselves() -> None:
    p = Parameters()
    arms = configurations(p)
    assert [arm.settings["pause_s"] for arm in arms] == [10, 10, 10, 0, 0, 0]
    requests = [request_of(p, arm, 1) for arm in arms]
    assert all(request == requests[0] for request in requests)
    assert "label" not in json.dumps(requests)


def test_a_label_runs_what_the_chapter_on_cache_sizes_runs_under_the_stated_sizes() -> None:
    p, sized = Parameters(), sizing.Parameters()
    theirs = request_of(sized, sizing.configurations(sized)[STATED], 1)
    ours = request_of(p, configurations(p)[0], 1)
    assert ours["options"] == theirs["options"]
    assert ours["load"] == theirs["load"]
    assert ours["run"]["tests"] == ["peak", "burst"]
    changed = Parameters.given({"block_cache_mib": 2048, "events": 70, "bursts": 7, "burst_quiet_ms": 500})
    asked = request_of(changed, configurations(changed)[0], 1)
    assert asked["options"]["block_cache_bytes"] == 2048 << 20
    assert (asked["load"]["events"], asked["run"]["bursts"], asked["run"]["burst_quiet_ms"]) == (70, 7, 500)


def test_the_place_in_the_block_is_known_from_the_record_and_random() -> None:
    summary = chapter.summarize(drawn())
    planned = chapter.plan(summary.parameters).trials
    assert summary.trials["place"].tolist() == [trial.index % 6 for trial in planned]
    assert summary.trials["configuration"].tolist() == [trial.configuration.name for trial in planned]
    assert sum(map(summary.times_first, summary.arms)) == 20
    assert max(map(summary.times_first, summary.arms)) < 20
    by_trial = summary.trials.set_index("trial")["burst_mean_ns"]
    assert summary.by_place("burst_mean_ns").ravel().tolist() == by_trial.tolist()
    labels = summary.by_label("burst_mean_ns")
    assert sorted(labels[3]) == sorted(summary.by_place("burst_mean_ns")[3])
    rows = summary.trials[summary.trials["configuration"] == "label_c"].sort_values("block")
    assert labels[:, 2].tolist() == rows["burst_mean_ns"].tolist()


def test_the_estimand_is_the_first_over_the_geometric_mean_of_the_later_ones() -> None:
    summary = chapter.summarize(drawn(first=1.3, sd=0.0))
    effect = summary.first_over_later("burst_mean_ns")
    assert effect.point == pytest.approx(1.3)
    assert effect.n == 20
    by_hand = drawn(sd=0.2, seed=9)
    for pause, labels in PAUSES.items():
        logs = []
        for _, rows in by_hand.trials.sort_values("trial").groupby("block"):
            first, later = rows.iloc[0], rows.iloc[1:]
            later = later[later["configuration"].isin(labels)]
            logs.append(math.log(first["burst_mean_ns"]) - np.log(later["burst_mean_ns"]).mean())
        found = chapter.summarize(by_hand).first_over_later("burst_mean_ns", pause)
        assert found.point == pytest.approx(math.exp(np.mean(logs)))


def test_a_run_that_nobody_counted_for_says_nothing_of_what_waited() -> None:
    assert chapter.say(chapter.summarize(drawn(backlog_start_bytes=np.nan)), "backlog").text == NOTHING


def test_a_place_that_costs_nothing_reproduces_both_claims_and_one_that_costs_contradicts_them() -> None:
    assert outcomes(drawn()) == {"B008": Outcome.REPRODUCED, "B010": Outcome.REPRODUCED}
    assert outcomes(drawn(first=1.4)) == {"B008": Outcome.CONTRADICTED, "B010": Outcome.CONTRADICTED}
    assert outcomes(drawn(first=0.7)) == {"B008": Outcome.CONTRADICTED, "B010": Outcome.CONTRADICTED}
    assert {*outcomes(drawn(sd=0.5)).values()} <= {Outcome.INCONCLUSIVE, Outcome.DESIGN}
    assert outcomes(drawn(first=1.07, sd=0.01)) == {"B008": Outcome.CONTRADICTED, "B010": Outcome.REPRODUCED}, (
        "the margins are the ledger's: 5 % for the mean, 10 % for P95"
    )


@pytest.mark.parametrize(
    "columns",
    [{"timed_saves": 99_999.0}, {"timed_saves": np.nan}],
)
def test_counts_that_disagree_void_both_verdicts(columns: dict[str, object]) -> None:
    assert set(outcomes(drawn(**columns)).values()) == {Outcome.CHECK}


def test_a_label_that_differs_from_another_decides_nothing() -> None:
    """The second label against the first is the A/A pair."""
    slower = drawn(labels={"label_b": 1.03}, sd=0.01)
    assert outcomes(slower) == {"B008": Outcome.CHECK, "B010": Outcome.CHECK}
    decided = {Outcome.REPRODUCED, Outcome.DIRECTION_ONLY, Outcome.CONTRADICTED}
    assert not decided & set(outcomes(drawn(labels={"label_b": 1.5})).values())


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_opens_the_claim_on_that_metric(how: str, outcome: Outcome) -> None:
    found = outcomes(set_apart(drawn(), "label_b", "label_a", "burst_mean_ns", how))
    assert found == {"B008": outcome, "B010": Outcome.REPRODUCED}


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_leaves_margins_of_some_percent_open_and_no_place_that_costs_the_half() -> None:
    still = {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(drawn()))}
    for verdict in still.values():
        assert verdict.outcome is Outcome.ONE_VISIT
        assert "an interval wider by a quarter does not say the same: [0.7" in verdict.reason
    assert outcomes(drawn(first=1.5)) == {"B008": Outcome.CONTRADICTED, "B010": Outcome.CONTRADICTED}


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = chapter.judge(chapter.summarize(drawn(blocks=5, sd=0.001)))
    assert {verdict.outcome for verdict in found} == {Outcome.INCONCLUSIVE}
    assert all("5 blocks instead of at least 6" in verdict.reason for verdict in found)


def test_trials_that_began_in_another_order_than_recorded_void_both_verdicts() -> None:
    run = drawn()
    times = run.trials.sort_values("trial")["started_at"].tolist()
    times[7], times[8] = times[8], times[7]
    run.trials["started_at"] = pd.Series(times, index=run.trials.sort_values("trial").index)
    found = {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}
    assert {verdict.outcome for verdict in found.values()} == {Outcome.CHECK}
    assert "1 trials began before" in found["B008"].reason


def test_a_missing_latency_leaves_its_claim_open_and_not_the_other() -> None:
    run = drawn()
    run.trials.loc[run.trials["trial"] == 5, "burst_p95_ns"] = np.nan
    found = {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}
    assert found["B008"].outcome is Outcome.REPRODUCED
    assert found["B010"].outcome is Outcome.INCONCLUSIVE
    assert found["B010"].estimate is None
    assert "raise events" in found["B010"].reason
    table = chapter.table(chapter.summarize(run), "chances")
    assert table.loc["burst P95", "labels differ (p)"] == ""
    assert chapter.say(chapter.summarize(run), "queue").text.startswith("From one block to the next"), "without a tail"
    with pytest.raises(NotEstimableError):
        chapter.summarize(run).tail()
    check_texts_and_figures(chapter.summarize(run))


def test_an_incomplete_run_is_refused() -> None:
    run = drawn()
    for rows in (run.trials[run.trials["trial"] != 3], run.trials[run.trials["configuration"] != "label_f"]):
        broken = Run(**{name: getattr(run, name) for name in run.__dataclass_fields__} | {"trials": rows})
        with pytest.raises(BenchbookError, match="each configuration once per block"):
            chapter.summarize(broken)


def test_ratios_of_pairs_are_those_of_all_pairs() -> None:
    found = pairs.ratios(np.array([[1.0, 2.0, 8.0], [3.0, 3.0, 3.0]]))
    assert sorted(found[0]) == pytest.approx([2, 4, 8])
    assert found[1].tolist() == [1, 1, 1]


def test_pairs_as_far_apart_as_the_notes_are_counted_and_not_extrapolated() -> None:
    never = pairs.chance(chapter.summarize(drawn()), "burst_mean_ns")
    assert never.note == pytest.approx(9.35 / 3.61)
    assert (never.far, never.pairs, never.in_blocks) == (0, 20 * 15, 0)
    assert never.blocks.low == 0
    assert never.blocks.high == pytest.approx(0.161, abs=0.001), "none in 20 blocks is not never"
    one_slow = pairs.chance(chapter.summarize(drawn(first=4.0, sd=0.01)), "burst_mean_ns")
    assert one_slow.in_blocks == 20
    assert one_slow.far == 20 * 5
    assert one_slow.largest == pytest.approx(4, rel=0.05)
    assert pairs.chance(chapter.summarize(drawn(first=4.0, sd=0.01)), "burst_p95_ns").in_blocks > 0
    assert pairs.apart("burst_p95_ns") == pytest.approx(34.48 / 8.59)


def test_the_permutation_tests_see_a_place_a_label_or_neither() -> None:
    neither, place, label = (
        chapter.summarize(run) for run in (drawn(), drawn(first=1.4), drawn(labels={"label_c": 1.4}, seed=5))
    )
    assert neither.labels_apart("burst_mean_ns").p_value > 0.01
    assert neither.first_apart("burst_mean_ns").p_value > 0.01
    assert place.first_apart("burst_mean_ns").p_value < 0.001
    assert label.labels_apart("burst_mean_ns").p_value < 0.001
    assert neither.labels_apart("burst_mean_ns") == chapter.summarize(drawn()).labels_apart("burst_mean_ns"), "seeded"


def test_the_tail_is_p95_over_mean_beside_the_notes() -> None:
    summary = chapter.summarize(drawn(tail=3.5))
    assert summary.tail().point == pytest.approx(3.5)
    assert "3.69 in the note" in chapter.say(summary, "queue").text


def check_texts_and_figures(summary: Summary) -> None:
    for name in ("design", "answer", "backlog", "by_chance", "queue"):
        text = chapter.say(summary, name).text
        assert text.strip()
        assert "nan" not in text.split()
    for figure in chapter.figures(summary).values():
        json.dumps(figure.record(), allow_nan=False)
        assert figure.caption.endswith(".")
        assert len(figure.data)
        assert figure.data.columns.is_unique


def test_figures_tables_and_sentences_are_whole() -> None:
    summary = chapter.summarize(drawn())
    check_texts_and_figures(summary)
    found = chapter.figures(summary)
    assert [figure.id for figure in found.values()] == [
        "fig-label-order-places", "fig-label-order-first", "fig-label-order-labels", "fig-label-order-pairs",
    ]  # fmt: skip
    assert len(found["pairs"].data) == 20 * 15
    assert len(found["places"].data) == 2 * (6 + 20 * 6)
    assert found["first"].data["low (90 %)"].notna().sum() == 2
    assert len(chapter.table(summary, "overview")) == 12
    assert list(chapter.table(summary, "chances").index) == ["burst mean", "burst P95"]
    assert chapter.table(summary, "note_claims").loc["the first over the second", "burst mean (ms)"] == "2.59"


def test_a_run_that_is_not_the_notes_benchmark_says_so() -> None:
    asked = chapter.summarize(drawn()).departures()
    assert asked == ["bursts spread over 100 ms with 50 ms of quiet instead of 100 and 500"]
    run = drawn(blocks=3)
    run.trials.loc[run.trials["trial"].isin([4, 5]), "session"] = 1
    said = "; ".join(chapter.summarize(run).departures())
    assert "3 blocks instead of at least 6" in said
    assert "1 of 3 blocks interrupted" in said


@pytest.mark.parametrize(
    "values",
    [
        {"pause_s": -1}, {"storage_iops": 19}, {"storage_iops": "gp4"}, {"storage_mb_per_s": 1},
        {"events": 0}, {"events": -1}, {"events": 15, "bursts": 16}, {"workers": 0}, {"bursts": 0}, {"rest_s": -1},
        {"rest_s": float("nan")}, {"burst_quiet_ms": float("inf")}, {"block_cache_mib": -1}, {"kept_samples": 0},
        {"mem_table_mib": 0}, {"blocks": 1}, {"label": "A"}, {"rounds": 2},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError) as caught:
        Parameters.given(values)
    assert caught.value.mend
    assert next(iter(values)) in caught.value.problem


def test_a_cache_larger_than_memory_is_refused_before_anything_starts() -> None:
    wanted = chapter.needs(Parameters.given({"block_cache_mib": 1 << 20}))
    wanted = type(wanted)(wanted.disk_bytes, wanted.memory_bytes, dict)  # the probe is another question
    with pytest.raises(MachineError, match="of memory"):
        wanted.check()


def test_without_the_probe_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    missing = chapter.needs(Parameters()).missing_engine()
    assert missing is not None
    assert "not built" in missing.problem
    assert "make probes" in missing.mend
