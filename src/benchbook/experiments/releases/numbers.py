"""The numbers of the chapter, each once and by name: comparisons of settings on each release, and how far apart."""

from __future__ import annotations

from typing import ClassVar

from benchbook import statistics
from benchbook.experiments.families.pgbench import metric_words
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.releases.arms import AGAIN, COMPARED, NOTES, OURS, RELEASES, Parameters, at
from benchbook.experiments.shape.estimands import average, ratio, told
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.model import Effect

TPS = "tps"
AA = (AGAIN, at(OURS, "full"))


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    METRICS: ClassVar[Metrics] = {
        **metric_words.METRICS,
        "reads_per_transaction": Metric("pages of a transaction that the pool lacks", format="{:.3g}".format),
    }

    def effect(self, compared: str, release: str) -> Effect:
        """Ratio of throughput that a comparison gives on one release."""
        _, top, bottom = COMPARED[compared]
        return self.ratio((at(release, top), TPS), (at(release, bottom), TPS))

    def apart(self, compared: str) -> Effect:
        """The ratio on the notes' release over that on the book's, paired within blocks, simultaneous at 95 %."""
        _, top, bottom = COMPARED[compared]
        (notes_top, notes_bottom), (own_top, own_bottom) = (
            [self.positive(at(release, case), TPS) for case in (top, bottom)] for release in (NOTES, OURS)
        )
        at_most = self.at(1 - 0.05 / len(COMPARED))
        return at_most.estimated(statistics.ratio, notes_top * own_bottom, notes_bottom * own_top)

    def differ(self) -> list[str]:
        """Comparisons whose ratio on the two releases is not the same, in words."""
        found = {label: self.apart(compared) for compared, (label, _, _) in COMPARED.items()}
        return [label for label, effect in found.items() if not effect.low <= 1 <= effect.high]


NUMBERS = {
    **{
        f"{compared}_{release}": told(Summary.effect, compared, release)
        for compared in COMPARED
        for release in RELEASES
    },
    **{f"{compared}_apart": told(Summary.apart, compared) for compared in COMPARED},
    "newer_writes": ratio(at(OURS, "full"), at(NOTES, "full"), TPS),
    "newer_reads": ratio(at(OURS, "reads_full"), at(NOTES, "reads_full"), TPS),
    **{f"misses_{release}": average(at(release, "small"), "reads_per_transaction") for release in RELEASES},
    "same": ratio(*AA, TPS),
}
WORDS = {
    "differ": Summary.differ,
    "notes_release": lambda summary: str(summary.run.provenance["notes_version"]),
    "our_release": lambda summary: str(summary.run.provenance["engine_version"]),
    "compared": lambda summary: len(COMPARED),
}
