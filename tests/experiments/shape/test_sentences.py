"""Sentences with named numbers: filled, left out where the run has none, and misspelt names found."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from made_up import front

from benchbook.claims import Quantity
from benchbook.drawing.drawn import Blank, Drawn
from benchbook.errors import BenchbookError
from benchbook.experiments.paged import Paged
from benchbook.figures.filling import spared, wanted
from benchbook.figures.prose import in_letters, listed
from benchbook.model import Estimate
from benchbook.numbers import judging
from benchbook.numbers.claim_sides import Side, Turn
from benchbook.numbers.estimands import Estimand
from benchbook.numbers.quantities import Number, Told, departing, on_hosts, percent
from benchbook.numbers.summary import Keeping, NotEstimableError
from benchbook.pages.names import NOTHING, Names, Template, asked, said
from benchbook.pages.page import Claimed, Page, Titled, Turned

computed: list[str] = []


def of(name: str, point: float) -> Estimand:
    def compute(summary: Any) -> Estimate:
        computed.append(name)
        return Estimate(point, point / 2, point * 2, 8, "t", 0.95)

    return Estimand(compute, Quantity.COUNTER)


def missing(summary: Any) -> Estimate:
    raise NotEstimableError("it was not measured", "measure it")


MODULE = SimpleNamespace(
    NUMBERS={"gain": of("gain", 2.0), "hits": percent(of("hits", 0.25)), "lost": Estimand(missing, Quantity.COUNTER)},
    WORDS={"how": lambda summary: "by hand"},
)
OTHERS = {
    "held": lambda summary: np.array([0.5, 0.125, 0.25]), "lacks": lambda summary: False,
    "each": lambda summary: [Estimate(2.0, 1.0, 4.0, 8, "t", 0.95)],
}  # fmt: skip
TIMES = {"short": of("short", 25.0), "long": of("long", 2_500.0)}
NAMES = Names(SimpleNamespace(NUMBERS=MODULE.NUMBERS | TIMES, WORDS=MODULE.WORDS | OTHERS))


class Summary(Keeping):
    parameters = SimpleNamespace(rows=10_000)
    run = SimpleNamespace(id="r")
    arms = ("a", "b")

    def label(self, arm: str) -> str:
        return f"arm {arm}"


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("It is {{ gain }} times with {{ hits }} % of {{ p.rows|n }} rows.",
         "It is 2.00 [1.00, 4.00] times with 25.0 [12.5, 50.0] % of 10,000 rows."),
        ("{{ label.b }} is it.", "arm b is it."),
        ("{{ held|spanned }}, {{ held|spanned('{:.0f}') }}.", "12.5% to 50.0%, 0."),
        ("It is {{ each[0]|interval }}.", "It is 2.00 [1.00, 4.00]."),
        ("{{ short|spoken }}, {{ long|spoken }}.", "25.0 [12.5, 50.0] ns, 2.50 [1.25, 5.00] µs."),
        ("{{ hits.point|digits }} to {{ hits.high|digits }} %", "25.0 to 50.0 %"),
        ("It is {% if gain.low > 3 %}much{% elif gain.high > 3 %}perhaps{% else %}not{% endif %} faster.",
         "It is perhaps faster."),
        ("It is {{ lost }}.", NOTHING),
        ("It is {{ gain }}{% if lost is defined %}, and {{ lost }}{% else %} alone{% endif %}.",
         "It is 2.00 [1.00, 4.00] alone."),
        ("{% if lacks %}It lacks a cap.{% else %}<!-- nothing to say -->{% endif %}", ""),
    ],
)  # fmt: skip
def test_a_sentence_is_filled_with_what_it_names(sentence: str, text: str) -> None:
    assert said(Summary(), NAMES, ((sentence,),)) == text


def test_numbers_of_a_run_that_departs_say_so() -> None:
    given = departing(lambda summary: "too short", {"gain": of("gain", 2.0), "hits": percent(of("hits", 0.25))})
    assert [each.factor for each in given.values()] == [1, 100]
    assert {each.estimand.departs(Summary()) for each in given.values() if each.estimand.departs} == {"too short"}


def test_a_sentence_that_the_run_cannot_fill_is_left_out() -> None:
    paragraphs = (("It is {{ gain }}.", "It is {{ lost }}.", "So {{ how }}."), ("And {{ lost }}.",))
    assert said(Summary(), NAMES, paragraphs) == "It is 2.00 [1.00, 4.00]. So by hand."


def test_a_sentence_may_do_without_a_number() -> None:
    assert spared("{% if lost is defined %}, {{ lost }}{% endif %}{% if hits is defined %} and{% endif %}.") == {
        "lost", "hits",
    }  # fmt: skip


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
    with pytest.raises(BenchbookError, match="no number is called 'lots'"):
        said(Summary(), NAMES, (("{% if lots is defined %}{{ lots }}{% endif %}",),))
    with pytest.raises(BenchbookError, match="cannot be read"):
        wanted("{{ gain")


def test_paragraphs_are_apart_and_lists_stay_lists() -> None:
    assert said(Summary(), NAMES, (("A.", "B."), ("C.",))) == "A. B.\n\nC."
    assert said(Summary(), NAMES, (("- A.", "- B {{ lost }}.", "- {{ how }}."),)) == "- A.\n- by hand."


def test_the_words_of_a_figure_take_what_the_figure_knows() -> None:
    made = Template(NAMES, "Of {{ n }} rows, {{ how }}; {{ gain }}.")
    assert made(Summary(), {"n": 3}) == "Of 3 rows, by hand; 2.00 [1.00, 4.00]."
    assert Template(NAMES, "Of {{ n }}.\nIt is {{ lost }}.\nSo.")(Summary(), {"n": 3}) == "Of 3. So."


def test_counts_stand_in_letters_and_things_with_an_and_before_the_last() -> None:
    own = {"every": [SimpleNamespace(tps=7_000.4), SimpleNamespace(tps=9_000.0)]}
    words = "{{ every|length|letters|capitalize }} have {{ every|map(attribute='tps')|map('n')|listed }}."
    assert NAMES.filled(Summary(), words, own=own) == "Two have 7,000 and 9,000."
    assert NAMES.filled(Summary(), "{{ each|map('g')|join(' or ') }}", own={"each": [0.5, 2.0]}) == "0.5 or 2"
    assert (listed(["a"]), listed("abc")) == ("a", "a, b and c")
    assert [in_letters(count) for count in (0, 9, 12)] == ["no", "nine", "12"]


def test_a_ratio_of_rates_says_where_it_tells_no_direction() -> None:
    estimate = Estimate(1.1, 0.9, 1.3, 8, "t", 0.95)
    assert Told(estimate).compared == "1.10 [0.900, 1.30], which does not tell which is faster"
    assert Told(replace(estimate, low=1.05)).compared == "1.10 [1.05, 1.30]"


def test_a_number_that_depends_on_the_host_is_told_of_each_and_ends_where_the_outermost_does() -> None:
    each = [Estimate(point, point / 2, point * 2, 8, "t", 0.95) for point in (0.2, 0.9)]
    hosts = dict(zip(("one", "other"), each, strict=True))
    told = Told(Estimate(0.5, 0.25, 1.0, 16, "t", 0.95), 100.0, hosts=hosts, unit=" %")
    assert str(told) == "20.0 [10.0, 40.0] % on one and 90.0 [45.0, 180] % on other"
    assert (told.low, told.point, told.high) == (10, 50, 180)
    assert str(Told(told.estimate, 100.0, unit=" %")) == "50.0 [25.0, 100] %"
    given = percent(of("x", 1.0))
    assert on_hosts(given, " %") == Number(given.estimand, 100.0, by_host=True, unit=" %")


def test_a_function_draws_and_the_page_has_the_words() -> None:
    titled = Titled("All", (("{{ gain }}, {{ intervals }}.",),), "Seen: {{ said }} {{ how }}.")
    paged = Paged(Page(front(), figures={"all": titled}), MODULE)
    estimate = Estimate(2.0, 1.0, 4.0, 8, "made up", 0.95)
    drawn = Drawn(go.Figure(), pd.DataFrame({"a": [1]}), "it", [estimate], run_id="r")
    found = paged.figure("all", lambda summary: drawn)(Summary())
    assert (found.id, found.title, found.run_id, found.interval) == ("fig-x-all", "All", "r", "95 % made up")
    assert found.caption == "2.00 [1.00, 4.00], 95 % intervals."
    assert found.alt == "Seen: it by hand."
    narrow = replace(drawn, origin="two trials")
    found = paged.figure("all", lambda summary: narrow)(Summary())
    assert (found.interval, found.origin) == ("95 % made up", "two trials")
    nothing = paged.figure("all", lambda summary: Blank("Nothing was timed", "measure"))(Summary())
    assert (nothing.blank, nothing.caption) == (True, "All: nothing was timed.")
    with pytest.raises(BenchbookError, match="no words for the figure 'other'"):
        paged.figure("other", lambda summary: drawn)(Summary())


def test_a_claim_is_judged_by_what_the_notes_own_report_shows_of_it() -> None:
    claims = {each: Claimed(number="gain") for each in ("X1", "X2")}
    reported = SimpleNamespace(**vars(MODULE), REPORTS={"X2": lambda: None})
    first, second = Paged(Page(front(claims=claims)), reported).answers.given
    assert first.estimand.report is None
    assert second.estimand.report is reported.REPORTS["X2"]


@pytest.mark.parametrize("outcome", [Side.ABOVE, Side.OPEN])
def test_the_title_of_a_side_may_name_numbers(outcome: Side, monkeypatch: pytest.MonkeyPatch) -> None:
    turned = Turned(by="X1", above="Gains {{ gain }}", below="B", open="So {{ how }}")
    page = Page(front(title=turned), parts={"advice": (("Do it.",),)})
    assert asked(page) == {"gain", "how"}
    monkeypatch.setattr(judging, "verdicts", lambda summary: [])
    monkeypatch.setattr(Turn, "title", lambda turn, verdicts: getattr(turn, outcome))
    title = Paged(page, MODULE).teaching.title
    assert title(Summary()) == {Side.ABOVE: "Gains 2.00 [1.00, 4.00]", Side.OPEN: "So by hand"}[outcome]
