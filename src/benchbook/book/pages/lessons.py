"""The chapters' lessons on pages: one by one, by note, or all of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from benchbook.book.parts.nodes import FigureReference
from benchbook.book.parts.verdict_table import chapter_reference
from benchbook.figures.lesson import grouped, sentence

LESSONS_FILE = "lessons.json"
"""Name of the collected lessons, beside the executed chapters."""

Record = Mapping[str, Any]


def load(root: Path) -> list[dict[str, Any]]:
    """The lessons of the executed chapters, in the order of the chapters' names; none before a build."""
    path = root / "book" / "chapters" / LESSONS_FILE
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


def until(lessons: Iterable[Record]) -> str:
    """The day of the last trial behind these lessons; "" where nothing was measured."""
    return max((each["basis"]["until"] for each in lessons if each["basis"]), default="")


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
    """``{benchbook-lesson} noise_floor``: the lesson of a chapter."""

    has_content = False
    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """The lesson; one line where there is none yet."""
        own = [lesson for lesson in self.lessons() if lesson["chapter"] == self.arguments[0]]
        parts = [part for lesson in own for part in lesson_nodes(lesson, linked=True)]
        return parts or self.without([], [self.arguments[0]])


def add_to(app: Sphinx) -> None:
    """Make the directives known."""
    app.add_directive("benchbook-lessons", LessonsDirective)
    app.add_directive("benchbook-lesson", LessonDirective)
