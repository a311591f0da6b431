"""A chapter with a page: its figures get the page's words, and its lesson has no sentence of which nothing is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from made_up import front

from benchbook.experiments.paged import Paged
from benchbook.figures import Figure
from benchbook.numbers.summary import Keeping
from benchbook.pages import prose
from benchbook.pages.page import Page, Titled

PAGE = Page(front(figure="of_times"), figures={"of_times": Titled("Times", ())})
WHOLE = Figure("fig-y", "C.", "A.", go.Figure(), pd.DataFrame({"n": [1]}), "r", title="T")


@dataclass(frozen=True)
class Described:
    rows: str
    id: str = ""
    title: str = ""
    caption: Any = None

    def __call__(self, summary: Any) -> Described:
        return self


def test_a_figure_gets_the_words_of_the_page_also_where_a_function_describes_it_for_a_run() -> None:
    paged = Paged(PAGE, SimpleNamespace(NUMBERS={}))
    for draw in (Described("all"), lambda summary: Described(summary)):
        drawn = paged.figure("of_times", draw)("all")
        assert (drawn.id, drawn.title, drawn.rows) == ("fig-x-of-times", "Times", "all")
    assert paged.figure("of_times", lambda summary: WHOLE)(None) is WHOLE


def test_a_figure_is_headed_by_the_first_of_its_findings_that_the_run_can_fill() -> None:
    findings = ("Missing {{ unknown }}", "{% if not many %}Many{% endif %}", "It is {{ many }}", "Else")
    page = replace(PAGE, figures={"of_times": Titled("Times", (), findings=findings)})
    paged = Paged(page, SimpleNamespace(NUMBERS={}, WORDS={"many": lambda summary: "three"}))
    assert paged.figure("of_times", lambda summary: WHOLE)(Keeping()).finding == "It is three"
    assert paged.figure("of_times", lambda summary: replace(WHOLE, blank=True))(Keeping()).finding == ""


def test_a_table_may_be_written_in_the_page_with_the_numbers_of_a_run() -> None:
    rows = (
        "| setting | here |",
        "| rows | {{ 1000|n }} |",
        "| no | {% if not many %}1{% endif %} |",
        "{% for each in many %}",
        "| {{ each }} | {% if each %}{{ each * 2 }}{% endif %} |",
        "{% endfor %}",
        "| last |  |",
    )
    words = {"many": lambda summary: ["a | b", "c"]}
    paged = Paged(replace(PAGE, tables={"all": Titled("All", (rows,))}), SimpleNamespace(NUMBERS={}, WORDS=words))
    found = paged.table(Keeping(), "all")
    assert found.index.name == "setting"
    assert found["here"].to_dict() == {"rows": "1,000", "no": "", "a | b": "a | ba | b", "c": "cc", "last": ""}


def test_a_sentence_of_the_lesson_of_which_nothing_is_left_is_none() -> None:
    page = replace(PAGE, parts={"lesson": (("{% if many %}Many.{% endif %}", "Few."),), "advice": (("Do it.",),)})
    paged = Paged(page, SimpleNamespace(NUMBERS={}, WORDS={"many": lambda summary: False, "few": lambda summary: ""}))
    teaching = paged.teaching
    assert prose.filled(*(partial(each, Keeping()) for each in teaching.besides)) == ["Few."]
