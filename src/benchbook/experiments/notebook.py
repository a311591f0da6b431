"""A chapter's notebook, made of its page: title, parameters, the run, the answer, then the page in reading order."""

import json
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import nbformat
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from benchbook.experiments.manifest import Chapter
from benchbook.pages.page import Block
from benchbook.parameters import wording
from benchbook.parameters.kinds import Kind

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SHOWN, HIDDEN = "remove-input", "hide-output"
Cell = dict[str, Any]
WIDTH, ROOM = 120, 40
"""Of a line, and what its words get of it at least."""
_SAID = ("MiB", "GiB", "bytes", "%", "ns", "µs", "ms", "s")
"""Units proper; what a name counts, such as keys, it says itself."""


def of(chapter: Chapter) -> str:
    """The file of a chapter's notebook, without outputs."""
    return text(chapter, chapter.page.page.blocks, chapter.Parameters)


def text(chapter: Chapter, blocks: Sequence[Block], model: type[BaseModel]) -> str:
    """The same of a page that is not there yet. model: of the parameters."""
    judged = any(each.kind == "verdicts" for each in blocks)
    cells = [
        _words(f"# {chapter.title}\n\n**{chapter.question}**"),
        _code(assignments(model), "parameters"),
        _code(_setup(chapter, judged), "setup"),
        _code("chapter.opening(summary)", SHOWN),
        *_cells(chapter.name, blocks),
    ]
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place:02}"
    made = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    nbformat.validate(made)
    return f"{json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)}\n"


def assignments(model: type[BaseModel]) -> str:
    """The cell of parameters, a line for each; of a long list a line for each value.

    papermill's help reads ``name: type = value  # words``, on one line but for the values of a list.
    """
    return "\n".join(_assignment(name, field) for name, field in model.model_fields.items())


def python_type(annotation: Any) -> str:
    """Python's name of a type, as simple as a reader needs it: int, str for a choice, list[float]."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return type(parts[0]).__name__
    if origin in (tuple, list):
        return f"list[{python_type(parts[0])}]"
    if origin in (typing.Annotated, typing.Union, types.UnionType):
        return python_type(parts[0])
    return str(annotation.__name__)


def meaning(name: str, field: FieldInfo) -> str:
    """What a parameter means, after its choices where it has some, and before its unit unless that is said."""
    said, unit = field.description or "", wording.unit(name)
    if typing.get_origin(field.annotation) is Literal:
        return f"{wording.kind(field.annotation)}: {said}"
    named = unit in _SAID and unit not in said
    return f"{said}; in {unit}" if named else said


def _assignment(name: str, field: FieldInfo) -> str:
    value, start = field.default, f"{name}: {python_type(field.annotation)} = "
    words = meaning(name, field)
    if not isinstance(value, tuple | list):
        return _commented(f"{start}{_literal(value)}", words)
    values = [_literal(each) for each in value]
    line = f"{start}[{', '.join(values)}]"
    if len(line) <= WIDTH - ROOM:
        return _commented(line, words)
    return "\n".join([f"{start}[", *(f"    {each}," for each in values), _commented("]", words)])


def _commented(code: str, words: str) -> str:
    """As much of the words as the line holds, up to the end of a clause; `benchbook show` has all."""
    line, end = f"{code}  # {words}", WIDTH - len(" …")
    if len(line) <= WIDTH:
        return line
    start = len(code) + ROOM // 2
    cut = max(line.rfind(mark, start, end + 1) for mark in ("; ", " ("))
    cut = cut if cut > 0 else max(line.rfind(mark, start, end + 1) for mark in (", ", " "))
    return f"{line[:cut]} …"


def _literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _setup(chapter: Chapter, judged: bool) -> str:
    claims, table = "from benchbook.claims import chapter_claims", "from benchbook.figures import VerdictTable"
    lines = [
        "from benchbook import lab",
        *[claims, table] * judged,
        "",
        f"chapter = lab.experiment({json.dumps(chapter.name)})",
    ]
    if chapter.kind is Kind.ANALYSIS:
        lines += ["summary = chapter.summarize(lab.parameters(chapter, globals()))"]
        lines += ["figures = chapter.figures(summary)"]
    else:
        lines += ["run = lab.obtain(chapter, lab.parameters(chapter, globals()))"]
        lines += ["summary = chapter.summarize(run)", "figures = lab.figures(chapter, summary)"]
    return "\n".join(lines + ["verdicts = chapter.judge(summary)"] * judged)


def _cells(name: str, blocks: Iterable[Block]) -> Iterator[Cell]:
    for each in blocks:
        if each.kind == "markdown":
            yield _words(each.text)
        elif each.kind != "part":
            yield _code(_call(name, each), SHOWN, fold=each.options.fold)


def _call(chapter: str, each: Block) -> str:
    quoted = json.dumps(each.name)
    calls = {
        "say": f"chapter.say(summary, {quoted})",
        "table": f"chapter.table(summary, {quoted})",
        "figure": f"figures[{quoted}]",
        "lesson": "chapter.lesson(summary)",
        "verdicts": f'VerdictTable.of("{chapter}", verdicts, chapter_claims("{chapter}"))',
    }
    return calls[each.kind]


def _words(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}


def _code(source: str, tag: str, fold: str = "") -> Cell:
    metadata: dict[str, Any] = {"tags": [tag, *([HIDDEN] if fold else [])]}
    if fold:
        metadata["mystnb"] = {"code_prompt_hide": fold, "code_prompt_show": fold}
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": None, "metadata": metadata, "outputs": [], "source": lines}
