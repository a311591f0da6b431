"""A verdict held against the first visit after the protocol was frozen: again, not apart, differently."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planting import planted, verdicts, visits

from benchbook import lab
from benchbook.chapters.scale import Parameters
from benchbook.claims import protocol
from benchbook.model import Again, Outcome, PlannedTrial, Run

pytestmark = pytest.mark.usefixtures("still_machine")
QUERY_NS = {"before": 1_000.0, "before_again": 1_000.0, "after": 900.0, "sqlite_as_run": 4_000.0, "sqlite_well": 800.0}
SEVENTEENTH, NINETEENTH, LATER = "2026-01-17T09:00:00", "2026-01-19T09:00:00", "2026-02-01T00:00:00"


def made(seed: int, sqlite: float = 1.0) -> Run:
    """A visit of six blocks. sqlite: how many times as long as else it takes, run as in the note."""
    generator = np.random.default_rng(seed)

    def values(trial: PlannedTrial) -> dict[str, Any]:
        name, jitter = trial.configuration.name, np.exp(0.02 * generator.standard_normal(2))
        system = "_".join(name.split("_")[:-2])
        times = sqlite if system == "sqlite_as_run" else 1.0
        row = {"checked_reads": 1e3, "lookups": 1e3, "anonymous_bytes": 1e6, "insert_s": times * jitter[0]}
        return row | ({} if name.endswith("uniform") else {"query_mean_ns": times * QUERY_NS[system] * jitter[1]})

    parameters = Parameters.given({"blocks": 6, "rows": [10_000, 100_000], "again_rows": [10_000]})
    return planted("scale", parameters, values)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The verdicts of these visits, one a day from the 17th on, of a protocol that was frozen then."""

    def judge(frozen: str, *runs: Run) -> dict[str, Any]:
        monkeypatch.setattr(protocol, "frozen", lambda root: frozen)
        return verdicts(lab.experiment("scale").summarize(visits(*runs)))

    return judge


def test_a_visit_like_those_before_says_the_same_and_changes_no_verdict(judged: Any) -> None:
    runs = [made(seed) for seed in range(3)]
    found, without = judged(NINETEENTH, *runs), judged("", *runs)
    decided = [each for each in found.values() if each.retest is not None]
    assert decided
    for each in decided:
        assert each.retest.answer is Again.SAME
        assert each.retest.as_expected
        assert each.retest.before.n == 12, "the two visits before"
        assert replace(each, retest=None) == without[each.claim_id]


def test_a_verdict_that_comes_out_differently_is_open_again(judged: Any) -> None:
    found = judged(NINETEENTH, made(0), made(1), made(2, sqlite=0.2)).values()
    other = [each for each in found if each.retest and each.retest.answer is Again.OTHER]
    assert other
    for each in other:
        assert each.outcome is Outcome.INCONCLUSIVE
        assert not each.retest.as_expected
        assert "came out differently" in each.reason


@pytest.mark.parametrize("frozen", ["", SEVENTEENTH, LATER])
def test_nothing_is_held_against_a_visit_where_one_side_is_missing(judged: Any, frozen: str) -> None:
    assert not any(each.retest for each in judged(frozen, made(0), made(1)).values())


def test_it_is_the_first_visit_after_the_freeze_that_counts_and_no_later_one_is_taken_for_before(judged: Any) -> None:
    runs = [made(0), made(1), made(2), made(3, sqlite=0.2)]
    answers = {each.retest.answer for each in judged(NINETEENTH, *runs).values() if each.retest}
    assert answers == {Again.SAME}
