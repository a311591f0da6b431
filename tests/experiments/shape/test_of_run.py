"""What a run's blocks give a verdict to stand on: visits, processors, sessions left out, and what more would take."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from made_up import AMD, AMD_NAME, ARMS, INTEL, INTEL_NAME, Chapter, session, together

from benchbook.claims import Ground, Quantity, load_claims
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Run, Verdict
from benchbook.numbers import judging, looks, plans
from benchbook.numbers.algebra import measured
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.body import Body, body
from benchbook.numbers.estimands import Estimand
from benchbook.numbers.summary import Summary

CLAIM = load_claims()["L012"]
TIME = measured("time_ns")
RATIO = TIME["changed"] / TIME["base"]
UNKNOWN = "its processor's model and stepping were not recorded"


def of(run: Run, estimand: Estimand = RATIO) -> Body:
    answer = Answer(CLAIM.id, estimand)
    own = Answers((answer,), pair=("again", "base"))
    return body(Chapter(own, ARMS, "hot_cold_keys").summarize(run), own, CLAIM, answer, 0.95)


def ground(run: Run, estimand: Estimand = RATIO) -> Ground:
    return of(run, estimand).ground()


def test_sessions_of_one_visit_and_of_several_and_the_processors_they_met() -> None:
    near = ground(together(session(23.5), session(24.2)))
    assert (near.visits, near.blocks, near.a_visit, near.processors) == (1, 8, 8, (AMD_NAME,))
    far = ground(together(session(0), session(13), session(14, host=INTEL)))
    assert (far.visits, far.blocks, far.a_visit, far.processors) == (3, 12, 4, (AMD_NAME, INTEL_NAME))
    assert ground(session(0, blocks=3)).few == "3 blocks instead of at least 6"
    assert ground(session(0, blocks=2)).a_visit == 4, "so many as would be enough for a verdict"
    assert not near.left_out
    assert not near.failed


def test_each_visit_gives_a_number_of_its_own_blocks_where_each_has_to_say_the_same() -> None:
    run = together(session(0, 0.3), session(1, 0.32), session(24, 0.4))
    each = ground(run, replace(RATIO, quantity=Quantity.LEVEL)).each
    assert [(round(wide.point, 3), wide.n) for wide, _ in each] == [(round((0.3 * 0.32) ** 0.5, 3), 8), (0.4, 4)]
    assert ground(run).each == ()

    def long_enough(summary: Any) -> Any:
        if summary.run.blocks < 8:
            raise BenchbookError("too little", "more")
        return RATIO.compute(summary)

    assert len(ground(run, replace(RATIO, quantity=Quantity.LEVEL, compute=long_enough)).each) == 1


# treatment, session by session


def acts(least: float) -> Callable[[Summary], str]:
    """A treatment check of a mean over all trials, as chapters make them."""

    def idle(summary: Summary) -> str:
        mean = float(summary.run.trials["acted"].mean())
        return "" if mean >= least else f"it acted {mean:g} times a trial"

    return idle


def test_a_session_that_fails_its_treatment_check_is_left_out_and_told_although_the_mean_would_pass() -> None:
    run = together(session(0, acted=20.0), session(13, acted=20.0), session(26, 0.9, host=INTEL, acted=1.0))
    checked = replace(RATIO, idle=acts(5.0))
    assert acts(5.0)(of(run).summary) == "", "the pooled mean hides it"
    found = of(run, checked)
    assert found.left_out == ("session k-20261121T020000 (it acted 1 times a trial)",)
    stands = found.ground()
    assert (stands.visits, stands.blocks, stands.processors, stands.mechanism) == (2, 8, (AMD_NAME,), "")
    assert found.numbers()[0].point == pytest.approx(0.35), "its blocks are in no number"
    assert of(run, RATIO).left_out == (), "a claim without such a check keeps it"


def test_where_every_session_fails_or_all_together_do_the_cause_did_not_act() -> None:
    checked = replace(RATIO, idle=acts(5.0))
    for run in (together(session(0, acted=1.0), session(13, acted=2.0)), session(0, acted=1.0)):
        found = of(run, checked)
        assert (found.idle, found.left_out) == ("it acted 1 times a trial", ())
        assert found.ground().mechanism == "it acted 1 times a trial"
        assert found.summary.run.blocks == run.blocks


def test_a_session_that_cannot_say_stays_and_all_together_are_asked_where_none_can() -> None:
    def by_blocks(least: int) -> Callable[[Summary], str]:
        def idle(summary: Summary) -> str:
            if summary.run.blocks < least:
                raise BenchbookError("too few blocks to check it", "more")
            return acts(5.0)(summary)

        return idle

    run = together(session(0, acted=1.0), session(13, blocks=6, acted=20.0))
    assert of(run, replace(RATIO, idle=by_blocks(6))).left_out == ()
    weak = together(session(0, acted=1.0), session(13, acted=1.0))
    assert of(weak, replace(RATIO, idle=by_blocks(8))).idle == "it acted 1 times a trial"
    for every in (weak, session(0, acted=20.0)):
        with pytest.raises(BenchbookError, match="too few blocks to check it"):
            of(every, replace(RATIO, idle=by_blocks(9)))


def test_fewer_sessions_that_pass_than_were_planned_are_a_check_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    run = together(session(0, acted=20.0), session(13, acted=20.0), session(26, acted=1.0))
    for planned, passed in ((2, True), (3, False)):
        plan = plans.FixedPlan("x", "k", "2026-11-20", planned, 4, "", "", 4)
        monkeypatch.setattr(looks, "plans_of", lambda _, plan=plan: [plan])
        failed = ground(run, replace(RATIO, idle=acts(5.0))).failed
        assert [gate.name for gate in failed] == ([] if passed else ["treatment check"])


# sessions that say nothing of when and where


def test_a_session_of_an_unnamed_processor_or_whose_clock_went_back_is_left_out_with_words() -> None:
    unnamed = session(26, 0.9, host={"processor": "AMD EPYC"})
    back = session(40, 0.9)
    back = replace(back, trials=back.trials.assign(started_at=[*back.trials["started_at"]][::-1]))
    run = together(session(0), session(13), unnamed, back)
    found = of(run)
    assert found.left_out == (
        f"session {unnamed.id} ({UNKNOWN})",
        f"session {back.id} (its clock went back)",
    )
    assert found.numbers()[0].point == pytest.approx(0.35)
    counted = of(run, replace(RATIO, quantity=Quantity.COUNTER))
    assert (counted.left_out, counted.summary.run.blocks) == ((), 16), "what is counted does not depend on them"


def test_a_run_of_such_sessions_alone_decides_nothing_and_does_not_say_that_its_cause_was_idle() -> None:
    unnamed = {"processor": "AMD EPYC"}
    for run in (session(0, host=unnamed), together(session(0, host=unnamed), session(13, host=unnamed))):
        found = of(run).ground()
        assert (found.mechanism, found.left_out) == ("", ())
        assert [(gate.name, gate.reason) for gate in found.failed] == [("session", UNKNOWN)]
    assert [gate.name for gate in ground(session(0, host=AMD)).failed] == []


# what more would take


@pytest.mark.parametrize(("needed", "said"), [(1, "3 min"), (3, "10 min"), (None, "")])
def test_what_would_decide_a_claim_is_told_in_time(needed: int | None, said: str) -> None:
    run = together(session(0), session(13))  # of 205 s each
    summary = Chapter(Answers(), ARMS).summarize(run)
    verdict = Verdict(CLAIM.id, Outcome.INCONCLUSIVE, "It is open.", visits_needed=needed)
    expected = f"It is open (about {said} of measuring)." if said else "It is open."
    assert judging._costed(summary, verdict).reason == expected
    silent = Chapter(Answers(), ARMS).summarize(replace(run, trials=run.trials.drop(columns="duration_s")))
    assert judging._costed(silent, verdict) == verdict, "nobody knows how long it took"
