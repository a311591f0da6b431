"""The rendered book holds what a reader can use: each thing once, and nothing that only the theme's makers need."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchbook.book.parts import markup
from benchbook.figures import MIME_TYPE, VERDICTS_MIME_TYPE

PLOTLY = "application/vnd.plotly.v1+json"


def test_a_saved_notebook_has_drawings_and_tables_and_not_what_only_the_book_draws(tmp_path: Path) -> None:
    bundles = [
        {MIME_TYPE: {"plot": {}}, PLOTLY: {"data": [], "layout": {"title": "µ"}}, "text/plain": "Figure"},
        {VERDICTS_MIME_TYPE: [{"claim_id": "R001"}], "text/html": "<table></table>", "text/plain": "R001"},
    ]
    outputs = [new_output("display_data", data=each) for each in bundles]
    outputs.append(new_output("stream", text="said"))
    path = tmp_path / "_sources" / "book" / "chapters" / "a.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[new_markdown_cell("# A"), new_code_cell("x", outputs=outputs)]), path)
    markup.lighten_sources(tmp_path)
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    first, second, third = notebook.cells[1].outputs
    assert first.data == {name: bundles[0][name] for name in (PLOTLY, "text/plain")}
    assert set(second.data) == {"text/html", "text/plain"}
    assert third.text == "said"
    before = json.loads(path.read_text("utf-8"))
    markup.lighten_sources(tmp_path)
    assert json.loads(path.read_text("utf-8")) == before


def test_files_of_the_theme_that_no_page_loads_are_left_out(tmp_path: Path) -> None:
    kept = {"styles/theme.css", "scripts/bootstrap.js", "vendor/fontawesome/a.woff2", "texts/a.js"}
    left_out = {
        "styles/theme.css.map", "scripts/bootstrap.js.map", "scripts/fontawesome.js", "vendor/fontawesome/a.ttf",
        "locales/de/LC_MESSAGES/a.mo",
    }  # fmt: skip
    static = tmp_path / "_static"
    for name in kept | left_out:
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).touch()
    markup.settle_pages(tmp_path)
    assert {path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()} == kept
    assert not (static / "locales").exists()
