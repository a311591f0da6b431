"""The warning at a figure of absolute numbers: a level is a machine's on a day, only ratios carry over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from docutils import nodes

from benchbook.book.parts.nodes import SiteLink

WARNING = "Absolute times and throughputs are this machine's on the days of measuring; "
CARRY_OVER = "only ratios carry over"
CLASS = "benchbook-levels"
PLACE = "book/methods.html#blocks"
_UNIT = re.compile(r"\((?:ns|µs|ms|s|min)\b|\bTPS\b|per second|a second")
_RELATIVE = re.compile(r"ratio|share|over|speed-up|times|/ ", re.IGNORECASE)


def absolute(record: Mapping[str, Any]) -> bool:
    """Whether a figure's table has a column of times or throughputs, by its heading."""
    headings = map(str, record["data"]["columns"])
    return any(_UNIT.search(each) and not _RELATIVE.search(each) for each in headings)


def warning(document: nodes.document, record: Mapping[str, Any], *, measured: bool) -> list[nodes.Node]:
    """The line below the first such figure of a page; nothing below any other. measured: whether a run is behind it."""
    if (
        not measured
        or not absolute(record)
        or any(CLASS in each["classes"] for each in document.findall(nodes.paragraph))
    ):
        return []
    line = nodes.paragraph("", WARNING, classes=[CLASS])
    line += SiteLink(path=PLACE, words=CARRY_OVER, download=False)
    line += nodes.Text(".")
    return [line]
