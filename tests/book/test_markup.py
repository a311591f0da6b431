"""Finished pages: what HTML does not allow is mended, and what no reader can use is left out."""

import json
from pathlib import Path

import nbformat
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from benchbook.book.parts import markup
from benchbook.figures import MIME_TYPE, VERDICTS_MIME_TYPE

PAGE = """<head>
<meta name="viewport" content="width=device-width, initial-scale=1.0" /><meta name="viewport" content="width=1" />
<meta name="viewport" content="width=2"/>
</head>
<summary aria-label="Toggle hidden content">
<p class="collapsed admonition-title">Show <em>code</em></p>
<p class="expanded admonition-title">Hide code</p>
</summary>
<p>A paragraph.</p>
<style scoped="">
td { color: red }
</style>
<table></table>"""


def test_a_page_keeps_its_first_viewport_alone() -> None:
    [meta] = BeautifulSoup(markup.mended(PAGE), "html.parser").select("meta")
    assert meta["content"] == "width=device-width, initial-scale=1.0"


def test_a_line_to_click_on_holds_phrases_and_is_named_by_its_own_words() -> None:
    page = BeautifulSoup(markup.mended(PAGE), "html.parser")
    assert not page.select("summary p")
    assert [each.get_text() for each in page.select("summary > span.admonition-title")] == ["Show code", "Hide code"]
    assert not page.select("summary[aria-label]"), "it would hide the words from who hears them"
    assert [each.get_text() for each in page.select("p")] == ["A paragraph."]


def test_no_style_stands_in_the_text_and_nothing_else_changes() -> None:
    made = markup.mended(PAGE)
    assert made.endswith("<p>A paragraph.</p>\n<table></table>")
    assert markup.mended("<p>one</p>") == "<p>one</p>"
    assert markup.mended(made) == made


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
