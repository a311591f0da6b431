"""Pages whose sentences name the chapters' numbers, ``{{ cache_sizing.hits_snappy }}``, and say how sure they are."""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from jinja2 import TemplateError
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from benchbook import __version__
from benchbook.book.pages import lessons
from benchbook.book.parts import names
from benchbook.book.parts.directives import LESSONS_FILE, VERDICTS_FILE, beside_chapters, collected
from benchbook.book.parts.nodes import ChapterNumber
from benchbook.book.records.figure_list import is_front
from benchbook.errors import BenchbookError, suggestion
from benchbook.figures.filling import parts_of, template, wanted
from benchbook.model import Outcome

PAGES = ("book/index", "book/advice", "book/own_numbers", "book/reports")
FOLDERS = ("book/questions/", "book/trials/")
"""Those that are filled, and folders of such."""
BOOK = "book"
"""What such a page asks of the book itself: version, until (the date of its last trial), engines, claims."""
VERDICT = "verdict"
"""What it asks of a claim, as ``verdict.L001``: how it came out."""
MANY_VISITS, MANY_BLOCKS = 2, 6
"""From which a number is as sure as this book's numbers are."""


class Number:
    """A number of a chapter: as text with its interval; point, and low and high, which below three blocks are nan."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._text = str(record["text"])
        self.point, self.low, self.high = (float(record.get(end, math.nan)) for end in ("point", "low", "high"))

    def __str__(self) -> str:
        return self._text


def pages(root: Path) -> list[str]:
    """All that are filled, in the project at ``root``."""
    return [*PAGES, *(f"{folder}{path.stem}" for folder in FOLDERS for path in sorted((root / folder).glob("*.md")))]


def fill(text: str, known: Mapping[str, Mapping[str, Any]]) -> str:
    """A page with its numbers; a line that the chapters cannot fill is left out.

    known: by the name of a chapter that has a run, what it recorded by name; beside these BOOK and VERDICT. Raises
    BenchbookError for a name that no such chapter has.
    """
    filled = (_line(line, known) if _asks(line) else line for line in text.splitlines())
    return "".join(f"{line}\n" for line in filled if line is not None)


def _asks(line: str) -> bool:
    return "{{" in line or "{%" in line


def _line(line: str, known: Mapping[str, Mapping[str, Any]]) -> str | None:
    found: dict[str, dict[str, Any]] = {}
    for chapter in sorted(wanted(line)):
        if chapter not in known:
            return None
        for name in sorted(parts_of(line, chapter)):
            if name not in known[chapter]:
                raise BenchbookError(
                    f"{chapter} has no number {name!r}{suggestion(name, known[chapter])}", "correct the line that asks"
                )
            value = known[chapter][name]
            if value is None:
                return None
            found.setdefault(chapter, {})[name] = Number(value) if isinstance(value, Mapping) else value
    try:
        return template(line).render(found)
    except (TypeError, ValueError, TemplateError) as error:
        mend = "ask a number with an interval for its point, as in {{ chapter.name.point|n }}"
        raise BenchbookError(f"{line!r} cannot be filled: {error}", mend) from error


def known(root: Path) -> dict[str, Mapping[str, Any]]:
    """What there is to ask for. root: the book's source folder."""
    taught = lessons.load(root)
    bases = [each["basis"] for each in taught if each["basis"]]
    engines = sorted({engine.strip() for basis in bases for engine in str(basis["engine"]).split(",")})
    until = lessons.until(taught) or None
    book = {"version": __version__, "until": until, "engines": ", ".join(engines) or None}
    verdict = dict.fromkeys(names.ids(root / "data" / "claims.csv"), str(Outcome.NOT_YET_RUN))
    verdict |= {each["claim_id"]: str(each["outcome"]) for each in collected(root, VERDICTS_FILE)}
    return {each["chapter"]: each["numbers"] for each in taught} | {BOOK: book, VERDICT: verdict}


def dots(basis: Mapping[str, Any]) -> int:
    """How sure, of three: many blocks in two visits or more, many blocks, or fewer."""
    many = int(basis["blocks"]) >= MANY_BLOCKS
    return 3 if many and int(basis["visits"]) >= MANY_VISITS else 2 if many else 1


def stands_on(basis: Mapping[str, Any], *, brief: bool = False) -> str:
    """What a number stands on, in words; what was met in one visit is a first result. brief: without the blocks."""
    blocks, visits, hosts = (int(basis[name]) for name in ("blocks", "visits", "hosts"))
    counted = f"{blocks}\N{NO-BREAK SPACE}block{'s' if blocks > 1 else ''}"
    if visits < MANY_VISITS:
        return "first result" if brief else f"first result, {counted}"
    if brief:
        return f"{visits}\N{NO-BREAK SPACE}visits"
    more = [f"{count}\N{NO-BREAK SPACE}{name}" for count, name in ((visits, "visits"), (hosts, "hosts")) if count > 1]
    return ", ".join([counted, *more])


class SureRole(SphinxRole):
    """``{sure}`cache_sizing```: how sure the numbers of a chapter are, as dots and words; nothing without a run.

    On the first page without the blocks: "first result", or how many visits.
    """

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        bases = {each["chapter"]: each["basis"] for each in lessons.load(Path(self.env.srcdir))}
        basis = bases.get(self.text)
        if not basis:
            return [], []
        full, brief = dots(basis), is_front(self.env.docname, self.env.config.root_doc)
        drawn = f'<span role="img" aria-label="sureness {full} of 3">{"●" * full}{"○" * (3 - full)}</span>'
        words = nodes.Text(f"\N{NO-BREAK SPACE}{stands_on(basis, brief=brief)}")
        return [nodes.inline("", "", nodes.raw("", drawn, format="html"), words, classes=["benchbook-sure"])], []


class ChapterRole(SphinxRole):
    """``{chapter}`cache_sizing```: a link to the chapter by its number; its name where there is no such page."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if f"book/chapters/{self.text}" in self.env.found_docs:
            return [ChapterNumber(chapter=self.text)], []
        return [nodes.Text(names.in_words(self.text))], []


def read(app: Sphinx, page: str, source: list[str]) -> None:
    """Fill a page that is about to be read, which is read again whenever the lessons or verdicts change."""
    if page not in PAGES and not page.startswith(FOLDERS):
        return
    for name in (LESSONS_FILE, VERDICTS_FILE):
        app.env.note_dependency(beside_chapters(name))
    source[0] = fill(source[0], known(Path(app.srcdir)))


def asked(text: str) -> Iterable[tuple[str, str]]:
    """Chapter and number of each name in a page."""
    for line in text.splitlines():
        if _asks(line):
            yield from ((chapter, name) for chapter in wanted(line) for name in parts_of(line, chapter))
