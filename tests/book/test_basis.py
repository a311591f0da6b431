"""What decides a claim: measuring here and recomputing are never counted together, and every claim is counted once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook.book.records.basis import Basis, bars, basis, parts, population, sentence
from benchbook.book.records.judged import Judged, every_claim
from benchbook.claims import load_claims
from benchbook.model import Outcome, Verdict

CLAIMS = load_claims(Path(__file__).parents[2] / "data" / "claims.csv")


def judged(id_: str, outcome: Outcome) -> Judged:
    return Judged(CLAIMS[id_], Verdict(id_, outcome, "r"), "one")


GIVEN = [
    judged("L001", Outcome.REPRODUCED),
    judged("L017", Outcome.CONTRADICTED),
    judged("L020", Outcome.REPRODUCED),
    judged("C068", Outcome.REPRODUCED),
]
"""Two that were measured, one that is decided by reading, and one that reading decided although it asks for more."""


@pytest.mark.parametrize(
    ("id_", "outcome", "expected"),
    [
        ("L001", Outcome.REPRODUCED, Basis.MEASURED),
        ("L001", Outcome.NOT_YET_RUN, Basis.MEASURED),
        ("L020", Outcome.REPRODUCED, Basis.RECOMPUTED),
        ("C068", Outcome.REPRODUCED, Basis.RECOMPUTED),
        ("C068", Outcome.NOT_TESTABLE, Basis.ELSEWHERE),
    ],
)
def test_the_ledger_and_the_verdict_say_what_decides(id_: str, outcome: Outcome, expected: Basis) -> None:
    assert basis(judged(id_, outcome)) is expected


def test_every_claim_is_counted_once_and_what_was_measured_comes_first() -> None:
    every = every_claim(CLAIMS, GIVEN)
    found = parts(every)
    assert sum(part.number for part in found) == len(CLAIMS)
    assert [(part.basis, part.outcome, part.number) for part in found[:3]] == [
        (Basis.MEASURED, Outcome.REPRODUCED, 1),
        (Basis.MEASURED, Outcome.CONTRADICTED, 1),
        (Basis.RECOMPUTED, Outcome.REPRODUCED, 2),
    ]
    assert found[2].words == "hold", "the bar says that it was recomputed"
    assert found[-1].basis is None, "what nobody has decided stands last"


def test_a_bar_is_of_what_was_measured_or_of_what_was_recomputed_and_never_of_both() -> None:
    (measured, one), (recomputed, other), (undecided, rest) = bars(parts(every_claim(CLAIMS, GIVEN)))
    assert (measured, sum(part.number for part in one)) == ("measured here", 2)
    assert (recomputed, sum(part.number for part in other)) == ("recomputed from the notes' own numbers", 2)
    assert (undecided, sum(part.number for part in rest)) == ("not judged", len(CLAIMS) - 4)
    assert [words for words, _ in bars(parts(GIVEN))] == [measured, recomputed]


def test_the_sentence_keeps_the_two_apart() -> None:
    assert sentence(GIVEN) == (
        "4 claims: 2 measured here (1 holds, 1 wrong); 2 recomputed from the note's own text (2 hold)."
    )
    assert sentence([judged("L001", Outcome.NOT_YET_RUN)]) == "1 claim: 1 not yet run."


def test_the_numbers_of_the_ledger_add_up() -> None:
    every = every_claim(CLAIMS, GIVEN)
    by = [sum(basis(each) is way for each in every) for way in Basis]
    words = population(every)
    assert sum(by) == len(CLAIMS)
    assert words.startswith(f"The ledger has {len(CLAIMS)} claims")
    for number in filter(None, by):
        assert f" {number} " in words
    assert f"{sum(claim.primary for claim in CLAIMS.values())} were marked as main claims" in words
