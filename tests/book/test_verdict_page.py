"""The page with every claim: complete, marked for the filters, each row leading to what shows it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import shown
from docutils import nodes
from judging import CLAIMS, record
from sphinx import addnodes

from benchbook.book.pages import verdicts
from benchbook.book.pages.verdicts import VerdictPageDirective
from benchbook.book.parts import names as page_names
from benchbook.book.parts.nodes import FigureReference, Folded
from benchbook.book.parts.verdict_nodes import Filters, Strip, token, visit_filters_html, visit_strip_html
from benchbook.errors import BenchbookError
from benchbook.model import Outcome

ROOT = Path(__file__).parents[2]
CSS = (ROOT / "book" / "_static" / "benchbook.css").read_text("utf-8")
RECORD = record("L001", "wrong", "fig-a", visits=1, processors=("AMD EPYC 25-17-1",), look=1)


def page(
    root: Path, *records: dict[str, Any], chapters: tuple[str, ...] = ("hot_cold_keys",), **options: None
) -> nodes.container:
    """What the directive makes, in one node."""
    if records:
        (root / "book" / "chapters" / "verdicts.json").write_text(json.dumps(records))
    made, depends = shown.made(VerdictPageDirective, root, chapters=chapters, **options)
    assert depends == ["verdicts.json", *(Path(name).name for name in verdicts.SOURCES)]
    return made


def rows(made: nodes.Node) -> dict[str, nodes.row]:
    found = [row for body in made.findall(nodes.tbody) for row in body.children]
    return {row["ids"][0]: row for row in found}


def test_every_claim_has_one_row_in_the_section_of_its_note(ledger: Path) -> None:
    made = page(ledger, RECORD)
    assert list(rows(made)) == [f"claim-{id_}" for id_ in CLAIMS]
    for section in made.findall(nodes.section):
        note = section["ids"][0].removeprefix("note-")
        own = [f"claim-{id_}" for id_, claim in CLAIMS.items() if claim.note == note]
        assert list(rows(section)) == own
        assert section.next_node(nodes.title).astext().startswith(f"Note {note}: ")
        assert f"The {len(own)} claims of note {note}" in [each["summary"] for each in section.findall(Folded)]


def tokens(name: str, given: str | list[tuple[str, str]]) -> list[str]:
    """Those of an option, or of a group that begins with the one for all of it."""
    return [name] if isinstance(given, str) else [each for each, _ in given[1:]]


def test_a_row_is_marked_with_what_the_filters_offer(ledger: Path) -> None:
    made = page(ledger, RECORD)
    (form,) = made.findall(Filters)
    offered = {name: [each for option in options for each in tokens(*option)] for name, _, options in form["choices"]}
    assert list(offered) == ["note", "chapter", "outcome", "main", "basis", "kind"]
    for name, values in offered.items():
        counted = Counter(mark for row in rows(made).values() for mark in row["classes"] if mark in values)
        assert sum(counted.values()) == len(CLAIMS), name
        assert set(counted) == set(values), "a choice that shows nothing is not a choice"


def test_a_judged_claim_has_the_chapters_verdict_and_leads_to_its_figure(ledger: Path) -> None:
    row = rows(page(ledger, RECORD))["claim-L001"]
    assert "outcome-wrong" in row["classes"]
    assert "The ratio is 1." in row.astext()
    assert [reference["figure_id"] for reference in row.findall(FigureReference)] == ["fig-a"]


def test_a_claim_that_is_not_yet_run_names_its_planned_chapter_or_leads_to_an_existing_one(ledger: Path) -> None:
    row = rows(page(ledger))["claim-L001"]
    assert "outcome-not-yet-run" in row["classes"]
    (link,) = row.findall(addnodes.pending_xref)
    assert link["reftarget"] == "/book/chapters/hot_cold_keys"
    assert "planned chapter: Hot versus cold keys" in rows(page(ledger, chapters=()))["claim-L001"].astext()


def test_every_claim_has_a_verdict_a_planned_chapter_or_the_reason_why_there_is_none(ledger: Path) -> None:
    written = ("hot_cold_keys", "scale")
    found = rows(page(ledger, RECORD, chapters=written))
    for claim in CLAIMS.values():
        row = " ".join(found[f"claim-{claim.id}"].astext().split())
        if claim.id == "L001":
            expected = "The ratio is 1."
        elif claim.rule == "prose":
            here = "the chapter discusses it"
            expected = here if claim.chapter in written else "Its planned chapter will discuss it"
        elif claim.testable == "elsewhere":
            expected = " ".join(f"This machine cannot decide it. This needs {claim.elsewhere.rstrip('.')}.".split())
        elif claim.chapter in written:
            expected = "Its chapter is written and has no run to show yet."
        else:
            expected = "Its chapter is planned but not written yet. The rule that will decide it is already fixed."
            assert f"planned chapter: {page_names.in_words(claim.chapter)}" in row
        assert expected in row, claim.id


def counts(strip: Strip) -> list[tuple[str, str, str, int]]:
    return [count for _, bar in strip["bars"] for count in bar]


def test_the_strips_count_the_rows(ledger: Path) -> None:
    made = page(ledger, RECORD)
    main, first, *others = made.findall(Strip)
    counted = [sum(number for *_, number in counts(each)) for each in (main, first, *others)]
    assert ("measured here", "wrong", "wrong", 1) in counts(first)
    assert counted[:2] == [sum(claim.primary for claim in CLAIMS.values()), len(CLAIMS)]
    assert counted[2:] == [sum(claim.note == each["note"] for claim in CLAIMS.values()) for each in others]
    assert first["text"].startswith("441 claims: 1 measured here (1 wrong); ")


def test_what_was_recomputed_has_a_bar_of_its_own(ledger: Path) -> None:
    by_reading = next(id_ for id_, claim in CLAIMS.items() if claim.testable == "by_reading" and claim.note == "000")
    made = page(ledger, RECORD, RECORD | {"claim_id": by_reading, "chapter": "notes_reanalysis"})
    strip = next(each for each in made.findall(Strip) if each["note"] == "000")
    measured, recomputed, _ = strip["bars"]
    assert measured == ("measured here or decided by construction", [("measured here", "wrong", "wrong", 1)])
    of_text = "recomputed from the note's own text"
    assert recomputed == ("from the notes' own reports and numbers", [(of_text, "wrong", "wrong", 1)])
    html, mark = shown.html(visit_strip_html, strip), "basis-recomputed-from-the-note-s-own-text"
    assert f'class="outcome-wrong {mark}"' in html
    assert f'data-basis="{mark}"' in html
    assert mark in rows(made)[f"claim-{by_reading}"]["classes"]
    assert f".benchbook-bar .{mark},\n" in CSS


def test_an_amendment_is_shown_beside_the_verdict_and_its_new_value_counts(ledger: Path) -> None:
    old = CLAIMS["L001"].margin
    line = f"L001,margin,{old:g},0.2,2026-03-01,The margin was too small.,no\n"
    with (ledger / "data" / "claims-amendments.csv").open("a") as file:
        file.write(line)
    row = rows(page(ledger))["claim-L001"]
    (folded,) = (each for each in row.findall(Folded) if "Amended" in each["summary"])
    assert f"margin was “{old:g}”, is “0.2”. The margin was too small." in folded.astext()


def test_a_verdict_on_a_claim_that_is_not_in_the_ledger_fails_the_page(ledger: Path) -> None:
    with pytest.raises(BenchbookError, match="judges X001"):
        page(ledger, RECORD | {"claim_id": "X001"})


def test_the_counts_alone_say_once_what_the_claims_are(ledger: Path) -> None:
    made = page(ledger, RECORD, counts=None)
    assert made.astext().startswith(f"The ledger has {len(CLAIMS)} claims: ")
    assert not list(made.findall(Strip))
    assert made.astext() in page(ledger).astext(), "and so does the page of claims"


def test_the_main_claims_alone_are_a_strip(ledger: Path) -> None:
    made = page(ledger, RECORD, main=None)
    (strip,) = made.findall(Strip)
    assert sum(number for *_, number in counts(strip)) == sum(claim.primary for claim in CLAIMS.values())
    assert "main claims" in made.astext()
    assert 'data-main="main-yes"' in shown.html(visit_strip_html, strip)
    assert not list(made.findall(nodes.table))


def test_a_strip_says_its_numbers_in_words_and_in_its_labels(ledger: Path) -> None:
    _, strip, *_ = page(ledger, RECORD).findall(Strip)
    html = shown.html(visit_strip_html, strip)
    assert 'role="img" aria-label="1 claim measured here or decided by construction: 1 wrong"' in html
    assert html.count('role="img"') == len(strip["bars"]) == 2
    for basis, outcome, words, number in counts(strip):
        assert f"{number}&nbsp;{words}</span>" in html
        marks = " ".join([token("outcome", outcome), *([token("basis", basis)] if basis else [])])
        assert f'class="{marks}" style="flex-grow: {number}"' in html


def test_claims_that_are_open_are_chosen_together_or_by_the_reason(ledger: Path) -> None:
    given = {"L001": "open: one visit", "L002": "open: host", "L003": "holds"}
    made = page(ledger, *(RECORD | {"claim_id": claim, "outcome": outcome} for claim, outcome in given.items()))
    (form,) = made.findall(Filters)
    choices = {name: options for name, _, options in form["choices"]}["outcome"]
    open_ = [("", "open, for any reason"), ("-one-visit", "open: one visit"), ("-host", "open: host")]
    grouped = [(f"outcome-open{mark}", words) for mark, words in open_]
    assert choices[:2] == [("outcome-holds", "holds"), ("Open", grouped)]
    assert '<optgroup label="Open"><option value="outcome-open">' in shown.html(visit_filters_html, form)
    found = [claim for claim, row in rows(made).items() if "outcome-open" in row["classes"]]
    assert found == ["claim-L001", "claim-L002"]


def test_every_outcome_has_a_mark_of_its_own() -> None:
    assert len({token("outcome", str(outcome)) for outcome in Outcome}) == len(Outcome)
    for outcome in Outcome:
        assert f".benchbook-bar .{token('outcome', str(outcome))},\n" in CSS, "every part of the bar is drawn"
