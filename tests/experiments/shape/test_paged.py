"""A figure that a function draws takes its words from the page; one of which the page has none says them itself."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from benchbook.errors import BenchbookError
from benchbook.experiments.shape.paged import Paged, Words
from benchbook.experiments.shape.summary import Keeping, NotEstimableError
from benchbook.experiments.shape.written import read
from benchbook.figures import Figure

PAGE = """---
ids: fig-a
figure: one
title: A title
advice: Do it.
---
# figure one: What it shows
Of {{ n }} rows, {{ how }}.
Missing: {{ lost }}.
# alt one
In words, {{ how }}.
# headline 002
{% if how == "by machine" %}It is so.{% endif %}
"""


def lost(summary: Any) -> str:
    raise NotEstimableError("it was not measured", "measure it")


class Summary(Keeping):
    run = SimpleNamespace(id="r")


@pytest.fixture
def paged(tmp_path: Path) -> Paged:
    (tmp_path / "page.md").write_text(PAGE)
    module = SimpleNamespace(NUMBERS={}, WORDS={"how": lambda summary: "by hand", "lost": lost})
    return Paged(read(tmp_path / "page.md"), module)


def drawn(summary: Any, words: Words) -> Figure:
    return words.figure(summary, go.Figure(), pd.DataFrame({"x": [1]}), interval="95 % t", n=3)


def test_a_function_draws_and_the_page_says(paged: Paged) -> None:
    figure = paged.figure("one", drawn)(Summary())
    assert (figure.id, figure.title, figure.run_id, figure.interval) == ("fig-a-one", "What it shows", "r", "95 % t")
    assert (figure.caption, figure.alt) == ("Of 3 rows, by hand.", "In words, by hand.")


def test_a_blank_figure_has_the_title_of_the_page(paged: Paged) -> None:
    figure = paged.figure("one", lambda summary, words: words.blank(summary, "Nothing was timed", "measure"))(Summary())
    assert figure.blank
    assert figure.caption == "What it shows: nothing was timed."


def test_a_function_of_which_the_page_says_nothing_is_left_alone(paged: Paged) -> None:
    assert paged.figure("other", lost) is lost


def test_a_headline_without_words_is_no_headline(paged: Paged) -> None:
    [headline] = paged.lesson.LESSON.headlines
    with pytest.raises(BenchbookError, match="this run does not show"):
        headline(Summary())
