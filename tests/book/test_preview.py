"""Single chapters for whoever writes them: their page alone, the book untouched."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes
from docutils.utils import new_document
from typer.testing import CliRunner

from benchbook.book.assembly import preview
from benchbook.book.assembly.chapter_plan import Shown
from benchbook.book.parts import nodes as book_nodes
from benchbook.book.sphinx_extension import SCRIPTS, load_plotly_where_needed, load_scripts
from benchbook.cli.commands import app


def test_a_chapter_is_built_alone_and_again_when_it_has_changed(small_root: Path, write_notebook: Any) -> None:
    write_notebook("one", "size = 1", "print(f'{size} rows')")
    write_notebook("two", "size = 1", "raise ValueError")
    page = preview.build(["one"], Shown(), quiet=True)
    assert page.is_relative_to(small_root / "_build" / "preview")
    assert "About one" in page.read_text()
    assert "2 rows" in page.read_text()
    assert not (small_root / "book" / "chapters" / "two.ipynb").exists()
    assert not (small_root / "_build" / "html").exists()
    write_notebook("one", "size = 1", "print(f'{size} keys')")
    assert "2 keys" in preview.build(["one"], Shown(), quiet=True).read_text()


@pytest.mark.parametrize(
    ("first", "page", "loaded"),
    [
        ("book/index", "book/index", ["opening.js"]),
        ("book/index", "book/chapters/one", ["plotly.min.js", "benchbook.js"]),
        ("book/chapters/one", "book/chapters/one", ["plotly.min.js", "benchbook.js"]),
    ],
)
def test_a_page_loads_what_its_drawings_need_and_the_books_first_later(
    first: str, page: str, loaded: list[str]
) -> None:
    asked: list[str] = []
    app = SimpleNamespace(config=SimpleNamespace(root_doc=first), add_js_file=lambda name, **_: asked.append(name))
    doctree = new_document(page)
    doctree += book_nodes.Drawing()
    load_plotly_where_needed(app, page, "page.html", {}, doctree)  # type: ignore[arg-type]
    assert asked == loaded


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_is_loaded_by_pages_that_have_what_it_is_for_alone(kind: type[nodes.Element]) -> None:
    loaded: list[str] = []
    app: Any = SimpleNamespace(add_js_file=lambda name, **how: loaded.append(name))
    document = new_document("page")
    load_scripts(app, "genindex", "genindex.html", {}, None)
    load_scripts(app, "page", "page.html", {}, document)
    assert loaded == []
    document += kind()
    load_scripts(app, "page", "page.html", {}, document)
    assert loaded == [SCRIPTS[kind]]


@pytest.mark.parametrize(
    ("asked", "said"),
    [(["hot_cold_kyes"], "did you mean 'hot_cold_keys'"), (["lru", "--drawings"], "single chapters are built without")],
)
def test_what_cannot_be_built_alone_is_refused(asked: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["build", *asked], prog_name="benchbook")
    assert done.exit_code != 0
    assert said in " ".join(f"{done.stderr}{done.exception}".split())
