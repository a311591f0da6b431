"""Runs of several sessions through the judging: which interval and which w their verdicts get, and in which words."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest
from made_up import NAME as CHAPTER
from made_up import Asked, Chapter

from benchbook import statistics, store
from benchbook.claims import Quantity
from benchbook.experiments import environment
from benchbook.experiments.sentences import source
from benchbook.experiments.session_widening import Canaries
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.answers import Answer, Answered, Answers
from benchbook.experiments.shape.estimands import Estimand, custom, ratio
from benchbook.model import Estimate, Outcome, Run
from benchbook.statistics import Movement
from benchbook.statistics.intervals import OF_SESSIONS, PAIRED_LOG_T

CLAIM = "R053"
"""A claim of no difference in a ratio."""
BLOCKS = 6
QUIET = {"this one": 500_000.0, "that one": 700_000.0}
"""Quiet level of two processors in ns."""
SPREAD = 0.0045


ARMS = ("base", "again", "changed")
RATIO = ratio("changed", "base", "time_ns")


def of(estimand: Estimand) -> Chapter:
    """A chapter whose one answer has this estimand."""
    return Chapter(Answers((Answer(CLAIM, estimand),), pair=("again", "base")), ARMS)


def a_part(
    place: int,
    hour: float,
    *,
    processor: str = "this one",
    slower: float = 0.2,
    around: bool = True,
    shift: float = 0.0,
) -> Run:
    """Blocks of three trials on a machine so much slower than when quiet; all arms feel it alike.

    shift: of the changed arm in this session, on logs.
    """
    rng = np.random.default_rng(100 + place)
    slowdown = slower + 0.05 * rng.normal(size=BLOCKS)
    rows, looks = [], []
    for block in range(BLOCKS):
        for arm in ARMS:
            start = datetime(2026, 1, 17, tzinfo=UTC) + timedelta(hours=hour, minutes=block)
            trial = len(rows)
            noise = slowdown[block] + 0.004 * rng.normal() + (shift if arm == "changed" else 0.0)
            rows.append(
                {
                    "trial": trial, "block": block, "configuration": arm, "session": 0, "duration_s": 5.0,
                    "started_at": start.isoformat(timespec="seconds"), "time_ns": 1e3 * np.exp(noise),
                }
            )  # fmt: skip
            hashing = QUIET.get(processor, 1e6) * np.exp(slowdown[block])
            looks.append({"block": block, "hash_p50_ns": hashing} | ({"trial": trial} if around else {}))
    provenance = {"processor": processor, "started_at": rows[0]["started_at"]}
    nothing = pd.DataFrame({"trial": []})
    return Run(
        f"r{place}", CHAPTER, 1, {}, "custom", 1, BLOCKS, provenance, pd.DataFrame(rows), nothing, pd.DataFrame(looks)
    )


def hours_apart(*hours: float, **each: Any) -> Run:
    return store.pooled([a_part(place, hour, **each) for place, hour in enumerate(hours)])


@pytest.fixture(autouse=True)
def known_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processors whose quiet level is known, and how far a quiet canary moves."""
    levels = {(name, environment.HASHING): level for name, level in QUIET.items()}
    monkeypatch.setattr(environment, "quiet_levels", lambda *, local: levels)
    monkeypatch.setattr(environment, "published_spreads", lambda: {environment.HASHING: SPREAD})


def judged(run: Run, estimand: Estimand = RATIO) -> Answered:
    found = {each.claim_id: each for each in judging.answered(of(estimand).summarize(run))}
    return found[CLAIM]


