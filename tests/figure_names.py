"""The ids of all figures, as their chapters' pages give them."""

from functools import cache

from benchbook import lab
from benchbook.experiments import parts


@cache
def ids() -> frozenset[str]:
    """Of every figure of every chapter."""
    found = set()
    for name in lab.names():
        chapter = lab.experiment(name)
        drawn = parts.held(chapter.package, "FIGURES")
        found |= {chapter.page.page.front.figure_id(each) for each in drawn}
    return frozenset(found)
