"""A chapter with a page: its figures get the page's words, and its lesson has no sentence of which nothing is left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar

import pandas as pd
import plotly.graph_objects as go
import pytest

from benchbook.errors import BenchbookError
from benchbook.experiments.shape import telling
from benchbook.experiments.shape.metrics import Metric
from benchbook.experiments.shape.paged import Paged
from benchbook.experiments.shape.summary import Keeping, NotEstimableError
from benchbook.experiments.shape.written import Front, Headlined, Page, Titled
from benchbook.figures import Figure

PAGE = Page(Front(ids="fig-x", figure="of_times", title="T", advice="A."), figures={"of_times": Titled("Times", ())})


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
    whole = Figure("fig-y", "C.", "A.", go.Figure(), pd.DataFrame({"n": [1]}), "r", title="T")
    assert paged.figure("of_times", lambda summary: whole)(None) is whole


def test_a_table_may_be_written_in_the_page_with_the_numbers_of_a_run() -> None:
    rows = ("| setting | here |", "| rows | {{ 1000|n }} |", "| by | {% if many %}many{% endif %} |")
    paged = Paged(
        replace(PAGE, tables={"all": Titled("All", (rows,))}), SimpleNamespace(NUMBERS={}, WORDS={"many": bool})
    )
    found = paged.table(Keeping(), "all")
    assert found.index.name == "setting"
    assert found["here"].to_dict() == {"rows": "1,000", "by": "many"}


def test_a_sentence_of_the_lesson_of_which_nothing_is_left_is_none() -> None:
    page = replace(
        PAGE, parts={"lesson": (("{% if many %}Many.{% endif %}", "Few."),)}, headlines=(Headlined("001", "{{ few }}"),)
    )
    paged = Paged(page, SimpleNamespace(NUMBERS={}, WORDS={"many": lambda summary: False, "few": lambda summary: ""}))
    teaching = paged.teaching
    assert telling.filled(*(partial(each, Keeping()) for each in teaching.besides)) == ["Few."]
    assert telling.filled(*(partial(each, Keeping()) for each in teaching.headlines)) == []


class Summary(Keeping):
    parameters = SimpleNamespace(scale=1_250)
    run = SimpleNamespace(provenance={"engine_version": "18.6", "codec": None})
    METRICS: ClassVar = {"reads": Metric("number of reads", heading="reads")}
    arms = ("a", "b", "c")
    configurations: ClassVar = {name: SimpleNamespace(group="apart" if name == "b" else "") for name in arms}

    def label(self, arm: str) -> str:
        return arm.upper()

    def has(self, arm: str, metric: str) -> bool:
        return arm == "a"

    def mean(self, arm: str, metric: str) -> float:
        return 4.0

    def level(self, arm: str, metric: str) -> Any:
        raise NotEstimableError("it was not measured", "measure it")


def shown(*lines: str) -> pd.DataFrame:
    page = replace(PAGE, tables={"t": Titled("T", (lines,))})
    return Paged(page, SimpleNamespace(NUMBERS={})).table(Summary(), "t")


def test_a_table_whose_rows_stand_in_the_page_says_of_what_the_run_lacks_that_it_is_unknown() -> None:
    found = shown(
        "| what | note | here |", "| server | 16 | {{ record.engine_version }} |",
        "| codec | lz4 | {{ record.codec }} |", "| scale | 10 | {{ p.scale|n }} |",
        "| file system | XFS |  |",
    )  # fmt: skip
    assert found["here"].to_dict() == {"server": "18.6", "codec": "unknown", "scale": "1,250", "file system": ""}
    assert list(found.columns) == ["note", "here"]
    with pytest.raises(BenchbookError, match="has 1 cells below 2 headings"):
        shown("| what | here |", "| server |")


def test_a_table_of_configurations_leaves_out_a_group_and_says_what_a_cell_without_a_number_says() -> None:
    found = shown("levels else not estimable: reads", "means: reads", "without: apart")
    assert list(found.index) == ["A", "C"]
    assert shown("means: reads")["reads"].to_dict() == {"A": "4", "B": "", "C": ""}
    assert set(shown("levels else not estimable: reads")["reads"]) == {"not estimable"}
