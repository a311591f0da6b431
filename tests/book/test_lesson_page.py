"""Lessons on pages: every claim under its heading, every chapter named, nothing twice and nothing lost."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import executed
import figure_names
import pytest
import shown
from docutils import nodes
from docutils.utils import new_document
from sphinx import addnodes

from benchbook.book.assembly import publishing
from benchbook.book.pages import lessons
from benchbook.book.pages import runs as run_pages
from benchbook.book.pages.lessons import LessonDirective, LessonsDirective
from benchbook.book.parts import figure_block
from benchbook.book.parts.nodes import Drawing, FigureReference
from benchbook.book.sphinx_extension import FigureRenderer
from benchbook.figures import LESSON_MIME_TYPE, Finding, Lesson
from benchbook.model import Outcome

ROOT = Path(__file__).parents[2]
CHAPTERS = ("hot_cold_keys", "cost", "noise_floor", "io_cliff")


def finding(claim: str, note: str, outcome: Outcome, *, factor: float = 1.0) -> Finding:
    return Finding(claim, note, outcome, f"{claim} is so", f"{claim} is 2 [1, 3]", factor)


def lesson(chapter: str, *findings: Finding) -> Lesson:
    seen = (f"Seen in {chapter}.",)
    return Lesson(chapter, f"The lesson of {chapter}", f"fig-{chapter[:3]}", findings, seen, "Do.")


HOT = lesson(
    "hot_cold_keys",
    finding("L012", "000", Outcome.INCONCLUSIVE),
    finding("L001", "000", Outcome.REPRODUCED),
    finding("L017", "000", Outcome.CONTRADICTED),
    finding("L010", "000", Outcome.CONTRADICTED),
)
COST = lesson("cost", finding("R086", "003", Outcome.REPRODUCED), finding("L073", "000", Outcome.REPRODUCED))
NOISE = lesson("noise_floor")


def project(root: Path, *lessons: Lesson) -> Path:
    (root / "book" / "chapters" / "lessons.json").write_text(json.dumps([each.record() for each in lessons]))
    return root


def run(kind: Any, root: Path, *arguments: str) -> tuple[nodes.container, list[str]]:
    return shown.made(kind, root, *arguments, chapters=CHAPTERS)


def under(made: nodes.Node) -> dict[str, list[str]]:
    """Heading to the sentences below it."""
    heads = [each for each in made.findall(nodes.paragraph) if "benchbook-found" in each.get("classes", [])]
    below = (head.next_node(nodes.bullet_list, siblings=True) for head in heads)
    return {head.astext(): [item.astext() for item in each.children] for head, each in zip(heads, below, strict=True)}


def test_a_lesson_sorts_its_claims_by_how_they_came_out() -> None:
    (made,) = lessons.lesson_nodes(HOT.record(), linked=True)
    assert under(made) == {
        "Holds:": ["Note 000 says that L001 is so: L001 is 2 [1, 3]."],
        "Wrong:": [
            "Note 000 says that L017 is so: L017 is 2 [1, 3].",
            "Note 000 says that L010 is so: L010 is 2 [1, 3].",
        ],
        "Open:": ["Note 000 says that L012 is so: L012 is 2 [1, 3]."],
    }
    assert [each["figure_id"] for each in made.findall(FigureReference)] == ["fig-hot"]
    assert [each["reftarget"] for each in made.findall(addnodes.pending_xref)] == ["/book/chapters/hot_cold_keys"]
    assert "Seen in hot_cold_keys." in made.astext()


def test_the_page_has_a_section_per_lesson_and_names_the_chapters_without(ledger: Path) -> None:
    made, depends = run(LessonsDirective, project(ledger, NOISE, COST, HOT))
    sections = {each["ids"][0]: each.next_node(nodes.title).astext() for each in made.findall(nodes.section)}
    names = ("hot_cold_keys", "cost", "noise_floor")
    assert [*sections.items()] == [(f"lesson-{name}", f"The lesson of {name}") for name in names]
    (line,) = (each for each in made.children if isinstance(each, nodes.paragraph))
    assert line.astext() == "No run to show yet: io_cliff."
    assert depends == ["lessons.json"]


def test_a_chapters_lesson_can_stand_on_another_page(ledger: Path) -> None:
    root = project(ledger, HOT)
    made, _ = run(LessonDirective, root, "hot_cold_keys")
    assert "Seen in hot_cold_keys." in made.astext()
    missing, _ = run(LessonDirective, root, "noise_floor")
    assert missing.astext() == "No run to show yet: noise_floor."


def test_without_a_build_there_is_nothing_to_learn_and_no_error(ledger: Path) -> None:
    root = project(ledger)
    (root / "book" / "chapters" / "lessons.json").unlink()
    made, _ = run(LessonsDirective, root)
    assert made.astext() == "No run to show yet: cost; hot_cold_keys; io_cliff; noise_floor."


def test_a_chapter_shows_its_lesson_and_the_book_collects_it(tmp_path: Path) -> None:
    path = executed.chapter(tmp_path, "hot_cold_keys", HOT)
    assert publishing.lessons(path.read_text()) == [json.loads(json.dumps(HOT.record()))]
    renderer = SimpleNamespace(renderer=SimpleNamespace(document=new_document("page"), sphinx_env=None))
    data: Any = SimpleNamespace(mime_type=LESSON_MIME_TYPE, content=HOT.record(), cell_index=0, output_index=0)
    (made,) = FigureRenderer.handle_mime(renderer, data, False) or []
    assert made.astext().startswith("The lesson of hot_cold_keys.")
    assert list(under(made)) == ["Holds:", "Wrong:", "Open:"]


RECORD = {
    "id": "fig-hot",
    "plot": {"data": [], "layout": {"height": 300}},
    "caption": "Latency by keys.",
    "alt": "Two rows.",
    "chapter": "hot_cold_keys",
    "data_sha256": "0",
}


def test_a_figure_is_drawn_again_without_a_second_id_or_number(ledger: Path) -> None:
    root = project(ledger)
    (root / "book" / "chapters" / "figures.json").write_text(json.dumps([RECORD]))
    made, depends = run(figure_block.FigureAgainDirective, root, "fig-hot")
    (drawing,) = made.findall(Drawing)
    assert (drawing["figure_id"], drawing["alt"]) == ("fig-hot", "Two rows.")
    assert drawing["height_px"] == figure_block.HEIGHT_PX
    assert json.loads(drawing["plot"])["layout"]["height"] == figure_block.HEIGHT_PX < 300
    assert [each["figure_id"] for each in made.findall(FigureReference)] == ["fig-hot"]
    assert not list(made.findall(nodes.figure)), "the figure itself, which is numbered, stays in its chapter"
    assert not [each for each in made.findall(nodes.Element) if each.get("ids")]
    assert "Latency by keys." in made.astext()
    assert depends == ["figures.json"]


def test_a_figure_of_a_chapter_without_a_run_is_one_line(ledger: Path) -> None:
    made, _ = run(figure_block.FigureAgainDirective, project(ledger), "fig-hot")
    assert "no run to show yet" in made.astext()
    assert not list(made.findall(Drawing))


def test_pages_name_figures_and_lessons_that_exist() -> None:
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "book").glob("*.md"))
    figures = {*re.findall(r"{benchbook-figure} (\S+)", pages)}
    assert set() < figures <= figure_names.ids()
    asked = {*re.findall(r"{benchbook-lesson} (\S+)", pages)}
    assert asked <= {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}


def facts(host: str = "one, 2 cores", engine: str = "PostgreSQL 18", day: str = "2026-11-21", **more: Any) -> Any:
    return {
        "host": host, "engine": engine, "measured": f"{day}T10:00:00+00:00", "minutes": 30.5, "blocks": 8,
        "trials": 1200, "profile": "standard", "pooled_with": [],
    } | more  # fmt: skip


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([facts()], "One run stands behind the measured chapters: 1,200 trials, 30 minutes in all, "
         "on one processor and kernel (one, 2 cores), on 2026-11-21."),
        ([facts(), facts(host="two", day="2026-11-23")], "2 runs stand behind the measured chapters: 2,400 trials, 61 "
         "minutes in all, on 2 pairs of processor and kernel (one, 2 cores; two), from 2026-11-21 to 2026-11-23."),
        ([], run_pages.NO_EVIDENCE),
    ],
)  # fmt: skip
def test_machines_and_days_are_counted(runs: list[Any], words: str) -> None:
    assert run_pages.sentence(runs) == words


def test_each_run_of_a_measured_chapter_counts_and_none_of_a_simulation() -> None:
    records = [
        {"chapter": "hot_cold_keys", "run": facts()},
        {"chapter": "hot_cold_keys", "run": facts(pooled_with=[facts(day="2026-11-20")])},
        {"chapter": "calibration", "run": facts(engine="simulation numpy 2.4")},
        {"chapter": "cost", "run": None},
    ]
    runs = run_pages.measured(records)
    assert list(runs) == ["hot_cold_keys"]
    assert [run["measured"][:10] for run in runs["hot_cold_keys"]] == ["2026-11-20", "2026-11-21"]
