"""How a chapter's estimands become verdicts: what is asked for, what they stand on, and in which words."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest
from made_up import AMD, NAME, Asked, Chapter, run_of

from benchbook.claims import Quantity, Testable, chapter_claims
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate, Outcome, Run, Verdict
from benchbook.numbers import environment, judging
from benchbook.numbers.answers import Answer, Answered, Answers
from benchbook.numbers.estimands import Estimand
from benchbook.numbers.summary import NotEstimableError, NotRunError
from benchbook.statistics import Gate, Movement
from benchbook.statistics.intervals import PAIRED_LOG_T

SAME, VARIES = "R053", "R054"
"""A claim of no difference in a ratio, and one of a spread that is less than an edge."""
BLOCKS = 8
Checks = Callable[[Asked, Answer], Iterable[Gate]]


def a_run(blocks: int = BLOCKS) -> Run:
    trials = pd.DataFrame({"trial": range(blocks), "block": range(blocks), "session": 0, "value": 1.0})
    return run_of(trials, provenance=AMD)


def equal(summary: Asked) -> Estimate:
    return Effect(1.0, 0.99, 1.01, 8, PAIRED_LOG_T, summary.confidence, "ratio", 0.01)


def steady(summary: Asked) -> Estimate:
    return Estimate(0.01, 0.008, 0.02, 8, "chi-square", summary.confidence)


SAME_TIME = Estimand(equal, Quantity.COMPARISON, ("a", "b"), "time_ns")
SPREAD = Estimand(steady, Quantity.COUNTER)


def answered(
    answers: Iterable[Answer], run: Run | None = None, *, chapter: str = NAME, device: bool = False, **own: Any
) -> list[Answered]:
    """What a run answers. own: what the chapter says of all of them."""
    made = Answers(tuple(answers), **({"gates": lambda *_: ()} | own))
    return list(judging.answered(Chapter(made, name=chapter, device=device).summarize(run or a_run())))


def judged(
    *,
    same: Estimand = SAME_TIME,
    varies: Estimand = SPREAD,
    run: Run | None = None,
    checks: Checks = lambda *_: (),
    device: bool = False,
) -> dict[str, Verdict]:
    """The verdicts on both claims."""
    answers = (Answer(SAME, same, "fig-a"), Answer(VARIES, varies, "fig-b"))
    return {each.claim_id: each.verdict for each in answered(answers, run, device=device, checks=checks)}


def test_every_claim_has_a_verdict_and_only_testable_ones_are_asked_about() -> None:
    chapter, asked = "hot_cold_keys", []

    def settled(summary: Asked, answer: Answer) -> str:
        asked.append(answer.claim)
        return "as it stands"

    claims = chapter_claims(chapter)
    found = answered([Answer(name, SPREAD) for name in claims], chapter=chapter, untestable=settled)
    assert [each.claim_id for each in found] == [each.verdict.claim_id for each in found] == list(claims)
    assert asked
    assert all(claims[name].testable is Testable.HERE for name in asked)
    assert len(asked) < len(claims), "the others are judged without data"
    assert {each.verdict.reason for each in found if each.claim_id in asked} == {"as it stands"}
    assert {each.verdict.outcome for each in found if each.claim_id in asked} == {Outcome.NOT_TESTABLE}


def test_a_number_is_computed_once_for_a_summary_whoever_asks() -> None:
    computed: list[float] = []

    def counted(summary: Asked) -> Estimate:
        computed.append(summary.confidence)
        return steady(summary)

    summary = Chapter(Answers((Answer(VARIES, replace(SPREAD, compute=counted)),))).summarize(a_run())
    verdicts = [each.verdict for each in judging.answered(summary)]
    assert judging.answered(summary) is judging.answered(summary)
    assert judging.answered(replace(summary)) is not judging.answered(summary), "a copy is judged anew"
    assert judging.estimated(summary, VARIES) == steady(summary)
    assert computed == [0.95, 0.95], "once for each"
    assert {verdict.claim_id for verdict in verdicts} == {SAME, VARIES}
    with pytest.raises(NotEstimableError):
        judging.estimated(summary, SAME)


def test_the_baseline_is_held_against_itself_for_what_is_timed_alone() -> None:
    run = a_run()
    trials = pd.concat([run.trials.assign(configuration=name, time_ns=5.0 + place) for place, name in enumerate("ab")])
    answers = (Answer(SAME, SAME_TIME), Answer(VARIES, SPREAD))
    for pair in (("b", "a"), (lambda summary: "b", lambda summary: "a")):
        found = judging.answered(Chapter(Answers(answers, pair=pair)).summarize(replace(run, trials=trials)))
        outcomes = {each.claim_id: each.verdict.outcome for each in found}
        assert outcomes == {SAME: Outcome.CHECK, VARIES: Outcome.REPRODUCED}, "the pair lies apart"


def test_a_claim_of_no_difference_is_asked_at_both_confidences_and_others_at_one() -> None:
    asked: dict[str, list[float]] = {SAME: [], VARIES: []}

    def noting(name: str, compute: Callable[[Asked], Estimate]) -> Callable[[Asked], Estimate]:
        def noted(summary: Asked) -> Estimate:
            asked[name].append(summary.confidence)
            return compute(summary)

        return noted

    found = judged(
        same=replace(SAME_TIME, compute=noting(SAME, equal)), varies=replace(SPREAD, compute=noting(VARIES, steady))
    )
    assert asked == {SAME: [0.95, pytest.approx(0.90)], VARIES: [0.95]}
    assert found[VARIES].outcome is Outcome.REPRODUCED
    assert found[SAME].outcome is Outcome.ONE_VISIT, "a comparison, of one visit"
    assert {verdict.figure_id for verdict in found.values()} == {"fig-a", "fig-b"}


def test_gates_are_asked_per_estimand_and_one_that_fails_voids_its_verdict_and_says_why() -> None:
    def checks(summary: Asked, answer: Answer) -> list[Gate]:
        assert answer.estimand is (SAME_TIME if answer.claim == SAME else SPREAD)
        off = Gate("A/A", answer.estimand.metric is None, 1.2, "the baseline differs from itself")
        return [Gate("counts agree", True, 0.0, "they do"), off]

    found = judged(checks=checks)
    assert found[SAME].outcome is Outcome.CHECK
    assert found[SAME].reason.endswith(
        "; but the machine does not allow a verdict: A/A: the baseline differs from itself."
    )
    assert found[VARIES].outcome is Outcome.REPRODUCED


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NotEstimableError("no P99", "raise requests"), "This run has no number: no P99 (raise requests)."),
        (BenchbookError("a 0 in it", "look"), "The estimand cannot be computed from this run: a 0 in it."),
    ],
)
def test_what_cannot_be_computed_is_inconclusive_whatever_asked_for_it(error: BenchbookError, words: str) -> None:
    def stop(*_: object) -> Any:
        raise error

    for found in (
        judged(varies=replace(SPREAD, compute=stop)),
        judged(varies=replace(SPREAD, working=stop)),
        judged(varies=replace(SPREAD, idle=stop)),
        judged(varies=replace(SPREAD, departs=stop)),
        judged(checks=lambda summary, answer: stop() if answer.claim == VARIES else ()),
    ):
        assert (found[VARIES].outcome, found[VARIES].reason) == (Outcome.INCONCLUSIVE, words)
        assert found[VARIES].figure_id == "fig-b"
        assert found[SAME].outcome is Outcome.ONE_VISIT, "the others go on"


def test_a_claim_on_a_configuration_that_was_not_run_is_not_yet_run() -> None:
    def stop(*_: object) -> Any:
        raise NotRunError("“wal 20 GB” was not run", "give checkpoint_seconds")

    found = judged(varies=replace(SPREAD, compute=stop))[VARIES]
    assert found.outcome is Outcome.NOT_YET_RUN
    assert found.reason == "This run has no number: “wal 20 GB” was not run (give checkpoint_seconds)."


def test_how_a_number_was_counted_stands_in_the_reason() -> None:
    counted = replace(SPREAD, working=lambda summary: f"{summary.run.blocks} trials were counted")
    assert judged(varies=counted)[VARIES].reason.startswith("8 trials were counted: the share is 0.01")


def test_a_cause_that_did_not_act_and_a_departure_are_asked_of_the_summary() -> None:
    def idle(summary: Asked) -> str:
        return f"nothing was evicted in {summary.run.blocks} blocks"

    def departs(summary: Asked) -> str:
        return "trials of 6 s"

    both = judged(varies=replace(SPREAD, idle=idle, departs=departs))
    assert both[VARIES].outcome is Outcome.DESIGN
    assert "the mechanism was not reached: nothing was evicted in 8 blocks" in both[VARIES].reason
    assert both[SAME].outcome is Outcome.ONE_VISIT
    departed = judged(varies=replace(SPREAD, idle=lambda _: "", departs=departs))[VARIES]
    assert departed.outcome is Outcome.OPEN_CONDITION
    assert departed.reason.endswith("; but the run departs from the claim: trials of 6 s.")
    few = judged(varies=replace(SPREAD, departs=departs), run=a_run(5))
    assert few[SAME].outcome is Outcome.INCONCLUSIVE
    assert few[SAME].reason.endswith("; but it has 5 blocks instead of at least 6.")
    assert few[VARIES].outcome is Outcome.OPEN_CONDITION, "what the run departs in no block would mend"


def test_what_a_quiet_machine_would_say_is_asked_for_comparisons_and_parts_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def movement(run: Run, *, device: bool) -> Movement:
        asked.append(device)
        return Movement(0.3, "the canary stood at 1.35 times its quiet level")

    monkeypatch.setattr(environment, "movement", movement)
    for quantity in Quantity:
        asked.clear()
        found = judged(same=replace(SAME_TIME, quantity=quantity), device=quantity is Quantity.PARTS)[SAME]
        assert asked == ([quantity is Quantity.PARTS] if quantity.moves else []), quantity
        assert found.rests_on.startswith(str(quantity))


@pytest.mark.parametrize(("bounded", "outcome"), [(False, Outcome.DIRECTION_ONLY), (True, Outcome.CONTRADICTED)])
def test_a_quantity_that_cannot_lie_on_the_other_side_has_no_direction(bounded: bool, outcome: Outcome) -> None:
    """L003: P99 over P50, claimed inside a region above 1; above the region is no direction that held."""
    above = replace(SPREAD, compute=lambda _: Effect(2.5, 2.4, 2.6, 8, PAIRED_LOG_T, 0.95), bounded=bounded)
    found = answered([Answer("L003", above)], chapter="networked_keys")
    assert [each.verdict.outcome for each in found if each.claim_id == "L003"] == [outcome]


def mean_value(summary: Asked) -> Estimate:
    value = float(summary.run.trials["value"].mean())
    return Effect(
        value, value - 0.01, value + 0.01, summary.run.blocks, PAIRED_LOG_T, summary.confidence, "ratio", 0.01
    )


SPOILT: dict[str, tuple[list[float], set[int], bool, Outcome]] = {
    "the rest agrees": ([1.0] * 8, {3}, False, Outcome.REPRODUCED),
    "the rest differs": ([1.08] * 7 + [0.75], {7}, False, Outcome.CHECK),
    "more than a fifth": ([1.0] * 8, {1, 3}, False, Outcome.CHECK),
    "more than a fifth that nobody looked at": ([1.0] * 8, {1, 3}, True, Outcome.REPRODUCED),
    "the rest of those differs": ([1.08] * 6 + [0.75] * 2, {6, 7}, True, Outcome.CHECK),
    "too few are left": ([1.0] * 6, {3}, False, Outcome.CHECK),
    "too few were looked at": ([1.0] * 8, {1, 3, 5}, True, Outcome.CHECK),
    "a check of the whole run": ([1.0] * 8, set(), False, Outcome.CHECK),
}


@pytest.mark.parametrize(("values", "spoilt", "unseen", "expected"), SPOILT.values(), ids=SPOILT)
def test_a_check_that_single_trials_failed_is_answered_by_the_other_blocks(
    values: list[float], spoilt: set[int], unseen: bool, expected: Outcome
) -> None:
    run = a_run(len(values))
    days = [f"2026-11-{10 + block}T00:00:00+00:00" for block in range(len(values))]
    run = replace(run, trials=run.trials.assign(value=values, started_at=days, duration_s=1.0))
    wanted = Estimand(mean_value, Quantity.COMPARISON, ("a", "b"))
    gate = Gate("warm", False, 1.0, "some trials were not", frozenset(spoilt), unseen)
    verdict = judged(same=wanted, run=run, checks=lambda *_: (gate,))[SAME]
    assert verdict.outcome is expected, verdict.reason
    assert verdict.failed == ("warm",)
    assert verdict.estimate is not None
    assert verdict.estimate.n == len(values), "the number is that of all blocks"
