"""The I/O cliff on planted courses: shapes, estimands and verdicts are those that were put in."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, sessions, set_apart

from benchbook.claims import chapter_claims
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Watched
from benchbook.engines.pgbench.watching import COUNTERS, GAUGES
from benchbook.errors import BenchbookError
from benchbook.experiments.families.pgbench.tables import Tables
from benchbook.experiments.io_cliff import arms, chapter, prose, watched
from benchbook.experiments.io_cliff.arms import Parameters
from benchbook.experiments.io_cliff.course import SLOTS, reduce, slots, stretches
from benchbook.experiments.io_cliff.lesson import LESSON
from benchbook.experiments.io_cliff.measure import Bench
from benchbook.experiments.io_cliff.summary import share_of_peak
from benchbook.experiments.profiles import profile
from benchbook.model import Outcome, Run, Verdict

pytestmark = pytest.mark.usefixtures("still_machine")
SECONDS = 16.0
AS_CLAIMED = {"trial_seconds": 60, "checkpoint_seconds": 600, "clients": 100}
FLAT = np.ones(SLOTS)
CLIFF = np.where(np.arange(SLOTS) < 14, 1.0, 0.5)
CLIMB = np.linspace(1.0, 1.17, SLOTS)


def ends(shape: np.ndarray, transactions: int = 40_000) -> np.ndarray:
    """When each transaction ends, of a trial whose throughput has this shape."""
    done = np.concatenate([[0.0], np.cumsum(shape)]) / shape.sum() * transactions
    return np.interp(np.arange(1, transactions + 1), done, np.linspace(0, SECONDS, SLOTS + 1))


def shape_of(shape: np.ndarray) -> dict[str, float | None]:
    return reduce(stretches(ends(shape), SECONDS))


def test_the_course_is_recovered_from_what_is_stored() -> None:
    for shape in (FLAT, CLIFF, CLIMB):
        kept = stretches(ends(shape), SECONDS)
        assert len(kept) <= 2_001
        assert kept.sum() == pytest.approx(SECONDS * 1e9, abs=1)
        found = slots(kept)
        assert found is not None
        assert found == pytest.approx(shape / shape.mean(), rel=0.02)


def test_a_planted_cliff_is_found_where_and_as_deep_as_it_is() -> None:
    found = shape_of(CLIFF)
    assert found["cliff"] == 1
    assert found["cliff_slot"] == pytest.approx(14, abs=5)
    for name in ("min_over_peak", "end_over_peak", "post_cliff_over_peak", "post_onset_over_peak"):
        assert found[name] == pytest.approx(0.5, rel=0.03), name
    assert found["max_drawdown"] == pytest.approx(0.5, rel=0.03)


def test_a_level_and_a_climbing_course_have_none() -> None:
    for shape in (FLAT, CLIMB):
        found = shape_of(shape)
        assert found["cliff"] == 0
        assert found["cliff_slot"] is None
        assert found["post_onset_over_peak"] is None
    climbing = shape_of(CLIMB)
    assert climbing["last_over_first"] == pytest.approx(1.17, rel=0.02)
    assert climbing["rising_share"] == 1
    assert climbing["peak_interval"] == 12


def test_a_standstill_at_the_end_is_not_lost() -> None:
    found = shape_of(np.where(np.arange(SLOTS) < 40, 1.0, 0.0))
    assert found["cliff"] == 1
    assert found["end_over_peak"] == pytest.approx(0, abs=2e-3)


@pytest.mark.parametrize("latencies", [[], [5], [0, 0, 0]])
def test_a_trial_without_transactions_has_no_shape(latencies: list[int]) -> None:
    found = reduce(np.array(latencies, dtype=np.int64))
    assert found
    assert all(value is None for value in found.values())


def planted(
    shapes: dict[str, np.ndarray],
    blocks: int = 6,
    *,
    given: dict[str, Any] | None = None,
    seed: int = 4,
    **metrics: Any,
) -> Run:
    """A run in which each arm has its shape, and its own factor of TPS where metrics give one.

    It has what the claims name: their length and clients, a smaller pool that evicts and dirty data above the limits.
    """
    parameters = Parameters(**AS_CLAIMED | {"blocks": blocks} | (given or {}))
    generator = np.random.default_rng(seed)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        noisy = shapes.get(name, FLAT) * generator.lognormal(0, 0.01, SLOTS)
        kept = stretches(ends(noisy), SECONDS)
        factor = metrics.get("factors", {}).get(name, 1.0)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": name, "seed": trial.seed, "session": 0,
                "started_at": "2026-01-17T10:00:00+00:00", "duration_s": 20.0, "state": "measured",
                "memory": metrics.get("memory", "bounded to 2.20 GiB (control group v1)"), "dirty_limits": "225 MiB",
                "tps": 2_500 * factor * generator.lognormal(0, 0.01), "transactions": 40_000.0,
                "server_transactions": 40_000.0, "littles_ratio": 1.0, "processes_killed": 0.0,
                "dirty_start_bytes": metrics.get("dirty", 1e6), "latency_mean_ns": 8e6, "latency_p99_ns": 3e7,
                "checkpoints": metrics.get("checkpoints", 3.0) if name in arms.CHECKPOINTS else 0.0,
                "evictions": 0.0 if name in (arms.B, arms.B_4_1) else metrics.get("evictions", 5_000.0),
                "dirty_background_bytes": 1e8, "dirty_peak_bytes": metrics.get("dirty_peak", 1.2e8),
                "data_in_pool_end": 0.6,
            }
            | {key: np.nan if value is None else value for key, value in reduce(kept).items()}
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "stretch", "latency_ns": kept}))
    return Run(
        "0123456789ab-20260117T100000", "io_cliff", 1, parameters.model_dump(mode="json"), "standard", parameters.seed,
        blocks, {"data_bytes": 787_000_000, "engine_version": "18.6"}, pd.DataFrame(rows), pd.concat(samples),
        pd.DataFrame(),
    )  # fmt: skip


def twice(shapes: dict[str, np.ndarray], other: dict[str, np.ndarray] | None = None, **metrics: Any) -> Run:
    """Two sessions of such a run, the second with its own shapes where they differ."""
    return sessions(planted(shapes, **metrics), planted(shapes if other is None else other, seed=5, **metrics))


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


NOTE = {arms.BASELINE: CLIFF, arms.A: CLIFF, arms.REPEATED: CLIFF, arms.B: CLIMB}


def test_where_the_note_is_right_it_is_said() -> None:
    found = judged(twice(NOTE))
    for claim in ("C010", "C012", "C013", "C014", "C021", "C022", "C035", "C036", "C042", "C070", "C088", "C063"):
        assert found[claim].outcome is Outcome.REPRODUCED, (claim, found[claim].reason)
    for claim in ("C059", "C060"):
        assert found[claim].outcome is Outcome.CONTRADICTED, "limits that change nothing are not better"
    assert found["R100"].outcome is Outcome.NOT_A_MEASUREMENT


def test_where_there_is_no_cliff_none_was_eliminated() -> None:
    found = judged(twice({}))
    for claim in ("C012", "C021"):
        assert found[claim].outcome is Outcome.CONTRADICTED, found[claim].reason
    assert found["C014"].outcome is not Outcome.REPRODUCED
    assert found["C035"].outcome is Outcome.REPRODUCED
    for claim in ("C042", "C070"):
        assert found[claim].outcome is Outcome.INCONCLUSIVE
    assert "none to eliminate" in found["C042"].reason


def test_a_fall_that_is_too_shallow_contradicts_its_depth_and_is_no_direction_that_held() -> None:
    found = judged(twice({}))
    for claim in ("C009", "C010", "C013", "C022"):
        estimate = found[claim].estimate
        assert estimate is not None
        assert estimate.low > 1 if claim == "C009" else estimate.high <= 1, "by definition"
        assert found[claim].outcome is Outcome.CONTRADICTED, found[claim].reason
    steeper = np.linspace(1.0, 2.0, SLOTS)
    assert judged(twice(NOTE | {arms.B: steeper}))["C036"].outcome is Outcome.DIRECTION_ONLY, "it may lie below 1 too"


def test_a_cliff_in_the_large_pool_too_was_not_eliminated() -> None:
    assert judged(twice(NOTE | {arms.B: CLIFF}))["C042"].outcome is Outcome.CONTRADICTED


SHAPES = ("C010", "C012", "C013", "C014", "C021", "C022", "C035", "C036", "C042", "C070", "C088")
"""Claims on the course of a configuration's trials."""


