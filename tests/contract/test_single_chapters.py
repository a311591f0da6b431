"""What single chapters make of their run or of the notes: quoted readings, tables of figures, claims by unit."""

from collections.abc import Callable
from typing import Any

import pytest
from asking import Made

from benchbook import lab, notes
from benchbook.claims import chapter_claims, load_claims
from benchbook.drawing.claim_figure import ClaimFigure
from benchbook.experiments import parts


@pytest.mark.parametrize(("chapter", "note"), [("cliff_reanalysis", "002"), ("rounds_reanalysis", "003")])
def test_the_readings_are_of_claims_of_the_note_and_quote_them(
    chapter: str, note: str, of: Callable[[str], Made]
) -> None:
    found = lab.experiment(chapter).table(of(chapter).summary, "readings")
    assert len(found)
    for claim, words in found["the note"].items():
        assert load_claims()[str(claim)].quote in words
        assert load_claims()[str(claim)].note == note


@pytest.mark.parametrize("chapter", ["cliff_reanalysis", "notes_reanalysis", "rounds_reanalysis"])
def test_every_figure_names_the_tables_that_it_shows(chapter: str, of: Callable[[str], Made]) -> None:
    sources = parts.module(lab.experiment(chapter).package).SOURCES
    drawn = of(chapter).figures
    assert {name: figure.run_id for name, figure in drawn.items()} == {
        name: notes.run_id(*tables) for name, tables in sources.items()
    }
    assert [name for name, figure in drawn.items() if not figure.finding] == []


def test_a_chapters_figure_shows_its_claims_in_the_units_and_of_the_answers_that_are_asked_for(
    of: Callable[[str], Made],
) -> None:
    claims, measured, summary = chapter_claims("cache_sizing"), "B023", of("cache_sizing").summary

    def shown(**settings: Any) -> set[str]:
        figure = ClaimFigure(id="fig-a", **settings)(summary)
        return set(figure.data["claim"])

    ratios, fractions = shown(), shown(units=("fraction",))
    assert all(claims[name].unit == "ratio" for name in ratios)
    assert measured in ratios
    assert fractions
    assert shown(units=("ratio", "fraction")) == ratios | fractions
    assert shown(only=lambda answer: answer.claim == measured) == {measured}
