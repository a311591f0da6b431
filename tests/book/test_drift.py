"""The book's own drift: which published verdicts hold in runs made here, differ there, or are left open."""

from __future__ import annotations

import json

import pytest

from benchbook.book.drift import ChapterDrift, State, compared, counts, sentence
from benchbook.model import Outcome

R, D, C, U, E = (
    Outcome.REPRODUCED,
    Outcome.DIRECTION_ONLY,
    Outcome.CONTRADICTED,
    Outcome.INCONCLUSIVE,
    Outcome.ENVIRONMENT,
)


@pytest.mark.parametrize(
    ("published", "here", "state"),
    [
        (R, R, State.HOLDS),
        (C, C, State.HOLDS),
        (R, C, State.DIFFERS),
        (R, D, State.DIFFERS),
        (D, C, State.DIFFERS),
        (R, U, State.OPEN_HERE),
        (C, E, State.OPEN_HERE),
        (D, Outcome.NOT_TESTABLE, State.OPEN_HERE),
        (U, R, State.DECIDED_HERE),
        (E, C, State.DECIDED_HERE),
        (U, U, State.OPEN),
        (U, E, State.OPEN),
    ],
)
def test_fewer_blocks_leave_open_and_only_two_decisions_differ(published: Outcome, here: Outcome, state: State) -> None:
    [kept] = compared({"L1": published}, {"L1": here})
    assert (kept.claim_id, kept.published, kept.here, kept.state) == ("L1", published, here, state)


def test_what_no_data_decide_is_left_out_and_what_one_run_alone_judges_is_not() -> None:
    published = {"L1": Outcome.NOT_TESTABLE, "L2": Outcome.NOT_A_MEASUREMENT, "L3": R, "L4": Outcome.NOT_YET_RUN}
    here = {"L1": Outcome.NOT_TESTABLE, "L2": Outcome.NOT_A_MEASUREMENT, "L5": C, "L4": Outcome.NOT_YET_RUN}
    found = {each.claim_id: each.state for each in compared(published, here)}
    assert found == {"L3": State.OPEN_HERE, "L5": State.DECIDED_HERE}


def chapters() -> list[ChapterDrift]:
    first = compared({"L1": R, "L2": R, "L3": C, "L4": U, "L5": U}, {"L1": R, "L2": C, "L3": U, "L4": R, "L5": U})
    second = compared({"P1": C, "P2": D}, {"P1": C, "P2": R})
    return [ChapterDrift("one", "run-a", "run-b", first), ChapterDrift("two", "run-c", "run-d", second)]


def test_the_sentence_counts_contradictions_apart_from_what_is_left_open() -> None:
    assert sentence(chapters()) == (
        "drift: of 5 verdicts that the published runs of 2 chapters decide, 2 hold here, 2 differ (L2, P2) and 1 are "
        "left open; 1 more are decided here alone and 1 by neither"
    )
    assert sentence([]).startswith("drift: no chapter has both")


def test_a_long_list_of_differences_is_cut_in_the_sentence_alone() -> None:
    names = [f"L{number}" for number in range(9)]
    one = ChapterDrift("one", "a", "b", compared(dict.fromkeys(names, R), dict.fromkeys(names, C)))
    assert "9 differ (L0, L1, L2, L3, L4, L5 ...)" in sentence([one])
    assert counts(one.claims)[State.DIFFERS] == 9


def test_counts_hold_every_state() -> None:
    assert counts(chapters()[0].claims) == {
        State.HOLDS: 1,
        State.DIFFERS: 1,
        State.OPEN_HERE: 1,
        State.DECIDED_HERE: 1,
        State.OPEN: 1,
    }


def test_a_record_comes_back_as_it_was() -> None:
    for chapter in chapters():
        assert ChapterDrift.of_record(json.loads(json.dumps(chapter.record()))) == chapter
