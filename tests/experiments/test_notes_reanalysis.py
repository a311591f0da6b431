"""The notes' numbers recomputed: sums by hand, rules on made-up runs, and the ledger's rows."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchbook import lab, notes
from benchbook.chapters.notes_reanalysis import NUMBERS, OPEN, WORDS, Summary
from benchbook.claims import Rule, chapter_claims
from benchbook.errors import BenchbookError
from benchbook.model import Evidence, Outcome
from benchbook.notes import printed_runs as runs
from benchbook.notes.printed_runs import Timeline
from benchbook.numbers import judging

chapter = lab.experiment("notes_reanalysis")

FIVE = (6737.0, 6915.0, 7594.0, 6987.0, 6996.0)
RECOMPUTED = {answer.claim: answer.estimand for answer in chapter.answers.given}


@pytest.fixture(scope="module")
def summary() -> Summary:
    return chapter.summarize(chapter.Parameters())


def test_every_claim_of_the_chapter_is_recomputed_or_said_to_be_open() -> None:
    claims = chapter_claims("notes_reanalysis")
    decidable = {identity for identity, claim in claims.items() if claim.rule is not Rule.PROSE}
    assert set(RECOMPUTED) | set(OPEN) == decidable
    assert not set(RECOMPUTED) & set(OPEN)
    assert all(claim.rule in (Rule.EXISTS, Rule.ARITHMETIC) for i, claim in claims.items() if i in RECOMPUTED)


BY_HAND = {
    "L008": 1000, "L020": 0.1, "L021": 1, "L042": 25.6, "L071": 20 / 12, "L072": 29 / 79, "B001": 151469 / 459458,
    "B043": 99.99163, "B044": 1.0, "B046": 3.472, "B047": 1.5, "B048": 512, "B053": 12.44e9 / 226912, "C002": 200,
    "C003": 120, "C004": 4, "C011": 0.994233, "C030": 1.25, "C053": 9.765625, "C058": 0, "C066": 2, "C068": 3,
    "C075": 4, "C076": 4, "C082": 0.94596, "C083": 0.997643, "C085": 0.503787, "C086": 0.999656, "C087": 0.999436,
    "R004": 1.000761, "R035": 6574.08, "R058": 1.344515, "R060": 0.25, "R061": 22.4, "R062": 27.30667, "R064": 4382.72,
    "R072": 0, "R073": 99.90974, "R104": 1.3564, "O022": 11.90369, "O025": 0.17, "O026": 1.133858, "O035": 0.209849,
    "O037": 0.768835, "O066": 3, "O067": 1e7, "O069": 1.44, "O075": 0, "O082": 2, "O087": 1.437037, "O089": 2721,
    "O090": 3.54, "O102": 1.82, "O104": 0, "O105": 1.272502, "O106": 1.220085,
}  # fmt: skip


@pytest.mark.parametrize(("identity", "value"), BY_HAND.items())
def test_a_number_is_the_one_computed_by_hand(summary: Summary, identity: str, value: float) -> None:
    assert judging.estimated(summary, identity).point == pytest.approx(value, rel=1e-5, abs=1e-9)
    working = RECOMPUTED[identity].working
    assert working is not None
    assert working(summary).strip()


def test_the_statements_that_do_not_hold_are_these(summary: Summary) -> None:
    verdicts = {verdict.claim_id: verdict for verdict in chapter.judge(summary)}
    contradicted = {identity for identity, verdict in verdicts.items() if verdict.outcome is Outcome.CONTRADICTED}
    assert contradicted == {
        "L021", "L032", "L042", "B044", "B053", "C058", "C082", "O069", "O073", "O090", "O104", "R058",
    }  # fmt: skip
    by_report = {identity for identity, verdict in verdicts.items() if verdict.evidence is Evidence.REPORT}
    assert by_report == {"R058"}, "its sum comes out, and the note's own reports refute its cause"
    assert {verdicts[identity].outcome for identity in OPEN} == {Outcome.NOT_TESTABLE}
    assert all(OPEN[identity] in verdicts[identity].reason for identity in OPEN)


def test_a_changed_cell_changes_the_verdict(summary: Summary, monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> object:
        found = real(name)
        if name == "omendb_latency":
            found.loc[found["state"] == "after", "latency_us"] *= 2
        return found

    before = judging.estimated(summary, "O022").point
    monkeypatch.setattr(notes, "table", other)
    assert judging.estimated(replace(summary), "O022").point < 0 < before


def a_run(tps: list[float], ends: list[int] | None = None, average: float = 100.0) -> Timeline:
    return Timeline("002", 1, "made up", tuple(ends or range(5, 5 * len(tps) + 1, 5)), tuple(tps), average)


def test_a_lasting_fall_is_placed_at_the_end_of_its_five_seconds_and_before_a_gap_left_open() -> None:
    assert a_run([100, 100, 100, 60, 60, 60] + [60] * 6).cliff == "at 20 s"
    assert a_run([100] * 12).cliff == "none"
    assert a_run([100, 100, 60] + [100] * 9).cliff == "none", "it does not last"
    assert a_run([100, 100, 100, 50, 50], [5, 10, 15, 20, 60]).cliff.startswith("open: 50% of the peak at 20 s")
    assert a_run([100, 100, 100, 90, 50], [5, 10, 15, 20, 60]).cliff == "none up to 20 s, then intervals are left out"


def test_a_complete_timeline_gives_the_average_and_a_broken_one_what_is_missing() -> None:
    assert a_run([90, 110] * 6).mean == 100
    assert a_run([90, 110] * 6).missing_mean is None
    broken = a_run([100, 100, 100, 50, 50], [5, 10, 15, 20, 60], average=100)
    assert not broken.complete
    assert broken.missing_mean == pytest.approx((1200 - 400) / 7)


def test_the_notes_timelines_are_too_short_for_steadiness(summary: Summary) -> None:
    found = summary.timelines
    assert [each.name for each in found][:4] == ["002 run 1", "002 run 2", "002 run 3", "003 round 1"]
    assert all(each.steadiness.startswith("too short") for each in found)
    assert [each.cliff_s for each in found] == [None, 35, None, None, None, None]


def test_the_five_runs_have_the_interval_that_scipy_gives(summary: Summary) -> None:
    assert summary.five == FIVE
    found = NUMBERS["five"].compute(summary)
    expected = stats.ttest_1samp(np.log(FIVE), 0).confidence_interval()
    assert (math.log(found.low), math.log(found.high)) == pytest.approx(tuple(expected))
    assert WORDS["runs_needed"](summary) == 6


def test_the_next_run_and_the_ratio_to_one_run_are_held_as_often_as_said_where_spreads_are_alike() -> None:
    drawn = np.exp(np.random.default_rng(7).normal(0, 0.05, (1500, 6)))
    held = []
    for *five, one in drawn.tolist():
        after, ratio = runs.next_run(tuple(five)), runs.against_one(tuple(five), 1.3 * one)
        held.append((after.low <= one <= after.high, ratio.low <= 1 / 1.3 <= ratio.high))
    assert np.mean(held, axis=0) == pytest.approx([0.95, 0.95], abs=0.02)


@pytest.mark.parametrize("bad", [(), (7000.0,), (7000.0, math.nan), (7000.0, -1.0), (7000.0, 0.0), (7000.0, math.inf)])
def test_too_few_or_bad_runs_are_refused(bad: tuple[float, ...]) -> None:
    with pytest.raises(BenchbookError):
        runs.next_run(bad)
    with pytest.raises(BenchbookError):
        runs.against_one(bad, 7000.0)
    for single in bad[1:]:
        with pytest.raises(BenchbookError):
            runs.against_one(FIVE, single)


def test_more_spread_asks_for_more_runs_and_hides_a_change() -> None:
    pair = runs.Pair("made up", 1.2)
    assert 0 < (pair.runs_needed(0.01) or 0) < (pair.runs_needed(0.2) or 0)
    assert pair.stands_out(0.01)
    assert not pair.stands_out(0.2)
    assert runs.Pair("none", 1.0000001).runs_needed(0.05) is None
    low, high = pair.interval(0.05)
    assert math.log(high / low) == pytest.approx(2 * 1.959964 * 0.05 * math.sqrt(2), rel=1e-5)


def test_a_table_or_cell_that_is_not_there_is_a_clear_error() -> None:
    with pytest.raises(BenchbookError, match="did you mean 'prices'"):
        notes.table("price")
    with pytest.raises(BenchbookError, match="no column 'tsp'"):
        notes.number("r8g_runs", "tsp", round=1)
    with pytest.raises(BenchbookError, match="0 rows"):
        notes.number("r8g_runs", "tps", round=9)
    with pytest.raises(BenchbookError, match="3 rows"):
        notes.number("r8g_runs", "tps")
    with pytest.raises(BenchbookError, match="states no"):
        notes.number("omendb_speedup", "after", scale_rows=10_000)
    with pytest.raises(BenchbookError, match="is not a number"):
        notes.number("r8g_runs", "label", round=1)


def test_the_hash_of_the_tables_depends_on_them_and_not_on_their_order() -> None:
    assert notes.run_id("prices", "r8g_cost") == notes.run_id("r8g_cost", "prices")
    assert notes.run_id("prices") != notes.run_id("r8g_cost")
    assert re.fullmatch("notes [0-9a-f]{12}", notes.run_id("prices"))


def test_the_default_spread_is_the_one_that_calibration_simulates() -> None:
    default = chapter.Parameters().between_trial_sd_percent / 100
    assert default == pytest.approx(lab.experiment("calibration").Parameters().between_trial_sd)
