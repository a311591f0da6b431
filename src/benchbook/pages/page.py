"""A chapter's page: one text in reading order, which its notebook is made of, with numbers by their names.

It is Markdown as MyST has it. It begins with settings between two lines of ---, as YAML (``Front``); what needs a run
stands in directives between colon fences, with their options as YAML between two lines of ---:

``{say} name``      sentences that are shown here, one a line
``{part} name``     sentences that are shown elsewhere: ``advice`` on the first screen and at the end of the page, what
                    other parts take, what the settings name
``{figure} name``   a figure; ``title``, what it shows (``finding``, in a sentence without full stop, of several the
                    first that the run can fill and whose conditions leave anything), what it says in words (``alt``,
                    where that is not usual); then its caption
``{table} name``    a table, with its ``title``: ``levels`` and ``means``, each a line with the metrics of its columns;
                    ``levels else not estimable:`` says what a cell without a number says, ``without:`` names a group of
                    configurations that have no row. Or the table itself, headings first, each row a line of
                    ``| cells | ... |``; ``{% for each in runs %}`` and ``{% endfor %}`` on lines of their own repeat
                    rows. Spaces are around what parts two cells, and not before a filter. Or nothing: the chapter's
                    ``TABLES`` have it
``{verdicts}``      every claim with its verdict and reason
``{lesson}``        the answers, and sentences that stand beside them

``fold`` names what hides a part, a table or the verdicts until it is opened. Title, question, parameters and answer
stand before all this and are not written here.

A line ``= name`` stands for the sentences of another part. An indented line, ``= name`` too, belongs to the sentence
above it: both are shown, or neither. A sentence is left out where the run has not all of its numbers; it does without
one that it asks for by ``{% if name is defined %}``.

Beside the chapter's numbers (``.point``, ``.low``, ``.high``) and words, a sentence may name ``p``, the parameters,
``arms``, how many configurations there are, and ``on``, the engine with its version; of a figure also ``n`` rows,
``series``, ``said``, what it shows row by row, and ``intervals``, what these are. Filters: ``n`` with thousands,
``digits`` as many as the interval bears, ``g``, ``mean`` of counts, ``letters`` for small numbers, ``listed``,
``spanned``, ``interval``, ``spoken`` (``figures/filling.py``).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from markdown_it import MarkdownIt
from mdit_py_plugins.colon_fence import colon_fence_plugin

from benchbook.errors import BenchbookError
from benchbook.parameters import heads
from benchbook.parameters.heads import Facts, Settings

_SAME = "= "
_NAMED = re.compile(r"\{([a-z]+)\}(?: ([a-z0-9_]+))?")
Paragraphs = tuple[tuple[str, ...], ...]
"""Sentences, paragraph by paragraph."""


class Claimed(Settings):
    """A claim as the page tells of it; as in ``answers.Answer``, with the name of its number and of its figure."""

    number: str
    figure: str = ""
    said: str = ""
    seen: str = ""
    row: str = ""
    cause: str = ""
    beside: str = ""
    """Name of the part whose sentence follows the number wherever the claim is told."""


class Turned(Settings):
    """A title by the interval of a claim, as in ``sides.Turn``. by: the claim. The three may name numbers."""

    by: str
    above: str
    below: str
    open: str
    at: float = 1.0


class Front(Facts):
    """The settings of a page: what the chapter is, and what the page needs to know.

    ids: what the ids of its figures begin with. figure: the key figure. title: fixed, or by a claim's interval.
    claimed: what the notes say. numbers: three for the first screen, each a claim or a part that is
    one sentence. differs: what begins the paragraph on how a run differs from what was asked, where that is unusual.
    """

    ids: str
    figure: str
    title: str | Turned
    claimed: str = ""
    numbers: tuple[str, ...] = ()
    claims: Mapping[str, Claimed] = {}
    differs: str = ""

    @property
    def titles(self) -> list[str]:
        """All that the title may be."""
        return [self.title] if isinstance(self.title, str) else [self.title.above, self.title.below, self.title.open]

    def figure_id(self, name: str) -> str:
        """Of a figure's short name; "" for none."""
        return f"{self.ids}-{name.replace('_', '-')}" if name else ""


@dataclass(frozen=True)
class Titled:
    """A figure or a table: its title and its lines.

    alt: what a figure says in words, so too; "" for the usual. findings: what it shows, of which the first that a run
    can fill counts.
    """

    title: str
    paragraphs: Paragraphs
    alt: str = ""
    findings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it, a sentence a line."""
        return _lines(self.paragraphs)


Kind = Literal["markdown", "say", "part", "figure", "table", "verdicts", "lesson"]
NAMELESS: tuple[Kind, ...] = ("verdicts", "lesson")


class Options(Settings):
    """What a directive says beside its lines; the module's words tell which has what."""

    title: str = ""
    finding: str | tuple[str, ...] = ()
    alt: str = ""
    fold: str = ""

    @property
    def findings(self) -> tuple[str, ...]:
        """All that may be shown."""
        return (self.finding,) if isinstance(self.finding, str) else self.finding


@dataclass(frozen=True)
class Block:
    """A piece of the page, in reading order. kind: "markdown", or a directive's. line: where it begins, from 1."""

    kind: Kind
    name: str
    options: Options
    text: str
    line: int


@dataclass(frozen=True)
class Page:
    """The page in its parts, by name, and in reading order."""

    front: Front
    parts: Mapping[str, Paragraphs] = field(default_factory=dict)
    figures: Mapping[str, Titled] = field(default_factory=dict)
    tables: Mapping[str, Titled] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    """Parts whose sentences other parts take."""
    blocks: tuple[Block, ...] = ()


