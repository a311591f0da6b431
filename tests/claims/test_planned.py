"""What would decide an open claim: blocks in all, or further sessions where these are the replicates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchbook.claims import Claim, judge
from benchbook.claims.ground import Ground, Quantity
from benchbook.claims.planned import SESSIONS_LIMIT
from benchbook.claims.record import Rule, Testable
from benchbook.model import Effect, Outcome
from benchbook.statistics import Movement, ratio

CLAIM = Claim(
    id="X1", note="000", section="", quote="it is slower", kind="", chapter="none", experiment="", metric="time",
    unit="ratio", estimand="a ratio", rule=Rule.GREATER, low=1.0, high=None, margin=0.05, family="none", primary=False,
    testable=Testable.HERE, portable=True, elsewhere="", reading="",
)  # fmt: skip
SESSIONS = np.repeat(range(4), 2)


def at(point: float, step: float = 0.02) -> Effect:
    """Over four sessions whose means lie so many steps from the point."""
    logs = np.repeat([-1.5, -0.5, 0.5, 1.5], 2) * step
    return ratio(point * np.exp(logs), np.ones(8), sessions=SESSIONS)


def moved(w: float) -> Ground:
    return Ground(Quantity.COMPARISON, Movement(w, "the canary moved"))


def test_an_open_claim_names_the_further_sessions_that_would_decide_it_and_no_blocks() -> None:
    found = judge(CLAIM, at(1.09))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert (found.trials_needed, found.sessions_needed) == (None, 1)
    assert "(95 %, 4 sessions)" in found.reason
    assert found.reason.endswith(
        "; 1 further session of as many blocks would decide it if point and spread stay the same."
    )
    assert "; 6 further sessions of as many blocks would" in judge(CLAIM, at(1.07)).reason
    enough = replace(at(1.09), low=1.051)
    assert judge(CLAIM, enough).outcome is Outcome.REPRODUCED


def test_that_many_sessions_with_the_same_point_and_spread_do_decide_it() -> None:
    open_ = at(1.07)
    needed = judge(CLAIM, open_).sessions_needed
    assert needed
    outcomes = []
    for sessions in (4 + needed - 1, 4 + needed):
        apart = np.linspace(-1, 1, sessions)
        means = apart / apart.std(ddof=1) * open_.sd + np.log(open_.point)
        outcomes.append(judge(CLAIM, ratio(np.exp(means), np.ones(sessions), sessions=range(sessions))).outcome)
    assert outcomes == [Outcome.INCONCLUSIVE, Outcome.REPRODUCED]


def test_what_no_number_of_sessions_decides_is_said_so() -> None:
    still = judge(CLAIM, at(1.0595), ground=moved(0.1))
    assert still.sessions_needed is None
    assert "on a steady machine; with this one's drift (w = 0.01) no number would." in still.reason
    edge = judge(CLAIM, at(1.0501))
    assert edge.sessions_needed is None
    assert f"no number of sessions up to {SESSIONS_LIMIT} would decide it" in edge.reason


def test_blocks_are_asked_for_in_all_where_they_are_the_replicates() -> None:
    logs = np.repeat([-1.5, -0.5, 0.5, 1.5], 2) * 0.05
    found = judge(CLAIM, ratio(1.09 * np.exp(logs), np.ones(8)))
    assert found.sessions_needed is None
    assert found.trials_needed is not None
    assert f"; {found.trials_needed} blocks would decide it" in found.reason


@pytest.mark.parametrize(("w", "outcome"), [(0.01, Outcome.REPRODUCED), (0.2, Outcome.ENVIRONMENT)])
def test_an_interval_over_sessions_is_widened_as_any_other(w: float, outcome: Outcome) -> None:
    assert judge(CLAIM, at(1.15, step=0.01), ground=moved(w)).outcome is outcome
