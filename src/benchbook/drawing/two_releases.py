"""Comparisons of settings that are made on two releases of an engine: on each, and how far apart the releases are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchbook import statistics
from benchbook.drawing.regular import Dots
from benchbook.model import Effect
from benchbook.numbers.estimands import Estimand, told
from benchbook.numbers.summary import Summary


@dataclass(frozen=True)
class Comparisons:
    """compared: by name the label and the two configurations, whose names begin with their release. releases: what
    figures call them, by name the book's and then that of the notes.
    """

    metric: str
    compared: Mapping[str, tuple[str, str, str]]
    releases: Mapping[str, str]

    def effect(self, summary: Summary[Any], name: str, release: str) -> Effect:
        """Ratio of the metric that a comparison gives on one release."""
        _, top, bottom = self.compared[name]
        return summary.ratio((f"{release}_{top}", self.metric), (f"{release}_{bottom}", self.metric))

    def apart(self, summary: Summary[Any], name: str) -> Effect:
        """The ratio on the notes' release over that on the book's, paired within blocks, simultaneous at 95 %."""
        _, top, bottom = self.compared[name]
        ours, notes = self.releases
        (notes_top, notes_bottom), (own_top, own_bottom) = (
            [summary.positive(f"{release}_{case}", self.metric) for case in (top, bottom)] for release in (notes, ours)
        )
        at_most = summary.at(1 - 0.05 / len(self.compared))
        return at_most.estimated(statistics.ratio, notes_top * own_bottom, notes_bottom * own_top)

    def differ(self, summary: Summary[Any]) -> list[str]:
        """Comparisons whose ratio on the two releases is not the same, in words."""
        found = {label: self.apart(summary, name) for name, (label, _, _) in self.compared.items()}
        return [label for label, effect in found.items() if not effect.low <= 1 <= effect.high]

    def numbers(self) -> dict[str, Estimand]:
        """Each comparison on each release, and the two over each other, by name."""
        pairs = ((name, release) for name in self.compared for release in self.releases)
        return {
            **{f"{name}_{release}": told(self.effect, name, release) for name, release in pairs},
            **{f"{name}_apart": told(self.apart, name) for name in self.compared},
        }

    def words(self) -> dict[str, Callable[[Summary[Any]], Any]]:
        """What a page says of them: those that differ, how many there are, and the releases."""
        return {
            "differ": self.differ,
            "compared": lambda summary: len(self.compared),
            "notes_release": lambda summary: str(summary.run.provenance["notes_version"]),
            "our_release": lambda summary: str(summary.run.provenance["engine_version"]),
        }

    def effects(self, axis: str, **how: Any) -> Dots:
        """Figure of each comparison on both releases."""

        return Dots(
            rows={name: label for name, (label, _, _) in self.compared.items()}, row="comparison",
            series={words: partial(self.effect, release=release) for release, words in self.releases.items()},
            heading="release", axis=axis, quantity="ratio", replicates="blocks", rule=1, **how,
        )  # fmt: skip