@cache
def read(path: Path) -> Page:
    """A page that is there. Raises BenchbookError with file and line for what is no part of one."""
    settings, lines = heads.read(path)
    place, front = path.name, heads.checked(Front, path.name, settings)
    blocks = tuple(_blocks(place, lines))
    _once(place, blocks)
    own = {"lesson" if each.kind == "lesson" else each.name: each.text for each in blocks if each.kind in _SPOKEN}
    plain = {name: _paragraphs(text) for name, text in own.items() if text}

    def whole(text: str) -> Paragraphs:
        return _whole(place, _paragraphs(text), plain)

    figures = {
        each.name: Titled(
            each.options.title, whole(each.text), _lines(whole(each.options.alt)),
            tuple(line for text in each.options.findings for own in whole(text) for line in own),
        )
        for each in blocks
        if each.kind == "figure" and each.options.title
    }  # fmt: skip
    tables = {
        each.name: Titled(each.options.title, whole(each.text))
        for each in blocks
        if each.kind == "table" and each.options.title
    }
    taken = frozenset(line.strip().removeprefix(_SAME) for line in lines if line.strip().startswith(_SAME))
    parts = {name: _whole(place, each, plain) for name, each in plain.items()}
    return Page(front, parts, figures, tables, taken, blocks)


_SPOKEN: tuple[Kind, ...] = ("say", "part", "lesson")


def _blocks(place: str, lines: list[str]) -> Iterator[Block]:
    """What stands below the settings, in whose place there are empty lines."""
    at = 0
    for token in MarkdownIt("commonmark").use(colon_fence_plugin).parse("\n".join(lines)):
        if token.type != "colon_fence" or token.map is None:
            continue
        begins, ends = token.map
        yield from _markdown(place, lines, at, begins)
        yield _directive(place, begins + 1, token.info.strip(), token.content)
        at = ends
    yield from _markdown(place, lines, at, len(lines))


def _markdown(place: str, lines: list[str], start: int, end: int) -> Iterator[Block]:
    for number in range(start, end):
        if "{{" in lines[number] or "{%" in lines[number]:
            raise BenchbookError(
                f"{place}, line {number + 1}: names of numbers are not filled here", "put the sentence into {say}"
            )
    while start < end and not lines[start].strip():
        start += 1
    if text := "\n".join(lines[start:end]).rstrip():
        yield Block("markdown", "", Options(), text, start + 1)


def _directive(place: str, line: int, info: str, content: str) -> Block:
    found = _NAMED.fullmatch(info)
    kinds = [kind for kind in get_args(Kind) if kind != "markdown"]
    if found is None or found[1] not in kinds or (found[2] is None) != (found[1] in NAMELESS):
        raise BenchbookError(f"{place}, line {line}: {info!r} begins no part of a page", f"see {__name__}")
    own, options = content.splitlines(), ""
    if own and own[0] == heads.FENCE and heads.FENCE in own[1:]:
        end = own.index(heads.FENCE, 1)
        options, own = "\n".join(own[1:end]), own[end + 1 :]
    where = f"{place}, line {line}"
    given = heads.checked(Options, where, heads.loaded(where, options)) if options else Options()
    return Block(next(kind for kind in get_args(Kind) if kind == found[1]), found[2] or "", given, "\n".join(own), line)


def _once(place: str, blocks: tuple[Block, ...]) -> None:
    """Raise BenchbookError where two parts, figures or tables have one name, or a figure's words are not whole."""
    seen: set[tuple[str, str]] = set()
    for each in blocks:
        kind = "say" if each.kind == "part" else each.kind
        if each.kind != "markdown" and (kind, each.name) in seen:
            words = f"there are two of {{{each.kind}}} {each.name}".rstrip()
            raise BenchbookError(f"{place}, line {each.line}: {words}", "rename one of them")
        seen.add((kind, each.name))
        if each.kind in ("figure", "table") and each.text and not each.options.title:
            raise BenchbookError(f"{place}, line {each.line}: {each.name!r} has words and no title", "give it a title")


def _lines(paragraphs: Paragraphs) -> str:
    return "\n".join(sentence for paragraph in paragraphs for sentence in paragraph)


def _whole(place: str, some: Paragraphs, parts: Mapping[str, Paragraphs]) -> Paragraphs:
    """These with the sentences of parts where they name one; those of a part that names others do not count."""

    def sentences(line: str) -> list[str]:
        if "\n" in line:
            return [" ".join(each for own in line.split("\n") for each in sentences(own))]
        if not line.startswith(_SAME):
            return [line]
        name = line.removeprefix(_SAME).strip()
        if name not in parts:
            raise BenchbookError(f"{place}: '= {name}' names no part", "correct the name")
        return [each.replace("\n", " ") for own in parts[name] for each in own if not each.startswith(_SAME)]

    return tuple(tuple(each for line in paragraph for each in sentences(line)) for paragraph in some)


def _paragraphs(text: str) -> Paragraphs:
    """Sentences, a line each with those indented below it, of paragraphs between empty lines."""
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if not line.strip():
            found.append([])
        elif line.startswith(" ") and found[-1]:
            found[-1][-1] += f"\n{line.strip()}"
        else:
            found[-1].append(line.strip())
    return tuple(tuple(paragraph) for paragraph in found if paragraph)
