"""What a function draws gets the words of the page, also where there is nothing to draw."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from benchbook.drawing.drawn import Blank, Drawn
from benchbook.errors import BenchbookError
from benchbook.experiments.paged import Paged
from benchbook.model import Estimate
from benchbook.numbers.summary import Keeping, NotEstimableError
from benchbook.pages.page import read

PAGE = """---
subject: S
question: Q?
ids: fig-a
figure: one
title: A title
---
:::{figure} one
---
title: What it shows
alt: In words, {{ how }}.
---
Of {{ n }} rows, {{ how }}.
Missing: {{ lost }}.
:::
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


def test_a_function_draws_and_the_page_says(paged: Paged) -> None:
    estimate = Estimate(2.0, 1.0, 4.0, 8, "t", 0.95)
    drawn = Drawn(go.Figure(), pd.DataFrame({"x": [1]}), estimates=[estimate], own={"n": 3})
    figure = paged.figure("one", lambda summary: drawn)(Summary())
    assert (figure.id, figure.title, figure.run_id, figure.interval) == ("fig-a-one", "What it shows", "r", "95 % t")
    assert (figure.caption, figure.alt) == ("Of 3 rows, by hand.", "In words, by hand.")


def test_a_blank_figure_has_the_title_of_the_page(paged: Paged) -> None:
    figure = paged.figure("one", lambda summary: Blank("Nothing was timed", "measure"))(Summary())
    assert figure.blank
    assert figure.caption == "What it shows: nothing was timed."


def test_what_is_drawn_without_words_is_an_error(paged: Paged) -> None:
    with pytest.raises(BenchbookError, match="no words for the figure 'two'"):
        paged.figure("two", lambda summary: Blank("Nothing was timed", "measure"))(Summary())
