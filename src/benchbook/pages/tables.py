"""Tables of a chapter: one row per configuration, one column per quantity, empty where the run holds too little."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.numbers.summary import NotEstimableError, Summary
from benchbook.pages.prose import filled

Columns = dict[str, Callable[[str], str]]
"""Heading to what gives the cell of a configuration."""

_BEGINS, _ENDS = re.compile(r"{%-? (?:for|if) "), re.compile(r"{%-? end(?:for|if) ")
_CELL = "\ue000"
"""After each cell of rows that are filled together: a cell's text may have any other sign."""
NOT_ESTIMABLE = "not estimable"
UNKNOWN = "unknown"


def table(
    rows: Iterable[tuple[Mapping[str, object], Any]], columns: Mapping[str, Callable[[Any], str]]
) -> pd.DataFrame:
    """A table of texts. rows: what names a row, which becomes the index, and what its columns are asked of.

    Without rows it has its headings alone.
    """
    every = list(rows)
    if not every:
        return pd.DataFrame(columns=list(columns))
    found = pd.DataFrame([{**names} | cells(columns, key) for names, key in every])
    return found.set_index(list(every[0][0]) if len(every[0][0]) > 1 else next(iter(every[0][0])))


def distinct(summary: Summary, column: str) -> Callable[[str], str]:
    """What the trials of a configuration say in a column of words, each once; unknown where none says it."""
    return lambda arm: ", ".join(sorted({*summary.in_blocks(arm)[column].dropna()})) or UNKNOWN


def written(lines: Iterable[str], fill: Callable[[str], str]) -> pd.DataFrame:
    """A table whose rows stand in a page, headings first; a cell that the run cannot fill is unknown.

    Rows between ``{% for each in runs %}`` and ``{% endfor %}``, on lines of their own, are repeated, and filled whole
    or left out.
    """
    headings, *rows = (row for part in _blocks(lines) for row in _rows(part, fill))
    for row in rows:
        if len(row) != len(headings):
            raise BenchbookError(
                f"a row of a table has {len(row)} cells below {len(headings)} headings: {row[0]!r}",
                "give it as many in the chapter's page",
            )
    return pd.DataFrame(rows, columns=headings).set_index(headings[0])


def _blocks(lines: Iterable[str]) -> Iterable[list[str]]:
    """Each row by itself, but those of a loop together with its lines."""
    block: list[str] = []
    depth = 0
    for line in lines:
        depth += len(_BEGINS.findall(line)) - len(_ENDS.findall(line)) if not line.startswith("|") else 0
        block.append(line)
        if depth == 0:
            yield block
            block = []
    if block:
        raise BenchbookError(f"a loop of a table has no end: {block[0]}", "end it in the chapter's page")


def _rows(block: list[str], fill: Callable[[str], str]) -> Iterable[list[str]]:
    if len(block) == 1:
        yield [next(iter(filled(partial(fill, cell))), UNKNOWN) for cell in _cells(block[0])]
        return
    ended = ("".join(f"{cell}{_CELL}" for cell in _cells(line)) if line.startswith("|") else line for line in block)
    for rows in filled(partial(fill, "\n".join(ended))):
        yield from ([cell.strip() for cell in row.split(_CELL)[:-1]] for row in rows.splitlines())


def _cells(line: str) -> list[str]:
    """Those of a row; spaces are around what parts two of them, and none before a filter."""
    return [cell.strip() for cell in f"{line} ".removeprefix("|").rstrip().removesuffix("|").split(" | ")]


def cells(columns: Mapping[str, Callable[[Any], str]], key: Any) -> dict[str, str]:
    """A row's cells, empty where the run holds too little. columns: heading to text."""
    found = {}
    for name, text in columns.items():
        try:
            found[name] = text(key)
        except NotEstimableError:
            found[name] = ""
    return found


def levels(summary: Summary, *names: str, otherwise: str = "") -> Columns:
    """Columns with the level of each metric and its interval. otherwise: what a cell says that has none."""
    return {summary.METRICS[name].column: partial(_level, summary, name, otherwise) for name in names}


def means(summary: Summary, *names: str, otherwise: str = "") -> Columns:
    """Columns with the mean of each metric, of a count or a share that needs no interval. otherwise: as in levels."""
    return {summary.METRICS[name].column: partial(_mean, summary, name, otherwise) for name in names}


def _level(summary: Summary, name: str, otherwise: str, arm: str) -> str:
    return shown(summary.level, arm, name, factor=summary.METRICS[name].factor, otherwise=otherwise)


def _mean(summary: Summary, name: str, otherwise: str, arm: str) -> str:
    return summary.METRICS[name].written(summary.mean(arm, name)) if summary.has(arm, name) else otherwise


def shown(ask: Callable[..., Estimate], *arguments: object, factor: float = 1.0, otherwise: str = NOT_ESTIMABLE) -> str:
    """The number that ``ask(*arguments)`` gives, with its interval, or what is said otherwise."""
    try:
        return with_interval(ask(*arguments), factor)
    except BenchbookError:
        return otherwise
