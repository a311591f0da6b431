"""Tables of a chapter: one row per configuration, one column per quantity, empty where the run holds too little."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import with_interval
from benchbook.model import Estimate

NOT_ESTIMABLE = "not estimable"


def table(
    rows: Iterable[tuple[Mapping[str, object], Any]], columns: Mapping[str, Callable[[Any], str]]
) -> pd.DataFrame:
    """A table of texts. rows: what names a row, which becomes the index, and what its columns are asked of."""
    every = list(rows)
    found = pd.DataFrame([{**names} | cells(columns, key) for names, key in every])
    return found.set_index(list(every[0][0]) if len(every[0][0]) > 1 else next(iter(every[0][0])))


def cells(columns: Mapping[str, Callable[[Any], str]], key: Any) -> dict[str, str]:
    """A row's cells, empty where the run holds too little. columns: heading to text."""
    found = {}
    for name, text in columns.items():
        try:
            found[name] = text(key)
        except NotEstimableError:
            found[name] = ""
    return found


def shown(ask: Callable[..., Estimate], *arguments: object, factor: float = 1.0) -> str:
    """The number that ``ask(*arguments)`` gives, with its interval, or "not estimable"."""
    try:
        return with_interval(ask(*arguments), factor)
    except BenchbookError:
        return NOT_ESTIMABLE
