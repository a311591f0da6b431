"""A chapter's notebook, made of its page: title, parameters, the run, the answer, then the page in reading order."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import nbformat
from pydantic import BaseModel

from benchbook.experiments.manifest import Chapter
from benchbook.pages.page import Block
from benchbook.parameters import notebook_cell
from benchbook.parameters.kinds import Kind

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
SHOWN, HIDDEN = "remove-input", "hide-output"
Cell = dict[str, Any]


def of(chapter: Chapter) -> str:
    """The file of a chapter's notebook, without outputs."""
    return text(chapter, chapter.page.page.blocks, chapter.Parameters)


def text(chapter: Chapter, blocks: Sequence[Block], model: type[BaseModel]) -> str:
    """The same of a page that is not there yet. model: of the parameters."""
    judged = any(each.kind == "verdicts" for each in blocks)
    cells = [
        _words(f"# {chapter.title}\n\n**{chapter.question}**"),
        _code(notebook_cell.text(model), "parameters"),
        _code(_setup(chapter, judged), "setup"),
        _code("chapter.opening(summary)", SHOWN),
        *_cells(chapter.name, blocks),
    ]
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place:02}"
    made = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
    nbformat.validate(made)
    return f"{json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False)}\n"


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