def test_one_session_decides_no_shape_and_no_share_of_trials() -> None:
    found = judged(planted(NOTE))
    for claim in SHAPES:
        assert found[claim].outcome is Outcome.ENVIRONMENT, found[claim].reason
        assert found[claim].reason.endswith("needs two sessions that agree, and only one was measured.")
        assert found[claim].w is None
    assert found["C059"].outcome is Outcome.CONTRADICTED, "a comparison within blocks"


def test_sessions_that_disagree_decide_nothing_although_all_blocks_together_would() -> None:
    run = twice(NOTE)
    claim = chapter_claims("io_cliff")["C010"]
    assert claim.low is not None
    assert claim.high is not None
    middle, half = np.sqrt(claim.low * claim.high), np.log(claim.high / claim.low) / 2
    rows = run.trials[run.trials["configuration"] == arms.BASELINE].sort_values("block").index

    def second(factor: float) -> Verdict:
        spread = np.concatenate([np.full(6, 0.01), np.full(6, factor)]) * half * np.resize([1, -1], 12)
        run.trials.loc[rows, "min_over_peak"] = middle * np.exp(spread)
        return judged(run)["C010"]

    assert second(0.5).outcome is Outcome.REPRODUCED
    left = second(1.1)
    assert left.outcome is Outcome.ENVIRONMENT, left.reason
    assert left.reason.endswith("needs two sessions that agree, and these say: reproduced, inconclusive.")
    assert left.estimate is not None
    assert claim.low < left.estimate.low < left.estimate.high < claim.high, "all blocks together would decide it"


