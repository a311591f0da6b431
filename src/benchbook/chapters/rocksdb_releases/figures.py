"""The figures: each comparison on both releases, and the ratio of the two; words in the page."""

from __future__ import annotations

from benchbook.chapters.rocksdb_releases.numbers import COMPARISONS

FIGURES = {
    "effects": COMPARISONS.effects("ratio of a look-up's time (right of 1: slower)", scale="log"),
    "apart": COMPARISONS.far("ratio on the note's release ÷ on the book's"),
}
