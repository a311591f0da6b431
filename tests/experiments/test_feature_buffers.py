"""A larger pool for feature look-ups, without a server: what is refused, which keys are asked for, what decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.feature_buffers.arms import (
    BAND_PERCENT,
    DIRECT,
    DISJOINT,
    MIX,
    UNFILLED,
    Parameters,
    again_name,
    configurations,
    percent_of,
    pool_name,
)
from benchbook.chapters.feature_buffers.keys import asked
from benchbook.chapters.feature_buffers.pools import best_over_best
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("feature_buffers")

pytestmark = pytest.mark.usefixtures("still_machine")

MIB = 2**20
DATA_MIB = 1_000
SMALL = Parameters.given(
    {
        "rows_per_table": 20_000, "hot_set_keys": 500, "measured_requests": 1_000, "fill_requests": 2_000,
        "ram_percent": 900,
    }
)  # fmt: skip
HITS = {23: 0.17, 46: 0.40, 92: 0.70}
SAID = {
    "default_bytes": 128 * MIB, "asked_bytes": 400 * MIB, "after_reload_bytes": 128 * MIB, "pending": True,
    "after_restart_bytes": 400 * MIB, "pending_after_restart": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"pools_percent": [23, 47]}, "no size together with its double"),
        ({"pools_percent": [46, 92, 46]}, "without repeats"),
        ({"mix_pools_percent": [46]}, "without repeats"),
        ({"pools_percent": [48, 96]}, "between 1 and 95"),
        ({"rows_per_table": 30_000, "ram_percent": 900}, "leaves too few keys"),
        ({"rows_per_table": 45_000}, "the server needs 56"),
        ({"key_existence": "first_table"}, "does not belong here"),
        ({"hot_share_percent": 100}, "hot_share_percent"),
    ],
)
def test_contradictory_input_is_refused_with_its_numbers(values: dict[str, Any], words: str) -> None:
    with pytest.raises(BenchbookError, match=words):
        Parameters.given(values)


def test_the_defaults_ask_for_data_larger_than_the_memory_and_for_sizes_in_the_notes_range() -> None:
    p = Parameters()
    assert p.ram_percent < 100
    assert not p.direct_io
    assert sum(BAND_PERCENT[0] <= each <= BAND_PERCENT[1] for each in p.mix_percents) >= 2
    assert p.doubled_percents == (23, 46)


def test_every_size_is_measured_once_and_the_baseline_twice() -> None:
    p = Parameters()
    arms = {arm.name: arm for arm in configurations(p)}
    assert arms[again_name(46)].settings == arms[pool_name(DISJOINT, 46)].settings
    assert {percent_of(arm.settings) for name, arm in arms.items() if name.startswith(MIX)} == {*p.mix_percents}
    for keys in (DIRECT, UNFILLED):
        assert [percent_of(a.settings) for name, a in arms.items() if name.startswith(keys)] == [46, 92]
    past = Parameters.given({"direct_io": True})
    assert not [arm for arm in configurations(past) if arm.name.startswith(DIRECT)], "all of them read so"


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_measured_keys_outside_the_hot_set_were_never_asked_for(seed: int) -> None:
    for arm in configurations(SMALL):
        keys = asked(SMALL, arm, seed)
        before = {*keys.before.tolist()}
        if arm.settings["draw"] == "disjoint":
            assert len({*keys.measured.tolist()}) == len(keys.measured)
            assert not before & {*keys.measured.tolist()}
            continue
        fresh = {*keys.measured.tolist()} - before
        assert len(fresh) >= SMALL.measured_requests // 5
        assert np.isin(keys.measured, list(before)).mean() == pytest.approx(0.8, abs=0.05)


def test_trials_of_a_block_measure_the_same_keys_and_those_after_a_start_fill_nothing() -> None:
    arms = {arm.name: arm for arm in configurations(SMALL)}
    found = [asked(SMALL, arms[pool_name(DISJOINT, each)], 5).measured for each in (23, 46, 92)]
    assert all((each == found[0]).all() for each in found)
    start = asked(SMALL, arms[pool_name(UNFILLED, 46)], 5)
    assert len(start.fill) == 0
    assert len(start.warm) == SMALL.warmup_requests


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), blocks=st.integers(2, 12), sizes=st.integers(2, 7))
def test_the_best_of_some_is_never_better_than_the_best_of_all(seed: int, blocks: int, sizes: int) -> None:
    generator = np.random.default_rng(seed)
    values = np.exp(generator.normal(0, 0.1, (blocks, sizes)))
    picked = np.arange(sizes) < generator.integers(1, sizes + 1)
    found = best_over_best(values, picked, confidence=0.95, visits=np.zeros(blocks, dtype=int))
    assert 1 <= found.low <= found.point <= found.high
    if picked.all():
        assert found.high == 1
    moved = best_over_best(20 * values, picked, confidence=0.95, visits=np.zeros(blocks, dtype=int))
    assert moved.point == pytest.approx(found.point)


def test_the_best_of_several_covers_a_planted_ratio() -> None:
    """Of two settings far from each other the ratio is their own; its interval covers it about as often as it says."""
    generator, truth, covered = np.random.default_rng(7), 1.2, 0
    for _ in range(300):
        values = np.exp(generator.normal([np.log(truth), 0.0], 0.05, (6, 2)))
        found = best_over_best(values, np.array([True, False]), confidence=0.95, visits=np.zeros(6, dtype=int))
        covered += found.low <= truth <= found.high
    assert covered >= 270


def planted(arms: dict[str, dict[str, Any]] | None = None, **provenance: Any) -> Run:
    """A run whose times are alike but where ``arms`` says otherwise; pools hold what their size says."""
    parameters = Parameters.given({"blocks": 8})
    generator, rows = np.random.default_rng(3), []
    for trial in chapter.plan(parameters).trials:
        name, percent = trial.configuration.name, percent_of(trial.configuration.settings)
        pool = percent / 100 * 0.98 * DATA_MIB * MIB
        own: dict[str, Any] = {
            "p50_ns": 1e6, "p95_ns": 2e6, "p99_ns": 3e6, "mean_ns": 1.1e6,
            "requests": 10_000.0, "index_scans": 100_000.0,
            "loop_share_in_requests": 1.0, "heap_hit_ratio": HITS.get(percent, 0.3), "hit_ratio": 0.8,
            "note_heap_hit_ratio": HITS.get(percent, 0.3), "note_heap_blocks": 10_000.0, "heap_blocks": 100_000.0,
            "pool_misses_per_request": 20 * (1 - percent / 100), "device_blocks_per_request": 3.0,
            "cached_bytes": 600.0 * MIB * (1.3 if percent == 92 else 1), "in_pool_bytes": pool, "pool_bytes": pool,
            "in_both_bytes": 100.0 * MIB, "in_pool_only_bytes": pool - 100 * MIB, "in_os_cache_only_bytes": 50.0 * MIB,
            "needed_pages": 900 * MIB / 8192, "killed_processes": 0.0, "data_in_pool_at_start": 0.5,
            "data_in_os_cache_at_start": 0.4, "memory": "bounded to 0.96 GiB (control group v2)",
        }  # fmt: skip
        own |= (arms or {}).get(name, {})
        noise = float(np.exp(generator.normal(0, 0.005)))
        row = {"trial": trial.index, "block": trial.block, "configuration": name, "session": 0, "cache_state": "mixed"}
        rows.append(row | {key: value * noise if key.endswith("_ns") else value for key, value in own.items()})
    where = {
        "engine_version": "18.6", "direct_io": False, "heap_bytes": 650 * MIB, "index_bytes": 350 * MIB,
        "ram_bytes": 980 * MIB, "setting": SAID,
    }  # fmt: skip
    return Run(
        "r", "feature_buffers", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, 8,
        where | provenance, pd.DataFrame(rows), pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def tail(factor: float, *names: str) -> dict[str, dict[str, Any]]:
    return {name: {"p99_ns": 3e6 * factor} for name in names}


def test_what_the_note_promises_reproduces_its_claims() -> None:
    arms = tail(0.6, pool_name(DISJOINT, 92), pool_name(MIX, 92), pool_name(MIX, 30))
    arms[pool_name(DISJOINT, 92)] |= {"cached_bytes": 1_200.0 * MIB}
    found = judged(planted(arms, setting=SAID | {"default_bytes": 10 * 2**30, "after_reload_bytes": 10 * 2**30}))
    assert {claim: verdict.outcome for claim, verdict in found.items()} == dict.fromkeys(found, Outcome.REPRODUCED)
    assert len(found) == 8


def test_a_pool_that_only_moves_pages_from_one_cache_to_the_other_contradicts_them() -> None:
    found = judged(planted(tail(0.7, pool_name(MIX, 12))))
    for claim in ("L040", "L041", "L046", "L070"):
        assert found[claim].outcome is Outcome.CONTRADICTED, found[claim].reason
    assert found["L044"].outcome is Outcome.DIRECTION_ONLY, found["L044"].reason
    assert found["L045"].outcome is found["L043"].outcome is found["L086"].outcome is Outcome.REPRODUCED
    assert found["L041"].estimate is not None
    assert found["L041"].estimate.point == pytest.approx(1 / 0.7, rel=0.02)


def test_a_base_far_from_the_notes_hit_ratio_is_not_compared_with_it() -> None:
    far = {pool_name(DISJOINT, each): {"heap_hit_ratio": 0.33 - each / 1000} for each in (23, 46)}
    found = judged(planted(far))
    for claim in ("L045", "L046"):
        assert found[claim].outcome is Outcome.OPEN_CONDITION
        assert "too far from the note's 0.44" in found[claim].reason
    assert found["L070"].outcome is not Outcome.OPEN_CONDITION


def test_the_base_is_the_size_with_the_nearest_hit_ratio_whose_double_was_measured() -> None:
    near = {pool_name(DISJOINT, 92): {"heap_hit_ratio": 0.44}, pool_name(DISJOINT, 23): {"heap_hit_ratio": 0.45}}
    assert chapter.summarize(planted(near)).base == 23
    assert chapter.summarize(planted()).base == 46


def test_memory_that_nothing_bounds_leaves_the_claims_on_one_memory_open() -> None:
    run = planted()
    run.trials["memory"] = "not bounded: no control group may be made here"
    found = judged(run)
    for claim in ("L041", "L044", "L046", "L070"):
        assert "memory was not bounded in 112 of 112 trials" in found[claim].reason
    assert found["L045"].outcome is not Outcome.OPEN_CONDITION


def test_data_that_fit_into_the_memory_and_a_pool_with_room_left_decide_no_capacity() -> None:
    assert judged(planted(ram_bytes=2_000 * MIB))["L044"].outcome is Outcome.OPEN_CONDITION
    roomy = {pool_name(DISJOINT, 46): {"in_pool_bytes": 100.0 * MIB}}
    assert judged(planted(roomy))["L044"].outcome is Outcome.DESIGN


def test_pools_that_miss_the_same_blocks_decide_nothing() -> None:
    same = {pool_name(keys, each): {"pool_misses_per_request": 5.0} for keys in (DISJOINT, MIX) for each in (46, 92)}
    found = judged(planted(same))
    for claim in ("L045", "L046", "L070"):
        assert found[claim].outcome is Outcome.DESIGN, found[claim].reason


def test_a_base_pool_that_holds_all_needed_pages_is_not_the_regime_of_the_claim() -> None:
    held = {pool_name(MIX, 46): {"needed_pages": 100 * MIB / 8192}}
    assert "holds all 100 MiB that are needed" in judged(planted(held))["L070"].reason


def test_a_killed_process_opens_the_claims_about_its_configuration() -> None:
    run = planted(tail(0.6, pool_name(MIX, 92)))
    run.trials.loc[run.trials["configuration"] == pool_name(MIX, 92), "killed_processes"] = 1.0
    assert "ended processes in 8 trials" in judged(run)["L070"].reason


def test_a_run_without_the_setting_says_so() -> None:
    found = judged(replace(planted(), provenance=planted().provenance | {"setting": None}))
    for claim in ("L040", "L043", "L086"):
        assert "did not try the setting" in found[claim].reason


def test_a_value_that_a_reload_puts_in_force_needs_no_restart() -> None:
    found = judged(planted(setting=SAID | {"pending": False, "after_reload_bytes": 400 * MIB}))
    assert found["L086"].outcome is Outcome.CONTRADICTED
    assert found["L043"].outcome is Outcome.REPRODUCED


def test_the_whole_chapter_is_told_from_planted_numbers() -> None:
    summary = chapter.summarize(planted(tail(0.8, pool_name(DISJOINT, 92))))
    assert "shorter tail" in chapter.lesson(summary).title
    figures = chapter.figures(summary)
    assert all(len(figure.caption.split()) <= 60 for figure in figures.values())
