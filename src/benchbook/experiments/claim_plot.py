# ruff: noqa
"""For chapters of the old shape."""

from benchbook.claims import chapter_claims
from benchbook.errors import BenchbookError
from benchbook.experiments.shape import claim_figure
from benchbook.experiments.shape.claim_figure import ClaimPlot, named, open_to, quoted


def draw(
    chapter, estimands, summary, *, label, height, each, title="ratio (see the claim)", units=("ratio",), edges=None
):
    claims = chapter_claims(chapter)
    entries = []
    for name, estimand in estimands.items():
        if claims[name].unit in units:
            try:
                entries.append((claims[name], estimand.compute(summary, 0.95), ""))
            except BenchbookError as error:
                entries.append((claims[name], None, error.problem))
    return claim_figure.draw(entries, label=label, height=height, each=each, axis=title, edges=edges)
