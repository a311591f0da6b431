"""The chapters' lessons on pages: one by one, by note, or all of them."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes

from benchbook.book.parts.directives import LESSONS_FILE, Shown, beside_chapters, collected
from benchbook.book.parts.nodes import FigureReference
from benchbook.book.parts.tables import coded
from benchbook.book.parts.verdict_table import chapter_reference
from benchbook.book.records.figure_list import CHAPTERS
from benchbook.figures.lesson import grouped, sentence

Record = Mapping[str, Any]


def load(root: Path) -> list[dict[str, Any]]:
    """The lessons of the executed chapters, in the order of the chapters' names; none before a build."""
    return collected(root, LESSONS_FILE)


def until(lessons: Iterable[Record]) -> str:
    """The day of the last trial behind these lessons; "" where nothing was measured."""
    return max((each["basis"]["until"] for each in lessons if each["basis"]), default="")


def lesson_nodes(lesson: Record, *, linked: bool = False) -> list[nodes.Node]:
    """A lesson below its title: findings by how they came out, what else was seen, advice. linked: to its chapter."""
    parts: list[nodes.Node] = [nodes.paragraph("", "", *coded(text)) for text in lesson["besides"]]
    for name, group in grouped(lesson["findings"]).items():
        parts.append(nodes.paragraph("", "", nodes.strong("", f"{name}:"), classes=["benchbook-found"]))
        parts.append(nodes.bullet_list("", *(nodes.list_item("", _claim(finding)) for finding in group)))
    parts.append(nodes.paragraph("", "", *coded(lesson["advice"]), classes=["benchbook-advice"]))
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


class _Reading(Shown):
    """What the directives share: the lessons that they read, and a line on those that are missing."""

    reads = (beside_chapters(LESSONS_FILE),)

    def without(self, lessons: Iterable[Record], chapters: Iterable[str]) -> list[nodes.Node]:
        """One line that names those of the chapters of which there is no lesson, each with its link; or nothing."""
        taught = {lesson["chapter"] for lesson in lessons}
        missing = [name for name in chapters if name not in taught and self.has_chapter(name)]
        if not missing:
            return []
        line = nodes.paragraph("", "No run to show yet: ", classes=["benchbook-aside"])
        for place, name in enumerate(missing):
            line += [nodes.Text("; " if place else ""), chapter_reference(name)]
        line += nodes.Text(".")
        return [line]


class LessonsDirective(_Reading):
    """``{benchbook-lessons}``: every chapter's lesson in a section of its own, and which chapters have none yet."""

    def shown(self, root: Path) -> list[nodes.Node]:
        found = self.in_order(load(root), lambda lesson: f"{CHAPTERS}/{lesson['chapter']}")
        parts: list[nodes.Node] = []
        for lesson in found:
            title, name = nodes.title("", lesson["title"]), f"lesson-{lesson['chapter']}"
            parts.append(nodes.section("", title, *lesson_nodes(lesson, linked=True), ids=[name], names=[name]))
        names = sorted(name.removeprefix(f"{CHAPTERS}/") for name in self.env.found_docs)
        return self.without(found, names) + parts


class LessonDirective(_Reading):
    """``{benchbook-lesson} noise_floor``: the lesson of a chapter."""

    required_arguments = 1

    def shown(self, root: Path) -> list[nodes.Node]:
        own = [lesson for lesson in load(root) if lesson["chapter"] == self.arguments[0]]
        parts = [part for lesson in own for part in lesson_nodes(lesson, linked=True)]
        return parts or self.without([], [self.arguments[0]])
