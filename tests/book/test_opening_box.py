"""The box at the top of a chapter's page."""

from docutils import nodes

from benchbook.book.parts import opening_box
from benchbook.book.parts.nodes import SiteLink
from benchbook.figures import Finding, Opening
from benchbook.model import Outcome

CLAIM = Finding("O001", "004", Outcome.CONTRADICTED, "it is twice as fast", "it is 0.5 [0.4, 0.6] times as fast")
MEASURED = Opening(
    "scale",
    "It shrinks",
    (CLAIM, "No row was in a file."),
    "fig-a",
    "benchbook run scale",
    "6 blocks",
    "A minute: small stores.",
    "Measure it by `doctor`.",
    "Note 004: it grows.",
    "6 blocks.",
)


def test_the_box_says_what_was_claimed_what_was_seen_and_how_to_measure_it_again() -> None:
    [box] = opening_box.shown(MEASURED.record())
    lines = [each.astext() for each in box.children]
    assert box["classes"] == ["benchbook-answer"]
    assert lines[:2] == ["What was claimed: Note 004: it grows.", "It shrinks."]
    assert "Note 004 says that it is twice as fast. Wrong: it is 0.5 [0.4, 0.6] times as fast (" in lines[2]
    assert "No row was in a file." in lines[2]
    [link] = box.findall(SiteLink)
    assert (link["path"], link["words"]) == ("book/verdicts.html#claim-O001", "claim O001")
    assert lines[3:5] == ["How sure: 6 blocks.", "What to do: Measure it by doctor."]
    assert [each.astext() for each in box.children[4].findall(nodes.literal)] == ["doctor"], "code is set as such"
    assert lines[5].endswith("shows it. Measure it again: benchbook run scale (6 blocks).")
    assert lines[6] == "A first look: benchbook run scale --profile quick. A minute: small stores."


def test_a_chapter_that_measures_nothing_has_no_command() -> None:
    [box] = opening_box.shown(Opening("cost", "It is", (), "fig-a", "", "Computed with every build").record())
    assert [each.astext() for each in box.children] == ["It is.", " shows it. Computed with every build."]
