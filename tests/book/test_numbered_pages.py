"""Pages that name numbers of chapters: what a run has stands there, what it has not is left out."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes

from benchbook import __version__
from benchbook.book.pages import around, numbered_pages
from benchbook.book.parts.nodes import ChapterNumber
from benchbook.errors import BenchbookError

ROOT = Path(__file__).parents[2]
GAIN = {"text": "2.0 [1.5, 3.0]", "point": 2.0, "low": 1.5, "high": 3.0}
KNOWN = {
    "scale": {"gain": GAIN, "rows": 1000, "engine": "RocksDB", "lost": None},
    "verdict": {"L001": "holds"},
}


def test_a_line_has_the_numbers_that_it_names() -> None:
    text = "# Title\n\n{{ scale.gain }} times, at most {{ scale.gain.high|digits }}, with {{ scale.rows|n }} rows.\n"
    assert numbered_pages.fill(text, KNOWN) == "# Title\n\n2.0 [1.5, 3.0] times, at most 3.00, with 1,000 rows.\n"


def test_a_line_that_no_run_can_fill_is_left_out_and_the_others_stay() -> None:
    assert numbered_pages.fill("One.\n{{ scale.lost }}\n{{ clients.gain }}\nTwo.\n", KNOWN) == "One.\nTwo.\n"


def test_words_follow_the_verdict() -> None:
    line = '{% if verdict.L001 == "holds" %}**Right.** {% endif %}So it is.\n'
    assert numbered_pages.fill(line, KNOWN) == "**Right.** So it is.\n"
    assert numbered_pages.fill(line, KNOWN | {"verdict": {"L001": "wrong"}}) == "So it is.\n"


@pytest.mark.parametrize("line", ["{{ scale.gian }}", "{{ verdict.L999 }}"])
def test_a_misspelt_name_stops_the_build(line: str) -> None:
    with pytest.raises(BenchbookError, match="has no number"):
        numbered_pages.fill(line, KNOWN)


def test_a_number_asked_for_in_a_form_that_it_has_not_is_named_with_its_line() -> None:
    with pytest.raises(BenchbookError, match=r"Rows: {{ scale.gain\|n }}.* cannot be filled") as raised:
        numbered_pages.fill("Rows: {{ scale.gain|n }}", KNOWN)
    assert "point" in raised.value.mend


def test_what_a_page_asks_for_is_known_beforehand() -> None:
    assert set(numbered_pages.asked("{{ scale.gain.point }} {{ scale.rows }}\nplain {x}\n")) == {
        ("scale", "gain"), ("scale", "rows"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("blocks", "visits", "hosts", "full", "words"),
    [
        (24, 4, 2, 3, "24 blocks, 4 visits, 2 hosts"),
        (6, 2, 1, 3, "6 blocks, 2 visits"),
        (6, 1, 1, 2, "first result, 6 blocks"),
        (5, 5, 1, 1, "5 blocks, 5 visits"),
        (1, 1, 1, 1, "first result, 1 block"),
    ],
)
def test_how_sure_by_blocks_and_visits(blocks: int, visits: int, hosts: int, full: int, words: str) -> None:
    basis = {"blocks": blocks, "visits": visits, "hosts": hosts}
    told = [numbered_pages.stands_on(basis, brief=brief).replace("\N{NO-BREAK SPACE}", " ") for brief in (False, True)]
    assert numbered_pages.dots(basis) == full
    assert told == [words, "first result" if visits == 1 else f"{visits} visits"]


def project(root: Path) -> Path:
    (root / "data").mkdir()
    (root / "data" / "claims.csv").write_bytes((ROOT / "data" / "claims.csv").read_bytes())
    folder = root / "book" / "chapters"
    folder.mkdir(parents=True)
    basis = {"blocks": 6, "visits": 1, "hosts": 1, "engine": "RocksDB 7, SQLite 3", "until": "2026-01-02"}
    taught = [
        {"chapter": "scale", "numbers": KNOWN["scale"], "basis": basis},
        {"chapter": "cost", "numbers": {"half": 145}, "basis": {}},
    ]
    (folder / "lessons.json").write_text(json.dumps(taught))
    (folder / "verdicts.json").write_text(json.dumps([{"claim_id": "L001", "outcome": "holds"}]))
    return root


def test_a_build_gives_numbers_verdicts_and_what_the_edition_stands_on(tmp_path: Path) -> None:
    known = numbered_pages.known(project(tmp_path))
    assert known["cost"] == {"half": 145}
    assert known["book"] == {"version": __version__, "until": "2026-01-02", "engines": "RocksDB 7, SQLite 3"}
    assert (known["verdict"]["L001"], known["verdict"]["L002"]) == ("holds", "not yet run")


def test_each_page_says_of_which_data_it_is(tmp_path: Path) -> None:
    root = project(tmp_path)
    assert around.words(root) == f"Benchbook {__version__}, measured up to 2026-01-02"
    (root / "data" / "published").mkdir()
    (root / "data" / "published" / "SHA256SUMS").write_text("one")
    one = around.state(root)
    (root / "data" / "published" / "SHA256SUMS").write_text("other")
    assert around.state(root) != one
    context: dict[str, Any] = {}
    app: Any = SimpleNamespace(srcdir=str(root), config=SimpleNamespace(html_theme_options={}))
    around.add_state(app, "book/index", "page.html", context, None)
    assert f"data {around.state(root)}" in context["theme_extra_footer"]


def role(kind: Any, root: Path, text: str, found: tuple[str, ...] = (), page: str = "book/advice") -> list[nodes.Node]:
    made = kind()
    environment = SimpleNamespace(
        srcdir=str(root), found_docs={f"book/chapters/{name}" for name in found}, docname=page,
        config=SimpleNamespace(root_doc="book/index"),
    )  # fmt: skip
    made.inliner = SimpleNamespace(document=SimpleNamespace(settings=SimpleNamespace(env=environment)))
    made.text = text
    parts, problems = made.run()
    assert problems == []
    return list(parts)


def test_sureness_is_drawn_and_read_out(tmp_path: Path) -> None:
    root = project(tmp_path)
    [sure] = role(numbered_pages.SureRole, root, "scale")
    assert "●●○" in sure.children[0].astext()
    assert 'aria-label="sureness 2 of 3"' in sure.children[0].astext()
    assert sure.children[1].astext().split() == ["first", "result,", "6", "blocks"]
    [first] = role(numbered_pages.SureRole, root, "scale", page="book/index")
    assert first.children[1].astext().split() == ["first", "result"]
    assert role(numbered_pages.SureRole, root, "cost") == [], "nothing was measured"


def test_a_chapter_is_a_link_where_it_is_in_the_book(tmp_path: Path) -> None:
    root = project(tmp_path)
    [link] = role(numbered_pages.ChapterRole, root, "scale", ("scale",))
    assert isinstance(link, ChapterNumber)
    [name] = role(numbered_pages.ChapterRole, root, "hot_cold_keys")
    assert name.astext() == "Hot versus cold keys"
