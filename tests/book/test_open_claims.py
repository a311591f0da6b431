"""Open claims by what leaves them open, as the page tells it."""

import pytest
from docutils import nodes
from judging import judged

from benchbook.book.pages.verdicts import open_nodes
from benchbook.book.parts.nodes import Folded
from benchbook.book.records.basis import MEANS, OPEN, OTHERWISE, would_decide
from benchbook.book.records.judged import Judged
from benchbook.claims import designs
from benchbook.model import Outcome


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