def test_pools_that_evict_nothing_say_nothing_of_what_the_larger_one_eliminates() -> None:
    found = judged(twice(NOTE, evictions=0.0))
    assert found["C042"].outcome is Outcome.MECHANISM
    assert (
        "no pool evicted a page in any of 24 trials, since a trial touched at most 60 % of the data"
        in found["C042"].reason
    )
    assert found["C035"].outcome is Outcome.REPRODUCED, "it says nothing of a cause"


@pytest.mark.parametrize("gain", [0.6, 1.0, 1.5])
def test_limits_that_nothing_reached_say_nothing_whatever_the_interval(gain: float) -> None:
    factors = {arms.A_4_1: gain, arms.A_10_1: gain, arms.B_4_1: gain}
    found = judged(planted({}, factors=factors, dirty_peak=8.9e7))
    for claim in ("C059", "C060", "C063"):
        assert found[claim].outcome is Outcome.MECHANISM, found[claim].reason
        assert "reached at most 89 % of the limit" in found[claim].reason
    assert judged(planted({}, factors=factors, dirty_peak=1e8))["C060"].outcome is (
        Outcome.REPRODUCED if gain > 1 else Outcome.CONTRADICTED
    )


def test_shorter_trials_and_fewer_clients_than_the_note_leave_its_claims_open() -> None:
    factors = {arms.DEFAULT_WAL: 0.7, arms.DEFAULT_TIMEOUT: 1.2}
    found = judged(twice(NOTE, factors=factors, given={"trial_seconds": 14, "checkpoint_seconds": 600}))
    for claim in (*SHAPES, "C059", "C060", "C063"):
        assert found[claim].outcome is Outcome.INCONCLUSIVE
        assert "; but the run departs from the claim: trials of 14 s where the claim names 60 s." in found[claim].reason
    assert found["R067"].outcome is Outcome.REPRODUCED, "its own trials are as long as named"
    short = judged(twice(NOTE, factors=factors, given={"checkpoint_seconds": 60, "clients": 20}))
    for claim in ("R067", "R068"):
        assert short[claim].outcome is Outcome.INCONCLUSIVE
        assert "trials of 60 s where the claim names 600 s and 20 clients where the note has 100" in short[claim].reason
    assert "trials of" not in short["C012"].reason


