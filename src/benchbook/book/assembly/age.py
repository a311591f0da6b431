"""Whether the chapter of a figure that was built earlier would be made of something else today."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchbook.book.assembly import chapter_plan
from benchbook.book.records import figure_list, inputs

OLDER = "this is of an older build: runs, notebook or code of its chapter changed since; `benchbook build` builds anew"


def is_older(root: Path, figure: Mapping[str, Any]) -> bool:
    """Whether runs, notebook or code of a figure's chapter changed since the book was built.

    A figure of the book itself, which stands in no chapter, is never taken for older.
    """
    if not figure_list.in_chapter(figure):
        return False
    name = str(figure["chapter"])
    made = inputs.read_json(root / figure_list.CHAPTERS / f"{name}.key.json")
    now = chapter_plan.basis(root, name, published=bool(made.get("published")))
    return made.get("basis") != now
