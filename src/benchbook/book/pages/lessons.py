"""The chapters' lessons on pages: one by one, by note, or all of them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import ChapterNumber, FigureReference
from benchbook.book.parts.verdict_table import chapter_reference
from benchbook.figures.lesson import FAILED, HELD, HOST, NONE, OPEN, PARTLY, grouped, sentence
from benchbook.model import Evidence

LESSONS_FILE = "lessons.json"
"""Name of the collected lessons, beside the executed chapters."""

Record = Mapping[str, Any]
COLUMNS = ((HELD,), (FAILED, NONE), (PARTLY, HOST, OPEN))
"""Headings that stand above each other on the opening page."""


def load(root: Path) -> list[dict[str, Any]]:
    """The lessons of the executed chapters, in the order of the chapters' names; none before a build."""
    path = root / "book" / "chapters" / LESSONS_FILE
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def lesson_nodes(lesson: Record, *, linked: bool = False) -> list[nodes.Node]:
    """A lesson below its title: findings by how they came out, what else was seen, advice. linked: to its chapter."""
    parts: list[nodes.Node] = [nodes.paragraph("", text) for text in lesson["besides"]]
    for name, group in grouped(lesson["findings"]).items():
        parts += [_heading(name), _list(nodes.list_item("", _claim(finding)) for finding in group)]
    parts.append(nodes.paragraph("", lesson["advice"], classes=["benchbook-advice"]))
    if linked:
        line = nodes.paragraph("", "", FigureReference(figure_id=lesson["figure_id"]))
        line += [nodes.Text(" · "), chapter_reference(lesson["chapter"])]
        parts.append(line)
    return [nodes.container("", *parts, classes=["benchbook-lesson"])]


def shown_in_chapter(lesson: Record) -> list[nodes.Node]:
    """The lesson in its own chapter, its title in front."""
    title = nodes.paragraph("", "", nodes.strong("", f"{lesson['title']}."))
    (rest,) = lesson_nodes(lesson)
    return [nodes.container("", title, *rest.children, classes=["benchbook-lesson"])]


def note_nodes(note: str, lessons: Iterable[Record]) -> list[nodes.Node]:
    """What the chapters found out about one note: its finding, and the leading claims by how they came out."""
    found, told, chapters = [], [], []
    for lesson in lessons:
        leading = [each for each in lesson["findings"] if each["note"] == note and each["lead"]]
        own = [each for each in lesson["headlines"] if each["note"] == note]
        found += leading
        told += own
        chapters += [lesson["chapter"]] if leading or own else []
    if not chapters:
        return []
    # a sum that comes out shows nothing of a cache: it stands in its chapter and among all claims
    claims = grouped(each for each in found if each["evidence"] != Evidence.RECOMPUTED)
    columns = []
    for headings in COLUMNS:
        column = nodes.container("")
        for name in headings:
            lines = _lines(claims.get(name, []))
            lines += [nodes.paragraph("", each["text"]) for each in told if each["heading"] == name]
            if lines:
                column += [_heading(name), _list(nodes.list_item("", line) for line in lines)]
        columns.append(column)
    links = nodes.paragraph("", "", classes=["benchbook-chapters"])
    for place, chapter in enumerate(chapters):
        links += [nodes.Text(" · " if place else ""), ChapterNumber(chapter=chapter)]
    findings = [
        nodes.paragraph("", "", nodes.strong("", each["text"]), classes=["benchbook-finding"])
        for each in told
        if not each["heading"]
    ]
    beside = nodes.container("", *columns, classes=["benchbook-columns"])
    return [nodes.container("", links, *findings, beside, classes=["benchbook-lesson", "benchbook-note"])]


def _lines(claims: Iterable[Record]) -> list[nodes.paragraph]:
    """Claims as short as they can be said: the note's words in italics, and what was measured.

    Open ones that share the reason share a line, with the reason at its end.
    """
    lines = []
    for _, same in groupby(
        claims, key=lambda each: each["brief"] if each["brief"].startswith(" (") else each["claim_id"]
    ):
        group = list(same)
        line = nodes.paragraph()
        for place, each in enumerate(group):
            said = each["said"] if place else f"{each['said'][:1].upper()}{each['said'][1:]}"
            line += [nodes.Text("; " if place else ""), nodes.emphasis("", said)]
        line += nodes.Text(f"{group[0]['brief']}.")
        lines.append(line)
    return lines


