"""A chapter's page.md: the words of its claims, title, figures, tables and paragraphs, with numbers by their names.

It begins with settings between two lines of ---, as YAML (``Front``). Then come parts, each below a heading:

``# name``              paragraphs that the notebook shows with ``chapter.say(summary, "name")``, one sentence a line
``# figure name: title``  the caption of a figure; below ``# alt name`` what it says in words, where that is not usual;
                         below ``# finding name`` what it shows, in a sentence without full stop, of several lines the
                         first that the run can fill and whose conditions leave anything
``# table name: title``   a table: ``levels`` and ``means``, each a line with the metrics of its columns; ``levels else
                         not estimable:`` says what a cell without a number says, ``without:`` names a group of
                         configurations that have no row. Or the table itself, headings first, each row a line of
                         ``| cells | ... |``; ``{% for each in runs %}`` and ``{% endfor %}`` on lines of their own
                         repeat rows. Spaces are around what parts two cells, and not before a filter
``# advice``            what to do: its first paragraph stands on the first screen, all of it at the end of the page
``# lesson``            sentences that stand beside the answers at the end of the page

A line ``= name`` stands for the sentences of another part. An indented line, ``= name`` too, belongs to the sentence
above it: both are shown, or neither. A sentence is left out where the run has not all of its numbers; it does without
one that it asks for by ``{% if name is defined %}``.

Beside the chapter's numbers (``.point``, ``.low``, ``.high``) and words, a sentence may name ``p``, the parameters,
``arms``, how many configurations there are, and ``on``, the engine with its version; of a figure also ``n`` rows,
``series``, ``said``, what it shows row by row, and ``intervals``, what these are. Filters: ``n`` with thousands,
``digits`` as many as the interval bears, ``g``, ``mean`` of counts, ``letters`` for small numbers, ``listed``,
``spanned``, ``interval``, ``spoken`` (``figures/filling.py``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from benchbook.errors import BenchbookError

_HEADING = re.compile(r"# (?:(figure|alt|finding|table) )?([a-z0-9_]+)(?:: (.+))?")
_FENCE = "---"
_SAME = "= "
Paragraphs = tuple[tuple[str, ...], ...]
"""Sentences, paragraph by paragraph."""


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Claimed(_Settings):
    """A claim as the page tells of it; as in ``answers.Answer``, with the name of its number and of its figure."""

    number: str
    figure: str = ""
    said: str = ""
    seen: str = ""
    row: str = ""
    cause: str = ""
    beside: str = ""
    """Name of the part whose sentence follows the number wherever the claim is told."""


class Turned(_Settings):
    """A title by the interval of a claim, as in ``sides.Turn``. by: the claim. The three may name numbers."""

    by: str
    above: str
    below: str
    open: str
    at: float = 1.0


class Front(_Settings):
    """The settings of a page.

    ids: what the ids of its figures begin with. figure: the key figure. title: fixed, or by a claim's interval.
    claimed: what the notes say. numbers: three for the first screen, each a claim or a part that is
    one sentence. differs: what begins the paragraph on how a run differs from what was asked, where that is unusual.
    """

    ids: str
    figure: str
    title: str | Turned
    claimed: str = ""
    numbers: tuple[str, ...] = ()
    claims: dict[str, Claimed] = {}
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


@dataclass(frozen=True)
class Page:
    """The page in its parts, by name."""

    front: Front
    parts: Mapping[str, Paragraphs] = field(default_factory=dict)
    figures: Mapping[str, Titled] = field(default_factory=dict)
    tables: Mapping[str, Titled] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    """Parts whose sentences other parts take."""


@cache
def read(path: Path) -> Page:
    """A page that is there. Raises BenchbookError with file and line for what is no part of one."""
    lines = path.read_text(encoding="utf-8").splitlines()
    place = f"{path.parent.name}/{path.name}"
    if not lines or lines[0] != _FENCE or _FENCE not in lines[1:]:
        raise BenchbookError(f"{place} does not begin with settings between two lines of {_FENCE}", "give it some")
    end = lines.index(_FENCE, 1)
    front = _front(place, "\n".join(lines[1:end]))
    found: dict[str, dict[str, Any]] = {"": {}, "figure": {}, "alt": {}, "finding": {}, "table": {}}
    own: list[list[str]] = []
    for number, line in enumerate(lines[end + 1 :], end + 2):
        if line.startswith("# "):
            match = _HEADING.fullmatch(line)
            if match is None or not _titled(match[1], match[3]):
                raise BenchbookError(f"{place}, line {number}: {line!r} heads no part", "see shape/written.py")
            kind, own = match[1] or "", [[]]
            name = match[2]
            if name in found[kind]:
                raise BenchbookError(f"{place}, line {number}: there are two parts {name!r}", "rename one of them")
            found[kind][name] = (match[3], own)
        elif line.strip():
            if not own:
                raise BenchbookError(f"{place}, line {number}: words before any heading", "put them below one")
            if line.startswith(" ") and own[-1]:
                own[-1][-1] += f"\n{line.strip()}"
            else:
                own[-1].append(line.strip())
        elif own and own[-1]:
            own.append([])
    plain = {kind: {name: _paragraphs(own) for name, (_, own) in each.items()} for kind, each in found.items()}
    whole = {kind: _whole(place, each, plain[""]) for kind, each in plain.items()}
    alts = {name: _lines(own) for name, own in whole["alt"].items()}
    for kind in ("alt", "finding"):
        if stray := whole[kind].keys() - whole["figure"].keys():
            raise BenchbookError(
                f"{place}: '# {kind} {min(stray)}' is of no figure", "correct the name of the figure there"
            )
    found_by = {name: tuple(each for part in own for each in part) for name, own in whole["finding"].items()}
    return Page(
        front,
        whole[""],
        {
            name: Titled(found["figure"][name][0], own, alts.get(name, ""), found_by.get(name, ()))
            for name, own in whole["figure"].items()
        },
        {name: Titled(found["table"][name][0], own) for name, own in whole["table"].items()},
        frozenset(line.strip().removeprefix(_SAME) for line in lines if line.strip().startswith(_SAME)),
    )


def _titled(kind: str | None, title: str | None) -> bool:
    """Whether such a part may have this title, or none."""
    return (kind in ("figure", "table")) == (title is not None)


def _lines(paragraphs: Paragraphs) -> str:
    return "\n".join(sentence for paragraph in paragraphs for sentence in paragraph)


def _whole(place: str, some: Mapping[str, Paragraphs], parts: Mapping[str, Paragraphs]) -> dict[str, Paragraphs]:
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

    return {
        name: tuple(tuple(each for line in paragraph for each in sentences(line)) for paragraph in own)
        for name, own in some.items()
    }


def _front(place: str, text: str) -> Front:
    try:
        return Front.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise BenchbookError(f"{place}: its settings are no YAML ({error})", "correct them") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BenchbookError(f"{place}: {where}: {first['msg']}", "correct its settings") from error


def _paragraphs(lines: list[list[str]]) -> Paragraphs:
    return tuple(tuple(paragraph) for paragraph in lines if paragraph)
