"""The ids of all figures, as their chapters' pages give them."""

from __future__ import annotations

from functools import cache

from benchbook import lab
from benchbook.experiments.shape import parts


@cache
def ids() -> frozenset[str]:
    """Of every figure of every chapter."""
    found = set()
    for name in lab.names():
        package = lab.experiment(name).package
        page = parts.paged(package)
        assert page is not None
        found |= {page.page.front.figure_id(each) for each in parts.held(package, "figures", "FIGURES")}
    return frozenset(found)
