"""The figures: each comparison on both releases, and the ratio of the two; words in the page."""

from __future__ import annotations

from benchbook.chapters.releases.numbers import COMPARISONS

FIGURES = {
    "effects": COMPARISONS.effects("ratio of throughput (below 1: costs)"),
    "apart": COMPARISONS.far("ratio on the notes' release ÷ on the book's"),
}
