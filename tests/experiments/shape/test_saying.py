"""Sentences with named numbers: filled, left out where the run has none, and misspelt names found."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.experiments.shape.estimands import Estimand
from benchbook.experiments.shape.named import Number, Told, percent
from benchbook.experiments.shape.saying import NOTHING, Names, Template, said, wanted
from benchbook.experiments.shape.summary import Keeping, NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate

computed: list[str] = []


def of(name: str, point: float) -> Estimand:
    def compute(summary: Any, confidence: float) -> Estimate:
        computed.append(name)
        return Estimate(point, point / 2, point * 2, 8, "t", confidence)

    return Estimand(compute, Quantity.COUNTER)


def missing(summary: Any, confidence: float) -> Estimate:
    raise NotEstimableError("it was not measured", "measure it")


MODULE = SimpleNamespace(
    NUMBERS={"gain": of("gain", 2.0), "hits": percent(of("hits", 0.25)), "lost": Estimand(missing, Quantity.COUNTER)},
    WORDS={"how": lambda summary: "by hand"},
)
NAMES = Names(MODULE)


class Summary(Keeping):
    parameters = SimpleNamespace(rows=10_000)
    arms = ("a", "b")


def test_a_number_has_its_interval_in_its_unit() -> None:
    text = said(Summary(), NAMES, (("It is {{ gain }} times with {{ hits }} % of {{ p.rows|n }} rows.",),))
    assert text == "It is 2.00 [1.00, 4.00] times with 25.0 [12.5, 50.0] % of 10,000 rows."


def test_its_ends_stand_alone_and_in_conditions() -> None:
    summary = Summary()
    assert said(summary, NAMES, (("{{ hits.point|digits }} to {{ hits.high|digits }} %",),)) == "25.0 to 50.0 %"
    sentence = "It is {% if gain.low > 3 %}much{% elif gain.high > 3 %}perhaps{% else %}not{% endif %} faster."
    assert said(summary, NAMES, ((sentence,),)) == "It is perhaps faster."


def test_a_sentence_that_the_run_cannot_fill_is_left_out() -> None:
    paragraphs = (("It is {{ gain }}.", "It is {{ lost }}.", "So {{ how }}."), ("And {{ lost }}.",))
    assert said(Summary(), NAMES, paragraphs) == "It is 2.00 [1.00, 4.00]. So by hand."
    assert said(Summary(), NAMES, (("It is {{ lost }}.",),)) == NOTHING


def test_a_sentence_may_ask_whether_the_run_has_a_number() -> None:
    sentence = "It is {{ gain }}{% if lost is defined %}, and {{ lost }}{% else %} alone{% endif %}."
    assert said(Summary(), NAMES, ((sentence,),)) == "It is 2.00 [1.00, 4.00] alone."
    with pytest.raises(BenchbookError, match="no number is called 'lots'"):
        said(Summary(), NAMES, (("{% if lots is defined %}{{ lots }}{% endif %}",),))


def test_a_number_is_computed_once_for_a_summary() -> None:
    computed.clear()
    summary = Summary()
    for _ in range(3):
        said(summary, NAMES, (("{{ gain }} and {{ gain.low }}",),))
    assert computed == ["gain"]
    said(Summary(), NAMES, (("{{ gain }}",),))
    assert computed == ["gain", "gain"]


def test_a_misspelt_name_is_an_error_and_no_sentence_less() -> None:
    with pytest.raises(BenchbookError, match=r"no number is called 'gian'.*gain"):
        said(Summary(), NAMES, (("It is {{ gian }}.",),))
    with pytest.raises(BenchbookError, match="cannot be read"):
        wanted("{{ gain")


def test_paragraphs_are_apart_and_lists_stay_lists() -> None:
    assert said(Summary(), NAMES, (("A.", "B."), ("C.",))) == "A. B.\n\nC."
    assert said(Summary(), NAMES, (("- A.", "- B {{ lost }}.", "- {{ how }}."),)) == "- A.\n- by hand."


def test_the_words_of_a_figure_take_what_the_figure_knows() -> None:
    made = Template(NAMES, "Of {{ n }} rows, {{ how }}; {{ gain }}.")
    assert made(Summary(), {"n": 3}) == "Of 3 rows, by hand; 2.00 [1.00, 4.00]."
    assert Template(NAMES, "Of {{ n }}.\nIt is {{ lost }}.\nSo.")(Summary(), {"n": 3}) == "Of 3. So."


def test_a_number_is_written_as_is_asked_for() -> None:
    told = Told(Estimate(1.0, 1.0, 1.0, 8, "t", 0.95), 1.0, lambda estimate, factor: f"<{estimate.point}>")
    assert str(told) == "<1.0>"
    assert Number(of("x", 1.0)).factor == 1
    assert Told(Estimate(1.0, 1.0, 1.0, 8, "t", 0.95)).spell is with_interval
