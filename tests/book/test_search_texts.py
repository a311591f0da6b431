"""What the search shows of a page that was opened from a folder: the words of its sections, each under its id."""

import json
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from docutils.utils import new_document

from benchbook.book.pages import search_texts


def page() -> nodes.document:
    document = new_document("page")
    inner = nodes.section("", nodes.title("", "Inner"), nodes.paragraph("", "", nodes.Text("Deep.")), ids=["inner"])
    cell = nodes.entry("", nodes.paragraph("", "In a cell."))
    table = nodes.table("", nodes.tgroup("", nodes.tbody("", nodes.row("", cell))))
    words = nodes.paragraph("", "", nodes.Text("A "), nodes.strong("", "strong"), nodes.Text(" word\nor two."))
    hidden = [nodes.comment("", "not said"), nodes.literal_block("", "code()"), nodes.raw("", "<b>", format="html")]
    title = nodes.title("", "Outer </script>")
    document += nodes.section("", title, words, *hidden, table, inner, ids=["outer", "other"])
    return document


def test_a_section_has_its_own_words_once_and_no_code() -> None:
    text = search_texts.script("book/page", page())
    beginning = '(window.benchbookTexts ??= {})["book/page"] = '
    assert text.startswith(beginning)
    made = json.loads(text.removeprefix(beginning).rstrip(";\n"))
    own = "Outer </script> A strong word or two. In a cell."
    assert made == [["outer", own, [["inner", "Inner Deep.", []]]]]


def test_long_sections_are_cut() -> None:
    [section] = page().children
    section.insert(1, nodes.paragraph("", "x" * 30_000))
    assert len(search_texts.outline(section)[1]) == search_texts.MOST_CHARACTERS


def test_a_name_is_found_by_its_parts_and_as_a_whole(tmp_path: Path) -> None:
    setup = "setup = lambda app: app.add_search_language(Words)\n"
    (tmp_path / "conf.py").write_text(f"from benchbook.book.pages.search_texts import Words\n{setup}")
    (tmp_path / "index.rst").write_text("Title\n=====\n\nThen ``pg_prewarm`` reads ``shared_buffers``.\n")
    command = [sys.executable, "-m", "sphinx", "-q", str(tmp_path), str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True)
    index = json.loads((tmp_path / "out" / "searchindex.js").read_text().removeprefix("Search.setIndex(").rstrip(")\n"))
    assert {"pg_prewarm", "prewarm", "shared_buff", "share", "buffer"} <= {*index["terms"]}
