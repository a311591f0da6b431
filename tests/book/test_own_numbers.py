"""Numbers published and numbers made here: which intervals overlap, and what a quick run may not say."""

import json

import numpy as np
import pytest

from benchbook.book.records.own_runs import (
    OWNS,
    QUICK_DECIDES_NOTHING,
    Number,
    Own,
    State,
    compared,
    counts,
    said,
    sentence,
)
from benchbook.model import Effect, Estimate, Outcome, Verdict

R, U = Outcome.REPRODUCED, Outcome.INCONCLUSIVE


def number(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 8, "t")


def judged(claim: str, outcome: Outcome, estimate: Estimate | None = None) -> Verdict:
    return Verdict(claim, outcome, "r", estimate)


@pytest.mark.parametrize(
    ("published", "here", "state"),
    [
        ((1, 2), (1.5, 3), State.OVERLAP),
        ((1, 2), (2, 3), State.OVERLAP),
        ((1, 2), (0, 9), State.OVERLAP),
        ((1, 2), (2.1, 3), State.APART),
        ((1, 2), (0.1, 0.9), State.APART),
        ((1, 2), None, State.NOT_HERE),
        ((1, 2), (1, 1), None),
        ((1, 1), (1, 2), None),
        (None, (1, 2), None),
    ],
)
def test_two_intervals_overlap_or_lie_apart_and_what_is_counted_has_none(
    published: tuple[float, float] | None, here: tuple[float, float] | None, state: State | None
) -> None:
    first, second = (number(*each) if each else None for each in (published, here))
    assert Number("L1", first, second, "holds").state is state


def test_every_claim_with_a_number_in_either_run_is_there_and_no_other() -> None:
    no_data = judged("L5", Outcome.NOT_TESTABLE, number(1, 2))
    published = [judged("L1", R, number(1, 2)), judged("L2", U), judged("L3", R, number(1, 2)), no_data]
    here = [judged("L1", U, number(1, 3)), judged("L2", U), judged("L4", R, number(3, 4)), no_data]
    found = compared(published, here, decides=True)
    assert [(each.claim_id, each.verdict, each.verdict_here) for each in found] == [
        ("L1", "holds", "open: interval"),
        ("L3", "holds", ""),
        ("L4", "", "holds"),
    ]
    assert [each.state for each in found] == [State.OVERLAP, State.NOT_HERE, None]
    undecided = compared(published, here, decides=False)
    assert [each.verdict_here for each in undecided] == ["", "", ""], "a run that decides nothing tells no verdicts"


def owns(profile: str = "quick") -> list[Own]:
    first = (
        Number("L1", number(1, 2), number(1, 3), "holds"),
        Number("L2", number(1, 2), number(3, 4), "holds"),
        Number("L3", number(1, 2), None, "holds"),
    )
    second = (Number("P1", number(1, 2), number(5, 6), "open: interval"),)
    return [
        Own("one", "run-a", "run-b", profile, 3, "2026-01-01T00:00:00", ("blocks", "rows"), first),
        Own("two", "run-c", "run-d", "quick", 3, "2026-01-01T00:00:00", ("blocks",), second),
        Own("three", "", "run-e", "quick", 3, "2026-01-01T00:00:00"),
    ]


def test_the_sentence_counts_intervals_and_says_that_a_quick_run_decides_nothing() -> None:
    assert sentence(owns()) == (
        "on this machine: 2 chapters also measured here; of 4 published numbers with an interval, 3 have one here: "
        f"1 overlap the published interval and 2 do not (L2, P1). {QUICK_DECIDES_NOTHING.rstrip('.')}"
    )
    assert "decides nothing" not in sentence(owns("standard"))
    assert "no run of a published chapter" in sentence(owns()[2:])


def test_a_long_list_of_claims_is_cut_in_the_sentence_alone() -> None:
    numbers = tuple(Number(f"L{place}", number(1, 2), number(3, 4), "holds") for place in range(9))
    one = Own("one", "a", "b", "quick", 3, "2026-01-01T00:00:00", (), numbers)
    assert "9 do not (L0, L1, L2, L3, L4, L5 ...)" in sentence([one])
    assert counts(one.numbers) == {State.OVERLAP: 0, State.APART: 9, State.NOT_HERE: 0}


def test_a_record_comes_back_as_it_was() -> None:
    effect = Effect(np.float64(1.5), np.float64(1.0), np.float64(2.0), 3, "t", scale="ratio", sd=0.1)
    numbers = compared([judged("L1", R, effect)], [judged("L1", R, effect)], decides=False)
    every = [*owns(), Own("one", "a", "b", "quick", 3, "2026-01-01T00:00:00", (), numbers)]
    assert OWNS.validate_python(json.loads(json.dumps(OWNS.dump_python(every)))) == every


def test_a_number_is_written_with_its_interval_or_alone_where_it_is_counted() -> None:
    assert said(number(1, 2)) == "1.50 [1.00, 2.00]"
    assert said(number(4, 4)) == "4.00"
    assert said(None) == ""
