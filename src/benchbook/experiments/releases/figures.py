"""The figures: each comparison on both releases, and the ratio of the two; words: page.md."""

from __future__ import annotations

from functools import partial

from benchbook.experiments.releases.arms import COMPARED, RELEASES
from benchbook.experiments.releases.numbers import Summary
from benchbook.experiments.shape.regular import Dots
from benchbook.model import Estimate

LABELS = {compared: label for compared, (label, _, _) in COMPARED.items()}


def _effect(release: str, summary: Summary, compared: str) -> Estimate:
    return summary.effect(compared, release)


effects = Dots(
    rows=LABELS, row="comparison",
    series={words: partial(_effect, release) for release, words in RELEASES.items()}, heading="release",
    axis="ratio of throughput (below 1: costs)", quantity="ratio", replicates="blocks", rule=1,
)  # fmt: skip
apart = Dots(
    rows=LABELS, row="comparison", series={"one release ÷ the other": lambda summary, row: summary.apart(row)},
    axis="ratio on the notes' release ÷ on the book's", quantity="ratio of ratios", replicates="blocks",
    scale="log", rule=1,
)  # fmt: skip

FIGURES = {"effects": effects, "apart": apart}
