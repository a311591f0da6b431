"""What is wrong with a figure stops the build, and the message says where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from benchbook.book.assembly.chapter_plan import Shown, plan
from benchbook.book.assembly.chapters import execute_all
from benchbook.book.assembly.progress import Progress
from benchbook.book.records import chapter_figures
from benchbook.errors import BenchbookError
from benchbook.figures import MIME_TYPE

ROOT = Path(__file__).parents[2]
WriteNotebook = Callable[..., Path]
SHOW = """
import pandas as pd
import plotly.graph_objects as go
from benchbook.figures import Figure
Figure({identity!r}, {caption!r}, {alt!r}, go.Figure(), pd.DataFrame({{"x": {data!r}}}), "", title={title!r})
"""


def show(
    identity: str = "fig-a",
    caption: str = "Caption.",
    alt: str = "Alt.",
    data: tuple[int, ...] = (1,),
    title: str = "T",
) -> str:
    return SHOW.format(identity=identity, caption=caption, alt=alt, data=list(data), title=title)


@pytest.fixture
def root(small_root: Path) -> Path:
    whole = (ROOT / "CITATION.cff").read_text("utf-8")
    dated = "" if "\ndate-released:" in whole else "date-released: 2026-01-02\n"
    (small_root / "CITATION.cff").write_text(dated + whole)
    (small_root / "_config.yml").write_text("html:\n  baseurl: https://example.org/book/\n")
    return small_root


def execute(root: Path) -> list[Path]:
    return execute_all(root, plan(root, Shown()), edition=False, progress=Progress(quiet=True))


def test_one_id_in_two_chapters_stops_the_build_and_both_are_named(root: Path, write_notebook: WriteNotebook) -> None:
    for name in ("one", "two"):
        write_notebook(name, "size = 1", show())
    with pytest.raises(BenchbookError, match="two figures have the id fig-a: one in one, one in two"):
        execute(root)
    assert not (root / "book" / "chapters" / "figures.json").exists()


def test_a_figure_without_title_caption_alternative_text_or_data_stops_the_build(
    root: Path, write_notebook: WriteNotebook
) -> None:
    write_notebook("one", "size = 1", show(caption=" "))
    write_notebook("two", "size = 1", show(alt=""))
    write_notebook("three", "size = 1", show(data=()))
    write_notebook("four", "size = 1", show(title=""))
    with pytest.raises(BenchbookError) as caught:
        execute(root)
    for name, lacking in (("one", "caption"), ("two", "alt"), ("three", "data"), ("four", "title")):
        (line,) = (line for line in caught.value.problem.splitlines() if f"notebooks/{name}.ipynb" in line)
        assert f"figure fig-a has no {lacking}" in line


@pytest.mark.parametrize("lacking", ["title", "caption", "alt", "data"])
def test_a_record_that_a_notebook_made_by_hand_is_held_to_the_same(root: Path, tmp_path: Path, lacking: str) -> None:
    data = {"columns": ["x"], "data": [[1]]}
    record = {"id": "fig-a", "title": "T", "caption": "C.", "alt": "A.", "run_id": "", "plot": {}, "data": data}
    output = nbformat.v4.new_output(
        "display_data", data={MIME_TYPE: record | {lacking: {} if lacking == "data" else ""}}
    )
    cells = [nbformat.v4.new_markdown_cell("# One"), nbformat.v4.new_code_cell("", outputs=[output])]
    path = tmp_path / "one.ipynb"
    path.write_text(json.dumps(nbformat.v4.new_notebook(cells=cells)))
    with pytest.raises(BenchbookError, match=f"figure fig-a in one has no {lacking}"):
        chapter_figures.of_chapters(root, [path])