@pytest.mark.parametrize(
    ("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.CONTRADICTED), (OFF_AT_99, Outcome.ENVIRONMENT)]
)
def test_an_a_a_pair_that_is_off_at_99_percent_opens_the_claims_on_that_metric(how: str, outcome: Outcome) -> None:
    found = judged(set_apart(twice(NOTE), arms.REPEATED, arms.A, "tps", how))
    for claim in ("C059", "C060"):
        assert found[claim].outcome is outcome, found[claim].reason
        assert ("A/A: the baseline against itself" in found[claim].reason) is (outcome is Outcome.ENVIRONMENT)
    assert found["C010"].outcome is found["C012"].outcome is Outcome.REPRODUCED, "not about the throughput"


def test_a_repeated_configuration_with_another_shape_opens_the_claims_on_that_shape() -> None:
    found = judged(twice(NOTE | {arms.REPEATED: FLAT}))
    for claim in ("C010", "C022"):
        assert found[claim].outcome is Outcome.ENVIRONMENT
        assert "A/A" in found[claim].reason
    for claim in ("C012", "C063"):
        assert found[claim].outcome is Outcome.REPRODUCED


def test_littles_law_opens_no_claim_for_none_is_about_a_latency() -> None:
    run = twice(NOTE)
    run.trials["littles_ratio"] = 0.5
    assert judged(run) == judged(twice(NOTE))


def test_checkpoints_that_cost_make_far_apart_ones_better_and_without_any_nothing_was_compared() -> None:
    factors = {arms.DEFAULT_WAL: 0.7, arms.DEFAULT_TIMEOUT: 1.2}
    found = judged(planted({}, factors=factors))
    assert found["R067"].outcome is Outcome.REPRODUCED
    assert found["R068"].outcome is Outcome.CONTRADICTED
    without = judged(planted({}, factors=factors, checkpoints=0.0))
    for claim in ("R067", "R068"):
        assert without[claim].outcome is Outcome.INCONCLUSIVE
        assert "no checkpoint" in without[claim].reason


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_leaves_small_comparisons_open_and_no_shape_that_two_sessions_show() -> None:
    found = judged(twice(NOTE, factors={arms.A_4_1: 1.1, arms.DEFAULT_WAL: 0.7, arms.DEFAULT_TIMEOUT: 1.2}))
    for claim in ("C059", "C060", "C063", "R068"):
        assert found[claim].outcome is Outcome.ENVIRONMENT, found[claim].reason
        assert "w = 0.22 widens it to [" in found[claim].reason
    assert found["R067"].outcome is Outcome.REPRODUCED
    for claim in SHAPES:
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason


@pytest.mark.parametrize("wrong", [{"memory": "not bounded: none"}, {"dirty": 1e8}])
def test_unbounded_memory_or_an_unequal_start_voids_the_verdicts(wrong: dict[str, Any]) -> None:
    assert judged(twice(NOTE, **wrong))["C012"].outcome is Outcome.ENVIRONMENT


def test_planted_runs_get_whole_figures_and_prose() -> None:
    summary = chapter.summarize(planted(NOTE))
    for figure in chapter.figures(summary).values():
        assert len(figure.data)
        assert figure.record()
    for words in (prose.answer, prose.design, prose.explanation, prose.checkpoints, prose.noise):
        assert words(summary).text
    assert len(prose.overview(summary)) == len(summary.arms)


def test_the_largest_fall_is_the_mean_of_the_trials_also_where_one_has_none() -> None:
    run = planted(NOTE)
    falls = [0.0735, 0.1766, 0.3227, 0.1136, 0.0, 0.0764]
    run.trials.loc[run.trials["configuration"] == arms.B, "max_drawdown"] = falls
    found = judged(run)["C038"].estimate
    assert found is not None
    assert found.point == pytest.approx(np.mean(falls))
    assert 0 <= found.low < found.point < found.high <= 1


def test_no_interval_of_a_share_of_the_peak_goes_beyond_it() -> None:
    found = share_of_peak([0.977, 0.098, 1.0, 0.995, 1.0, 0.923])
    assert found.point == pytest.approx(0.667, abs=0.001)
    assert (found.low, found.high) == (pytest.approx(0.249, abs=0.001), 1.0)


def test_checkpoints_are_counted_in_whole_numbers_with_their_range_where_trials_differ() -> None:
    run = planted(NOTE)
    run.trials.loc[run.trials["configuration"].eq(arms.DEFAULT_WAL) & run.trials["block"].eq(2), "checkpoints"] = 5.0
    found = prose.overview(chapter.summarize(run))["checkpoints"].to_dict()
    labels = {arm.name: arm.label for arm in chapter.summarize(run).configurations.values()}
    assert found[labels[arms.BASELINE]] == "0"
    assert found[labels[arms.DEFAULT_TIMEOUT]] == "3"
    assert found[labels[arms.DEFAULT_WAL]] == "3 to 5"
    run.trials.loc[run.trials["configuration"].eq(arms.BASELINE) & run.trials["block"].eq(0), "checkpoints"] = np.nan
    assert prose.overview(chapter.summarize(run))["checkpoints"][labels[arms.BASELINE]] == "unknown"


def test_the_lesson_counts_cliffs_and_follows_them() -> None:
    note, flat = (chapter.lesson(chapter.summarize(twice(shapes))) for shapes in (NOTE, {}))
    assert (note.title, flat.title) == (LESSON.title.above, LESSON.title.below)
    seen = {finding.claim_id: finding.seen for finding in flat.findings}
    assert seen["C042"] == "the run shown here cannot say", "no cliff was there to eliminate"
    assert seen["C012"].startswith("0 ")
    (beside,) = flat.besides
    assert "as high: 1.0" in beside or "as high: 0.9" in beside
    assert beside.endswith("which does not tell which is faster.")


def test_a_failed_trial_leaves_its_configuration_open_and_the_others_decided() -> None:
    run = twice(NOTE)
    lost = run.trials["configuration"].eq(arms.B) & run.trials["block"].eq(2)
    numbers = [name for name in run.trials.select_dtypes("float") if name != "duration_s"]
    run.trials.loc[lost, numbers] = np.nan
    run.trials.loc[lost, "state"] = "failed: the server died"
    found = judged(run)
    assert found["C035"].outcome is Outcome.INCONCLUSIVE
    assert "block 2 failed: the server died of “B: pool 100 %”" in found["C035"].reason
    assert found["C012"].outcome is Outcome.REPRODUCED
    assert chapter.figures(chapter.summarize(run))


DATA = 787_000_000


def bench(parameters: Parameters) -> Bench:
    """A session that has loaded so many bytes, without its server."""
    nothing: Any = None
    return Bench(parameters, Tables(nothing, nothing, nothing, [], DATA, 0, "pglz", {}))


def test_limits_are_scaled_to_the_trials_memory_and_left_alone_where_asked() -> None:
    named, limits = chapter.configurations(Parameters()), bench(Parameters()).limits
    ten_five = limits(named[arms.A])
    assert isinstance(ten_five, DirtyLimits)
    assert ten_five.limit_bytes == int(int(3 * DATA) * 0.10)
    four_one = limits(named[arms.A_4_1])
    assert four_one is not None
    assert four_one.background_bytes == int(int(3 * DATA) * 0.01)
    assert limits(named[arms.A_MACHINE]) is None
    off = Parameters(allow_vm_settings=False)
    assert {*named} - {*chapter.configurations(off)} == {arms.A_4_1, arms.A_10_1, arms.A_MACHINE, arms.B_4_1}
    assert bench(off).limits(named[arms.A]) is None


def test_checkpoint_settings_are_scaled_with_time_and_data() -> None:
    named = chapter.configurations(Parameters())
    spaced, timed, small = (bench(Parameters()).settings(named[arm]) for arm in arms.CHECKPOINTS)
    assert timed["checkpoint_timeout"] == "30s"
    assert spaced["checkpoint_timeout"] == small["checkpoint_timeout"] == "360s"
    assert small["max_wal_size"] == "39MB"
    assert {name for name in spaced if spaced[name] != timed[name]} == {"checkpoint_timeout"}
    assert {name for name in spaced if spaced[name] != small[name]} == {"max_wal_size"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 30},
        {"dirty_background_percent": 10},
        {"dirty_percent": float("nan")},
        {"trial_seconds": 0},
        {"scale": 2},
    ],
)
def test_contradictions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(wrong)


