"""The I/O cliff on planted courses: shapes, estimands and verdicts are those that were put in."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart, visits

from benchbook import lab
from benchbook.chapters.io_cliff import arms, seen, trials, watched
from benchbook.chapters.io_cliff.arms import Parameters
from benchbook.chapters.io_cliff.course import SLOTS, reduce, slots, stretches
from benchbook.chapters.io_cliff.measure import Bench
from benchbook.chapters.io_cliff.numbers import share_of_peak
from benchbook.claims import chapter_claims
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Watched
from benchbook.engines.pgbench.watching import COUNTERS, GAUGES
from benchbook.engines.storage.caps import Cap
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.tables import Tables
from benchbook.model import Outcome, Run, Verdict
from benchbook.pages.names import NOTHING
from benchbook.parameters.profiles import profile

reanalysis = lab.experiment("cliff_reanalysis")
chapter = lab.experiment("io_cliff")

pytestmark = pytest.mark.usefixtures("still_machine")
LESSON = chapter.page.teaching
SECONDS = 16.0
AS_CLAIMED = {"trial_seconds": 60, "checkpoint_seconds": 600}
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

    It has what the claims name: their length, a small pool that evicts, dirty data above the limits, the note's cap.
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
                "evictions": 0.0 if name.startswith(arms.B) else metrics.get("evictions", 5_000.0),
                "dirty_background_bytes": 1e8, "dirty_peak_bytes": metrics.get("dirty_peak", 1.2e8),
                "limit_reached": float(not name.startswith(arms.B)) * metrics.get("reached", 1.0),
                "limit_reached_at": 0.2 if not name.startswith(arms.B) else np.nan,
                "data_in_pool_start": metrics.get("pools", {}).get(name, 0.0), "data_in_os_cache_start": 1.0,
                "transactions_per_account_page": metrics.get("pages", 1.0),
                "storage_write_iops": metrics.get("cap", 1_025.0) * generator.lognormal(0, 0.01)
                if trial.configuration.settings["capped"] else 30_000.0,
                "storage_write_p50_us": 120.0,
            }
            | {key: np.nan if value is None else value for key, value in reduce(kept).items()}
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "stretch", "latency_ns": kept}))
    return Run(
        "0123456789ab-20260117T100000", "io_cliff", 2, parameters.model_dump(mode="json"), "standard", parameters.seed,
        blocks, {"data_bytes": 787_000_000, "engine_version": "18.6"}, pd.DataFrame(rows), pd.concat(samples),
        pd.DataFrame(),
    )  # fmt: skip


def twice(shapes: dict[str, np.ndarray], other: dict[str, np.ndarray] | None = None, **metrics: Any) -> Run:
    """Two visits of such a run, the second with its own shapes where they differ."""
    return visits(planted(shapes, **metrics), planted(shapes if other is None else other, seed=5, **metrics))


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


def test_one_visit_decides_no_shape_and_no_share_of_trials() -> None:
    found = judged(planted(NOTE))
    for claim in SHAPES:
        assert found[claim].outcome is Outcome.ONE_VISIT, found[claim].reason
        assert found[claim].reason.endswith("needs two visits that agree, and this is one.")
        assert found[claim].carried is None
    assert found["C059"].outcome is Outcome.CONTRADICTED, "a comparison within blocks"


def test_visits_that_disagree_decide_nothing_although_all_blocks_together_would() -> None:
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
    assert left.outcome is Outcome.INCONCLUSIVE, left.reason
    assert left.reason.endswith("needs visits that agree, and these say: holds, open: interval.")
    assert left.estimate is not None
    assert claim.low < left.estimate.low < left.estimate.high < claim.high, "all blocks together would decide it"


OF_CAUSE = (*SHAPES, "C059", "C063")
"""Claims that say nothing where the small pool evicts no page, or where dirty data stays far from its limit."""


def test_where_no_pool_evicts_neither_a_cliff_nor_its_absence_says_anything() -> None:
    found = judged(twice(NOTE, evictions=0.0))
    for claim in OF_CAUSE:
        assert found[claim].outcome is Outcome.DESIGN, found[claim].reason
    assert "the pool of “A: pool 20 %” evicted no page in 6 of 6 trials" in found["C042"].reason


def test_where_dirty_data_stays_far_from_its_limit_the_cause_did_not_act() -> None:
    found = judged(twice(NOTE, reached=0.0))
    for claim in OF_CAUSE:
        assert found[claim].outcome is Outcome.DESIGN, found[claim].reason
    said = "near the point at which the kernel slows writers in only 0 of 6 trials of “A: pool 20 %”"
    assert said in found["C042"].reason


def test_a_large_pool_that_evicts_as_much_did_the_same_work() -> None:
    run = twice(NOTE)
    run.trials.loc[run.trials["configuration"] == arms.B, "evictions"] = 6_000.0
    found = judged(run)
    assert found["C042"].outcome is Outcome.DESIGN
    assert "the larger pool evicted 6,000 pages in a trial and the smaller one 5,000" in found["C042"].reason


@pytest.mark.parametrize("gain", [0.6, 1.0, 1.5])
def test_background_limits_that_nothing_reached_say_nothing_whatever_the_interval(gain: float) -> None:
    found = judged(planted(NOTE, factors={arms.A_10_1: gain}, dirty_peak=8.9e7))
    assert found["C060"].outcome is Outcome.DESIGN, found["C060"].reason
    assert "from which the kernel writes in the background in only 0 of 6 trials" in found["C060"].reason
    reached = judged(planted(NOTE, factors={arms.A_10_1: gain}, dirty_peak=1e8))["C060"]
    assert reached.outcome is (Outcome.REPRODUCED if gain > 1 else Outcome.CONTRADICTED)


def test_a_cap_out_of_the_notes_proportion_leaves_open_how_deep_a_fall_is_and_nothing_else() -> None:
    found = judged(twice(NOTE, cap=400.0))
    for claim in ("C009", "C010", "C013", "C014", "C022", "C070"):
        assert found[claim].outcome is Outcome.OPEN_CONDITION, found[claim].reason
        assert "a cap of 0.16 writes for each transaction that is made without it" in found[claim].reason
    for claim in ("C012", "C021", "C035", "C042"):
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason


def test_the_notes_proportion_is_that_of_its_own_raw_reports() -> None:
    reports = reanalysis.summarize(reanalysis.Parameters())
    devices = reports.reports["A"].devices
    writing = devices[(devices["t_s"] > reports.filled[0]) & (devices["t_s"] <= 60)]["device_writes"].median()
    log = reports.reports["B"].devices
    own = log[(log["t_s"] > 2) & (log["t_s"] <= 60)]["device_writes"].median()
    pages = (writing - own) / 2  # both halves of a mirror do each
    assert pages / reports.reports["A"].mean_tps(15, 25) == pytest.approx(NOTE_WRITES_PER_TRANSACTION, abs=0.005)


def test_shorter_trials_or_fewer_transactions_than_the_claims_name_leave_them_open() -> None:
    found = judged(twice(NOTE, given={"trial_seconds": 14}))
    for claim in (*SHAPES, "C059", "C060", "C063"):
        assert found[claim].outcome is Outcome.OPEN_CONDITION
        assert "; but the run departs from the claim: trials of 14 s where the claim names 60 s" in found[claim].reason
    few = judged(twice(NOTE, pages=0.3))
    assert "0.30 transactions per page of the accounts where the claim names 0.62" in few["C012"].reason


def test_pools_that_are_not_filled_alike_at_the_start_void_the_comparison() -> None:
    found = judged(twice(NOTE, pools={arms.BASELINE: 0.2}))
    assert found["C012"].outcome is Outcome.REPRODUCED, "its trials are alike among themselves"
    assert found["C021"].outcome is Outcome.CHECK
    assert "pools held 0.0% to 20.0% of the data" in found["C021"].reason


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.CONTRADICTED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_opens_the_claims_on_that_metric(how: str, outcome: Outcome) -> None:
    found = judged(set_apart(twice(NOTE), arms.REPEATED, arms.A, "tps", how))
    for claim in ("C059", "C060"):
        assert found[claim].outcome is outcome, found[claim].reason
        assert ("A/A: the baseline against itself" in found[claim].reason) is (outcome is Outcome.CHECK)
    assert found["C010"].outcome is found["C012"].outcome is Outcome.REPRODUCED, "not about the throughput"


def test_a_repeated_configuration_with_another_shape_opens_the_claims_on_that_shape() -> None:
    found = judged(twice(NOTE | {arms.REPEATED: FLAT}))
    for claim in ("C010", "C022"):
        assert found[claim].outcome is Outcome.CHECK
        assert "A/A" in found[claim].reason
    for claim in ("C012", "C063"):
        assert found[claim].outcome is Outcome.REPRODUCED


def test_littles_law_opens_no_claim_for_none_is_about_a_latency() -> None:
    run = twice(NOTE)
    run.trials["littles_ratio"] = 0.5
    assert judged(run) == judged(twice(NOTE))


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_leaves_small_comparisons_open_and_no_shape_that_two_visits_show() -> None:
    alone = judged(planted(NOTE, factors={arms.A: 1.1, arms.REPEATED: 1.1}))
    for claim in ("C059", "C060", "C063"):
        assert alone[claim].outcome is Outcome.ONE_VISIT, alone[claim].reason
    found = judged(twice(NOTE, factors={arms.A: 1.1, arms.REPEATED: 1.1}))
    for claim in SHAPES:
        assert found[claim].outcome is Outcome.REPRODUCED, found[claim].reason


@pytest.mark.parametrize("wrong", [{"memory": "not bounded: none"}, {"dirty": 1e8}])
def test_unbounded_memory_or_an_unequal_start_voids_the_verdicts(wrong: dict[str, Any]) -> None:
    assert judged(twice(NOTE, **wrong))["C012"].outcome is Outcome.CHECK


def test_planted_runs_get_whole_figures_and_prose() -> None:
    summary = chapter.summarize(planted(NOTE))
    for figure in chapter.figures(summary).values():
        assert len(figure.data)
        assert figure.record()
    for name in ("answer", "design", "explanation", "noise"):
        assert chapter.say(summary, name).text != NOTHING
    assert chapter.say(summary, "left_out").text == "", "it is said of other runs"
    assert len(chapter.table(summary, "overview")) == len(summary.arms)
    table = chapter.table(summary, "settings")
    assert table.loc["clients", "here"] == "20, 0.4 per branch"
    assert table.loc["reads (io_method)", "here"] == "by worker processes"


def test_without_slow_storage_the_page_says_so_and_its_claims_how_to_get_it() -> None:
    summary = chapter.summarize(planted({}, given={"allow_slow_storage": False, "allow_vm_settings": False}))
    assert list(summary.arms[:3]) == [arms.A_FREE, arms.FREE_AGAIN, arms.B_FREE]
    assert "allow_slow_storage=true" in chapter.say(summary, "left_out").text
    verdict = next(each for each in chapter.judge(summary) if each.claim_id == "C042")
    assert verdict.outcome is Outcome.NOT_YET_RUN
    assert "needs root and allow_slow_storage=true" in verdict.reason
    for figure in chapter.figures(summary).values():
        assert figure.record()
    assert [*chapter.table(summary, "seen").index] == [summary.label(arm) for arm in (arms.A_FREE, arms.B_FREE)]


def test_the_table_counts_the_trials_that_fall_if_they_are_long_enough() -> None:
    found = chapter.table(chapter.summarize(planted(NOTE)), "seen")
    small, large = (next(row for row in found.index if row.startswith(f"{name}: ")) for name in ("A", "B"))
    assert list(found.loc[[small, large], "trials with a cliff"]) == ["6 of 6", "0 of 6"]
    assert list(found.loc[[small, large], "trials with dirty data near its limit"]) == ["6 of 6", "0 of 6"]
    assert found.loc[small, "last twelfth over the best"].startswith("0.5")
    assert found.loc[small, "evictions"] == "5,000"
    short = chapter.table(chapter.summarize(planted(NOTE, given={"trial_seconds": 4})), "seen")
    assert set(short["trials with a cliff"]) == {"not estimable"}


def test_a_figure_says_what_its_run_shows_with_and_without_a_cap() -> None:
    drawn = chapter.figures(chapter.summarize(planted(NOTE)))
    assert drawn["timelines"].finding == (
        "Under the cap, 6 of 6 trials fall with a pool of 20 %, 0 of 6 with one of 100 %"
    )
    free = chapter.figures(
        chapter.summarize(planted({}, given={"allow_slow_storage": False, "allow_vm_settings": False}))
    )
    assert free["timelines"].finding.endswith("of one of a fifth, on storage without a cap")
    assert free["share_of_trials"].finding == "0 of 36 trials show a cliff"


def test_connections_that_wait_for_the_disk_are_a_share_of_those_seen() -> None:
    run = planted(NOTE)
    waits = dict.fromkeys((f"waits_{kind.lower()}" for kind in watched.WAIT_TYPES), 0.0)
    run.trials[[*waits]] = [*(waits | {"waits_io": 6.0, "waits_lock": 2.0}).values()]
    summary = chapter.summarize(run)
    assert seen.waiting_for_disk(summary) == pytest.approx(75)
    assert chapter.figures(summary)["waits"].finding.endswith("75.0 % of the connections seen wait for input or output")
    run.trials[[*waits]] = 0.0
    with pytest.raises(BenchbookError, match="saw no connection"):
        seen.waiting_for_disk(chapter.summarize(run))


def test_the_second_of_the_fall_stands_beside_that_of_the_limit() -> None:
    summary = chapter.summarize(planted(NOTE))
    assert summary.reached_s(arms.A).point == pytest.approx(12)
    assert summary.fell_s(arms.A).point == pytest.approx(14, abs=5)
    with pytest.raises(BenchbookError, match="0 of 6 trials"):
        summary.fell_s(arms.B)


def test_a_fall_is_placed_in_its_half_second() -> None:
    at = 0.06  # second 3.5 of 60 lies in the half second that begins there
    shape = np.where(np.arange(960) < at * 960, 1.0, 0.3)
    done = np.concatenate([[0.0], np.cumsum(shape)]) / shape.sum() * 40_000
    kept = stretches(np.interp(np.arange(1, 40_001), done, np.linspace(0, 60.0, 961)), 60.0)
    found = trials.falls(kept)
    assert found is not None
    assert 60 * found == pytest.approx(3.5)
    assert trials.falls(stretches(ends(FLAT), SECONDS)) is None
    assert trials.falls(np.zeros(0, dtype=np.int64)) is None


def test_limits_that_are_met_together_are_not_told_apart() -> None:
    summary = chapter.summarize(planted(NOTE | {arms.A_10_5: CLIFF}))
    assert "cannot tell the two limits apart" in chapter.say(summary, "explanation").text
    assert "too close together to tell whether the limit makes the fall" in chapter.say(summary, "limits").text
    run = planted(NOTE | {arms.A_10_5: CLIFF})
    run.trials.loc[run.trials["configuration"] == arms.A_10_5, "limit_reached_at"] = 0.4
    apart = chapter.summarize(run)
    assert "cannot tell" not in chapter.say(apart, "explanation").text
    limits = chapter.say(apart, "limits").text
    assert "dirty data is near these limits in seconds 12.0 and 24.0" in limits
    assert "too close together" not in limits


def test_how_many_trials_fall_with_the_stated_pool_stands_beside_the_cliff_that_is_gone() -> None:
    summary = chapter.summarize(twice(NOTE | {arms.A_80: CLIFF}))
    assert "which the note states, 12 of 12 trials fall, and one of 100 %" in judged(summary.run)["C042"].reason
    (told,) = (each for each in chapter.lesson(summary).findings if each.claim_id == "C042")
    assert "with one of 20 % and no cap 0 of 12 trials fall; how deep they fall follows from the cap" in told.seen


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
    found = chapter.table(chapter.summarize(run), "overview")["checkpoints"].to_dict()
    labels = {arm.name: arm.label for arm in chapter.summarize(run).configurations.values()}
    assert found[labels[arms.BASELINE]] == "0"
    assert found[labels[arms.DEFAULT_TIMEOUT]] == "3"
    assert found[labels[arms.DEFAULT_WAL]] == "3 to 5"
    run.trials.loc[run.trials["configuration"].eq(arms.BASELINE) & run.trials["block"].eq(0), "checkpoints"] = np.nan
    assert chapter.table(chapter.summarize(run), "overview")["checkpoints"][labels[arms.BASELINE]] == "unknown"


def test_the_lesson_counts_cliffs_and_follows_them() -> None:
    note, flat = (chapter.lesson(chapter.summarize(twice(shapes))) for shapes in (NOTE, {}))
    assert (note.title, flat.title) == (LESSON.title.above, LESSON.title.below)
    seen = {finding.claim_id: finding.seen for finding in flat.findings}
    assert seen["C042"] == "this run has no number for it", "no cliff was there to eliminate"
    assert seen["C012"].startswith("0 ")
    beside, other = flat.besides
    assert "throughput with a pool of 100 %" in other
    assert re.search(r"a pool of all the data gives (1\.0|0\.9)\S* \[.*\] times the throughput", beside)
    assert other.endswith("which does not tell which is faster.")


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
    return Bench(parameters, Tables(nothing, nothing, nothing, [], DATA, 0, "pglz", {}), 700)


def test_limits_are_scaled_to_the_trials_memory_and_left_alone_where_asked() -> None:
    named, limits = chapter.configurations(Parameters()), bench(Parameters()).limits
    ten_five = limits(named[arms.A_10_5])
    assert isinstance(ten_five, DirtyLimits)
    assert ten_five.limit_bytes == int(int(3 * DATA) * 0.10)
    four_one = limits(named[arms.A])
    assert four_one is not None
    assert four_one.background_bytes == int(int(3 * DATA) * 0.01)
    assert limits(chapter.configurations(Parameters(checkpoint_seconds=60))[arms.SPACED]) is None
    off = Parameters(allow_vm_settings=False)
    left_out = {arms.A_10_1, arms.A_10_5, arms.B_10_5, arms.A_10_5_FREE, arms.B_10_5_FREE}
    assert {*named} - {*chapter.configurations(off)} == left_out
    assert bench(off).limits(named[arms.A]) is None


def test_only_capped_configurations_are_slow() -> None:
    named, slowness = chapter.configurations(Parameters()), bench(Parameters(storage_latency_ms=1.0)).slowness
    assert slowness(named[arms.A]) == Slowness(Cap(write_iops=700), sync_ms=1.0)
    assert slowness(named[arms.A_FREE]) == Slowness()


def test_what_is_compared_stands_together_in_its_block() -> None:
    plan = chapter.plan(Parameters(blocks=2))
    order = [trial.configuration.name for trial in plan.trials if trial.block == 0]
    for pair in ((arms.A, arms.REPEATED), (arms.A, arms.A_10_1), (arms.B, arms.B_10_5), (arms.A_FREE, arms.B_FREE)):
        assert abs(order.index(pair[0]) - order.index(pair[1])) <= 4, pair


def test_checkpoint_settings_are_scaled_with_time_and_data() -> None:
    parameters = Parameters(checkpoint_seconds=60)
    named = chapter.configurations(parameters)
    spaced, timed, small = (bench(parameters).settings(named[arm]) for arm in arms.CHECKPOINTS)
    assert timed["checkpoint_timeout"] == "30s"
    assert spaced["checkpoint_timeout"] == small["checkpoint_timeout"] == "360s"
    assert small["max_wal_size"] == "39MB"
    assert {name for name in spaced if spaced[name] != timed[name]} == {"checkpoint_timeout"}
    assert {name for name in spaced if spaced[name] != small[name]} == {"max_wal_size"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"threads": 30},
        {"storage_iops": 19},
        {"storage_latency_ms": float("nan")},
        {"trial_seconds": 0},
        {"scale": 1},
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