def by_hand(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Log ratio and canary of each block, without the code under test."""
    arms = {name: own.sort_values("block")["time_ns"].to_numpy() for name, own in run.trials.groupby("configuration")}
    quiet = np.repeat([QUIET[part.provenance["processor"]] for part in run.parts], BLOCKS)
    canary = np.log(run.canary["hash_p50_ns"]).groupby(run.canary["block"]).mean().to_numpy()
    return np.log(arms["changed"] / arms["base"]), canary - np.log(quiet)


def same(found: Estimate | None, own: Estimate) -> None:
    """The same interval from the same blocks, up to rounding."""
    assert found is not None
    assert (found.point, found.low, found.high) == pytest.approx((own.point, own.low, own.high))
    assert (found.n, found.method, len(found.by_block)) == (own.n, own.method, len(own.by_block))


def quiet(run: Run, estimate: Estimate | None, *, device: bool = False) -> Movement:
    """What w would be for a quiet machine."""
    assert estimate is not None
    found = Canaries(run, device).quiet(estimate, environment.movement(run, device=device))
    assert found is not None
    return found


def test_four_sessions_hours_apart_are_judged_over_sessions_and_decide_what_one_may_not() -> None:
    run = hours_apart(0, 3, 6, 24)
    found = judged(run)
    logs, canary = by_hand(run)
    sessions = np.repeat(range(4), BLOCKS)
    own = statistics.ratio(np.exp(logs), np.ones(logs.size), sessions=sessions)
    moved = statistics.session_movement(logs, canary, sessions, SPREAD, len(ARMS))
    same(found.estimate, own)
    assert (own.n, own.method) == (4, PAIRED_LOG_T + OF_SESSIONS)
    assert found.verdict.w == pytest.approx(math.log(1.02)), "on two dates"
    assert found.verdict.w < environment.movement(run, device=False).w
    assert found.verdict.outcome is Outcome.REPRODUCED, "of no difference, with a w far below the floor of 1.25"
    assert "(95 %, 4 sessions)" in found.verdict.reason
    assert "since 4 sessions on 2 dates met this machine in its states" in found.verdict.rests_on
    beside = quiet(run, found.estimate)
    assert beside.w == pytest.approx(moved.w)
    assert "over 4 sessions the canary stood at 1.2" in beside.reason
    assert "the two sides' sensitivities to it differ by at most 0.0" in beside.reason
    assert beside.reason.endswith("(hashing 1 MiB)")


def test_sessions_that_agree_by_luck_are_judged_over_blocks() -> None:
    parts = []
    for place, hour in enumerate((0, 3, 6, 24)):
        part = a_part(place, hour)
        logs, _ = by_hand(store.pooled([part]))
        parts.append(a_part(place, hour, shift=-float(logs.mean())))
    run = store.pooled(parts)
    found, (logs, _) = judged(run), by_hand(run)
    assert np.ptp(logs.reshape(4, BLOCKS).mean(axis=1)) < 1e-9
    same(found.estimate, statistics.ratio(np.exp(logs), np.ones(logs.size), sessions=np.repeat(range(4), BLOCKS)))
    assert found.estimate is not None
    assert (found.estimate.n, found.estimate.method) == (24, PAIRED_LOG_T)
    own = statistics.ratio(np.exp(logs), np.ones(logs.size))
    assert (found.estimate.low, found.estimate.high) == pytest.approx((own.low, own.high))
    assert found.verdict.w == pytest.approx(math.log(1.02)), "the rule is that of four sessions all the same"


@pytest.mark.parametrize(
    ("hours", "turns", "alike", "w"),
    [
        ((0, 3, 6, 9), False, True, 1.02),
        ((0, 3, 6, 24), False, True, 1.02),
        ((0, 3, 24, 48), False, True, 1.01),
        ((0, 3, 24, 48), False, False, 1.01),
        ((0, 3, 6, 9), True, True, 1.01),
        ((0, 3, 6, 9), True, False, 1.01),
        ((0, 3, 6, 9), False, False, None),
        ((0, 3, 6, 24), False, False, None),
        ((0, 24, 48), True, True, None),
    ],
)
def test_w_over_the_states_met_asks_for_dates_or_turns_and_spares_no_arms_of_another_engine(
    hours: tuple[float, ...], turns: bool, alike: bool, w: float | None
) -> None:
    run = hours_apart(*hours)
    ordinary = environment.movement(run, device=False)
    found = Canaries(run, False).movement(ordinary, turns=turns, alike=alike)
    assert found.w == pytest.approx(ordinary.w if w is None else math.log(w))
    if w is None and len(hours) >= 4:
        assert "too few dates for arms of another engine or cache state" in found.reason
    assert ("took turns" in found.reason) is (turns and len(hours) >= 4)


def test_a_verdict_about_the_states_met_says_whether_a_quiet_machine_would_give_it_too() -> None:
    calm = judged(hours_apart(0, 3, 6, 24, slower=0.0)).verdict
    assert (calm.outcome, calm.quiet) == (Outcome.REPRODUCED, True)
    assert "also on a quiet machine" in calm.reason
    far = judged(hours_apart(0, 3, 6, 24, slower=3.0)).verdict
    assert (far.outcome, far.quiet) == (Outcome.REPRODUCED, False)
    assert "of a quiet machine it stays open" in far.reason


@pytest.mark.parametrize("hours", [(0, 3, 6), (0, 3, 6, 6.2), (0, 0.2, 0.4, 0.6), (0,)])
def test_three_sessions_or_parts_within_the_hour_keep_the_rule_of_blocks(hours: tuple[float, ...]) -> None:
    run = hours_apart(*hours)
    found = judged(run)
    logs, _ = by_hand(run)
    same(found.estimate, statistics.ratio(np.exp(logs), np.ones(logs.size)))
    ordinary = environment.movement(run, device=False)
    assert (found.verdict.w, ordinary.reason in found.verdict.rests_on) == (ordinary.w, True)
    assert found.verdict.outcome is Outcome.ENVIRONMENT
    assert f"(95 %, {BLOCKS * len(hours)} blocks)" in found.verdict.reason


def test_sessions_on_two_processors_are_each_held_against_their_own_quiet_level() -> None:
    parts = [a_part(place, 3 * place, processor=name) for place, name in enumerate(("this one", "that one") * 2)]
    run = store.pooled(parts)
    logs, canary = by_hand(run)
    own = statistics.session_movement(logs, canary, np.repeat(range(4), BLOCKS), SPREAD, len(ARMS))
    found = judged(run)
    assert quiet(run, found.estimate).w == pytest.approx(own.w)
    assert canary.mean() == pytest.approx(0.2, abs=0.05)


def test_a_session_whose_quiet_level_is_not_known_says_nothing_of_a_quiet_machine() -> None:
    parts = [a_part(place, 3 * place, processor=name) for place, name in enumerate(["this one"] * 3 + ["unknown"])]
    run = store.pooled(parts)
    found = judged(run)
    beside = quiet(run, found.estimate)
    assert beside.w == environment.movement(run, device=False).w
    assert beside.reason.endswith(
        "; the rule for several sessions does not hold: how fast the processor of run r3 is when quiet is not known"
    )
    assert found.estimate is not None
    assert found.estimate.method == PAIRED_LOG_T + OF_SESSIONS, "the interval is of sessions all the same"
    assert found.verdict.w == pytest.approx(math.log(1.02)), "and the states that were met need no quiet level"


def test_nor_does_a_canary_beside_blocks_alone_or_a_block_without_one() -> None:
    run = hours_apart(0, 3, 6, 9, around=False)
    beside = quiet(run, judged(run).estimate)
    assert beside.reason.endswith("does not hold: the canary was not looked at around each trial")
    parts = [a_part(place, 3 * place) for place in range(4)]
    unseen = parts[2].canary[parts[2].canary["block"] != 1]
    parts[2] = Run(**{**vars(parts[2]), "canary": unseen})
    run = store.pooled(parts)
    assert "nobody looked at the canary in 1 of 6 blocks of run r2" in quiet(run, judged(run).estimate).reason


def test_of_several_comparisons_the_widest_w_counts_and_a_number_without_blocks_has_none_of_its_own() -> None:
    run = hours_apart(0, 3, 6, 24)
    logs, canary = by_hand(run)
    sessions = np.repeat(range(4), BLOCKS)
    steep = 0.5 * (canary - canary.mean())

    def outermost(summary: Asked) -> Estimate:
        found = summary.ratio(("changed", "time_ns"), ("base", "time_ns"))
        return Estimate(**{**vars_of(found), "by_block": (*found.by_block, tuple(logs + steep))})

    wide = judged(run, custom(outermost, Quantity.COMPARISON, "changed", "base"))
    assert quiet(run, wide.estimate).w == pytest.approx(
        statistics.session_movement(logs + steep, canary, sessions, SPREAD, len(ARMS)).w
    )

    def nowhere(summary: Asked) -> Estimate:
        found = summary.ratio(("changed", "time_ns"), ("base", "time_ns"))
        return Estimate(**{**vars_of(found), "by_block": ()})

    none = quiet(run, judged(run, custom(nowhere, Quantity.COMPARISON, "changed", "base")).estimate)
    assert none.w == environment.movement(run, device=False).w
    assert none.reason.endswith("does not hold: this number is not a comparison within each block")


def vars_of(estimate: Estimate) -> dict[str, Any]:
    names = ("point", "low", "high", "n", "method", "confidence")
    return {name: getattr(estimate, name) for name in names}


def test_an_open_claim_asks_for_further_sessions() -> None:
    parts = [
        a_part(place, 3 * place, slower=0.0, shift=shift) for place, shift in enumerate((-0.04, 0.03, 0.05, -0.03))
    ]
    found = judged(store.pooled(parts)).verdict
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.trials_needed is None
    assert found.sessions_needed
    assert f"; {found.sessions_needed} further session" in found.reason
    assert "of as many blocks would decide it if point and spread stay the same" in found.reason


def test_levels_shares_and_the_aa_pair_are_over_the_same_sessions() -> None:
    run = hours_apart(0, 3, 6, 24)
    run = Run(**{**vars(run), "trials": run.trials.assign(share=run.trials["time_ns"] / 1e4, of=1e6)})
    summary = of(RATIO).summarize(run)
    assert summary.sessions.tolist() == np.repeat(range(4), BLOCKS).tolist()
    level, share = summary.level("base", "time_ns"), summary.share("base", "share", "of")
    assert (level.n, share.n) == (4, 4)
    assert level.method.endswith(OF_SESSIONS)
    assert share.method.endswith(OF_SESSIONS)
    gate = summary.aa_gate("again", "base", "time_ns")
    own = summary.at(0.99).ratio(("again", "time_ns"), ("base", "time_ns"))
    assert f"[{own.low:.4g}, {own.high:.4g}]" in gate.reason
    assert source(run).endswith("(custom profile; intervals over the means of sessions)")
    assert source(hours_apart(0, 3, 6)).endswith("(custom profile)")


def test_what_takes_sessions_that_agree_is_asked_of_each_and_of_their_means() -> None:
    shape = ratio("changed", "base", "time_ns", quantity=Quantity.SHAPE)
    found = judged(hours_apart(0, 3, 6, 24), shape).verdict
    assert found.w is None
    assert found.rests_on == "a shape in time, which needs two sessions that agree"
    assert found.outcome is Outcome.REPRODUCED