def _claim(finding: Record) -> nodes.paragraph:
    """The sentence, what the note says in italics, so that it is told from what was measured."""
    said, seen = sentence(finding)
    return nodes.paragraph("", "", nodes.emphasis("", said), nodes.Text(seen))


def _heading(text: str) -> nodes.paragraph:
    return nodes.paragraph("", "", nodes.strong("", f"{text}:"), classes=["benchbook-found"])


def _list(items: Iterable[nodes.list_item]) -> nodes.bullet_list:
    return nodes.bullet_list("", *items)


class _Reading(SphinxDirective):
    """What the directives share: the lessons, and the page's dependence on them."""

    def lessons(self) -> list[dict[str, Any]]:
        """Read the collected lessons."""
        self.env.note_dependency(str(self.root / "book" / "chapters" / LESSONS_FILE))
        return load(self.root)

    @property
    def root(self) -> Path:
        """The book's source folder."""
        return Path(self.env.srcdir)

    def in_order(self, lessons: Iterable[Record]) -> list[Record]:
        """As the chapters stand in the book."""
        contents: Iterable[str] = getattr(self.env, "external_site_map", ())
        places = {page: place for place, page in enumerate(contents)}
        return sorted(lessons, key=lambda lesson: places.get(f"book/chapters/{lesson['chapter']}", len(places)))

    def without(self, lessons: Iterable[Record], chapters: Iterable[str]) -> list[nodes.Node]:
        """One line that names those of the chapters of which there is no lesson, each with its link; or nothing."""
        taught = {lesson["chapter"] for lesson in lessons}
        missing = [name for name in chapters if name not in taught and f"book/chapters/{name}" in self.env.found_docs]
        if not missing:
            return []
        line = nodes.paragraph("", "No run to show yet: ", classes=["benchbook-aside"])
        for place, name in enumerate(missing):
            line += [nodes.Text("; " if place else ""), chapter_reference(name)]
        line += nodes.Text(".")
        return [line]


class LessonsDirective(_Reading):
    """``{benchbook-lessons}``: every chapter's lesson in a section of its own, and which chapters have none yet."""

    has_content = False
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """The sections, in the book's order."""
        found = self.in_order(self.lessons())
        parts: list[nodes.Node] = []
        for lesson in found:
            section = nodes.section(ids=[f"lesson-{lesson['chapter']}"], names=[f"lesson-{lesson['chapter']}"])
            section += nodes.title("", lesson["title"])
            section += lesson_nodes(lesson, linked=True)
            parts.append(section)
        prefix = "book/chapters/"
        names = sorted(name.removeprefix(prefix) for name in self.env.found_docs if name.startswith(prefix))
        return self.without(found, names) + parts


class LessonDirective(_Reading):
    """``{benchbook-lesson} 000``: what was found out about a note; ``{benchbook-lesson} noise_floor``: of a chapter."""

    has_content = False
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """The leading claims of a note, or a chapter's lesson; one line where there is none yet."""
        asked, found = self.arguments[0], self.lessons()
        if not asked.isdigit():
            own = [lesson for lesson in found if lesson["chapter"] == asked]
            parts = [part for lesson in own for part in lesson_nodes(lesson, linked=True)]
            return parts or self.without([], [asked])
        ledger = self.root / "data" / "claims.csv"
        self.env.note_dependency(str(ledger))
        with ledger.open(encoding="utf-8", newline="") as file:
            chapters = dict.fromkeys(row["chapter"] for row in csv.DictReader(file) if row["note"] == asked)
        if not chapters:
            raise self.error(f"no claim is of note {asked}")
        return [*note_nodes(asked, self.in_order(found)), *self.without(found, chapters)]


def add_to(app: Sphinx) -> None:
    """Make the directives known."""
    app.add_directive("benchbook-lessons", LessonsDirective)
    app.add_directive("benchbook-lesson", LessonDirective)
