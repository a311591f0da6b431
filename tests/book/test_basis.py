"""What decides a claim: measuring here and recomputing are never counted together, and every claim is counted once."""

import re
from collections import Counter

import pytest
from docutils import nodes
from judging import CLAIMS, judged

from benchbook.book.pages.verdicts import open_nodes
from benchbook.book.parts.nodes import Folded
from benchbook.book.records.basis import (
    FORESEEN,
    MEANS,
    OPEN,
    OTHERWISE,
    Basis,
    amended,
    bars,
    basis,
    parted,
    parts,
    population,
    sentence,
    tally,
    would_decide,
)
from benchbook.book.records.judged import Judged, every_claim
from benchbook.claims import Testable, designs
from benchbook.cli import verdict_summary
from benchbook.errors import BenchbookError
from benchbook.model import Evidence, Outcome, Verdict

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
        ("L001", Outcome.NOT_TESTABLE, Basis.ELSEWHERE),
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
    assert (measured, sum(part.number for part in one)) == ("measured here or decided by construction", 2)
    assert (recomputed, sum(part.number for part in other)) == ("from the notes' own reports and numbers", 2)
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


def test_a_verdict_that_no_count_foresees_is_an_error_and_not_something_else() -> None:
    odd = Verdict("L001", Outcome.HOST, "r", evidence=Evidence.REPORT)
    with pytest.raises(
        BenchbookError, match="L001 came out as depends on the host, decided from the note's own report"
    ):
        tally([Judged(CLAIMS["L001"], odd)])
    own = Verdict("L001", Outcome.DIRECTION_ONLY, "r", evidence=Evidence.REPORT)
    assert tally([Judged(CLAIMS["L001"], own)]) == {(Basis.REPORT, Outcome.DIRECTION_ONLY): 1}


def test_every_count_that_is_shown_adds_up_to_the_same() -> None:
    """What bars and legends, the line of ``verdicts``, and the table of README.md show."""
    evidence = {
        Basis.MEASURED: Evidence.MEASURED,
        Basis.CONSTRUCTION: Evidence.CONSTRUCTION,
        Basis.REPORT: Evidence.REPORT,
    }
    kinds = [(evidence[way], outcome) for way in evidence for outcome in FORESEEN[way]]
    here = [claim for claim in CLAIMS.values() if claim.testable is Testable.HERE]
    given = [
        Judged(claim, Verdict(claim.id, outcome, "r", evidence=way), "one")
        for claim, (way, outcome) in zip(here, 3 * kinds, strict=False)
    ]
    every = every_claim(CLAIMS, given)
    counted = Counter(str(each.outcome) for each in every)
    shown = Counter[str]()
    for part in parts(every):
        shown[str(part.outcome)] += part.number
    assert shown == counted
    assert sum(part.number for _, own in bars(parts(every)) for part in own) == len(CLAIMS)
    said = re.sub(
        r"\d+ (measured here|by construction|from the note's own report|recomputed [^(]*) \(", "", parted(every)
    )
    assert sum(map(int, re.findall(r"(?<![\w.])\d+(?= )", said))) == len(CLAIMS)
    table = verdict_summary.markdown(every).rpartition("All ")[2]
    lines = {
        line.split("|")[1].strip(): int(line.split("|")[-2])
        for line in table.splitlines()
        if re.search(r"\d \|$", line)
    }
    assert sum(lines.values()) == len(CLAIMS)
    for outcome in Outcome:
        rows = [number for name, number in lines.items() if name == outcome or name.endswith(f": {outcome}")]
        if outcome not in (Outcome.NOT_TESTABLE, Outcome.NOT_A_MEASUREMENT):
            assert sum(rows) == counted[outcome], outcome


def test_what_was_amended_with_data_seen_stands_beside_the_total() -> None:
    changed = next(
        claim.id for claim in CLAIMS.values() if claim.amended_after_data and claim.testable is Testable.HERE
    )
    same = next(claim.id for claim in CLAIMS.values() if not claim.amendments and claim.testable is Testable.HERE)
    given = [judged(changed, Outcome.REPRODUCED), judged(same, Outcome.REPRODUCED), judged("L020", Outcome.REPRODUCED)]
    assert amended(given).startswith("Of the 2 that measuring has decided, 1 rest on a region or a quantity that was ")
    assert amended(given) in population(given)
    assert amended(given[2:]) == ""


def test_each_kind_of_open_has_its_words() -> None:
    assert tuple(MEANS) == tuple(OTHERWISE) == OPEN
    assert all(str(kind).startswith("open: ") for kind in OPEN)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (judged("L001", Outcome.INCONCLUSIVE, visits_needed=1), "1 further visit, were point and spread to stay"),
        (judged("L001", Outcome.ONE_VISIT, visits_needed=3), "3 further visits, were point and spread to stay"),
        (judged("R007", Outcome.CHECK), "a session that passes its checks"),
        (judged("R050", Outcome.DESIGN), designs.of("R050")),
        (judged("L001", Outcome.ONE_VISIT), "a second visit that says the same"),
    ],
)
def test_what_would_decide_it_is_visits_a_passing_session_or_another_design(given: Judged, words: str) -> None:
    assert words
    assert would_decide(given) == words


def test_the_page_counts_each_kind_and_names_each_open_claim() -> None:
    design = [judged(claim, Outcome.DESIGN) for claim in ("R050", "O103")]
    found = open_nodes(
        [judged("L001", Outcome.REPRODUCED), judged("L002", Outcome.INCONCLUSIVE, visits_needed=2), *design]
    )
    made = nodes.container("", *found)
    (folded,) = made.findall(Folded)
    assert folded["summary"] == "The 3 open claims, and what would decide each"
    assert [each.astext() for each in folded.findall(nodes.literal)] == ["L002", "R050", "O103"]
    rows = [[cell.astext() for cell in row.findall(nodes.entry)][:2] for row in found[0].findall(nodes.row)]
    assert rows == [["open", "claims"], ["open: interval", "1"], ["open: not by this design", "2"]]
    assert open_nodes([judged("L001", Outcome.REPRODUCED)]) == []