def test_what_was_watched_becomes_parts_and_totals() -> None:
    table = pd.DataFrame(dict.fromkeys((*GAUGES, *COUNTERS), np.nan), index=range(17), dtype=float)
    table.insert(0, "elapsed_s", np.arange(17.0))
    table["wal_bytes"] = 1000.0 + np.arange(17.0) * 2**20
    table["dirty_bytes"], table["writeback_bytes"] = np.arange(17.0) * 10, 0.0
    table["checkpoints_timed"] = (np.arange(17) >= 8).astype(float)
    table["checkpoints_requested"] = 0.0
    found = watched.metrics(Watched(table, {"IO:WalSync": 3, "running": 5, "Odd:Thing": 1}, 0.1), 16.0, 100.0)
    assert found["wal_bytes"] == 16 * 2**20
    assert sum(found[f"wal_mib_{part:02}"] or 0 for part in range(1, 25)) == pytest.approx(16)
    assert found["limit_reached_at"] == pytest.approx(9 / 16)
    assert found["dirty_peak_over_slowing"] == 1.6
    assert sum(found[f"checkpoints_{part:02}"] or 0 for part in range(1, 25)) == pytest.approx(1)
    assert found["evictions"] is None
    assert (found["waits_io"], found["waits_running"], found["waits_lock"], found["waits_odd"]) == (3, 5, 0, 1)


def test_time_and_disk_are_said_before_the_run() -> None:
    assert "minutes" in (chapter.needs(Parameters()).estimate or "")
    paper = Parameters.given(profile("io_cliff", "paper"))
    assert "hours" in (chapter.needs(paper).estimate or "")
