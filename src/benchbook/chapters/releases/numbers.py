"""The numbers of the chapter, each once and by name: comparisons of settings on each release, and how far apart."""

from __future__ import annotations

from typing import ClassVar

from benchbook.chapters.releases.arms import AGAIN, COMPARED, NOTES, OURS, RELEASES, Parameters, at
from benchbook.drawing.two_releases import Comparisons
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.numbers.estimands import average, ratio
from benchbook.numbers.metrics import Metric, Metrics

TPS = "tps"
AA = (AGAIN, at(OURS, "full"))
COMPARISONS = Comparisons(TPS, COMPARED, at, RELEASES)


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    METRICS: ClassVar[Metrics] = {
        **metric_words.METRICS,
        "reads_per_transaction": Metric("pages of a transaction that the pool lacks", format="{:.3g}".format),
    }


NUMBERS = {
    **COMPARISONS.numbers(),
    "newer_writes": ratio(at(OURS, "full"), at(NOTES, "full"), TPS),
    "newer_reads": ratio(at(OURS, "reads_full"), at(NOTES, "reads_full"), TPS),
    **{f"misses_{release}": average(at(release, "small"), "reads_per_transaction") for release in RELEASES},
    "same": ratio(*AA, TPS),
}
WORDS = COMPARISONS.words()
