"""What became of the fifteen settings in sixteen combinations."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.ladder import screening
from benchbook.experiments.families.pgbench.ladder.singles import SOLD, Sorted, named
from benchbook.figures.numbers import with_interval

FACTORS: Mapping[int, str] = {column: factor.words for column, factor in screening.FACTORS.items()} | {
    1: "commit_delay 0 → 50 µs",
    10: "autovacuum_naptime 1 → 10 × a trial",
}
"""The factors of the combinations by column, two of them with the units that their own words leave out."""


def sort(summary: Summary, *, together: bool = False) -> Sorted:
    """The fifteen settings by their names.

    together: with intervals that hold at the same time (Bonferroni), which say what moved among so many.
    """
    confidence = 1 - 0.05 / (len(FACTORS) if together else 1)
    return Sorted(
        {_short(words, summary): summary.effect(column, confidence=confidence) for column, words in FACTORS.items()}
    )


def moved(summary: Summary) -> SimpleNamespace:
    """Which moved throughput, each with its change; how many did not, and how many are open."""
    found, still = sort(summary, together=True), sort(summary).within(SOLD)
    changes = [(name, f"{abs(e.point - 1):.0%} {'less' if e.high < 1 else 'more'}") for name, e in found.moved.items()]
    open_ = len(found.every) - len({*found.moved} | {*still})
    return SimpleNamespace(count=len(found.every), changes=changes, still=len(still), open=open_)


def largest(summary: Summary) -> SimpleNamespace:
    """The largest main effect, and whether it is that of compression."""
    effects = {named(words, summary): summary.effect(column) for column, words in FACTORS.items()}
    name, effect = max(effects.items(), key=lambda item: abs(item[1].point - 1))
    return SimpleNamespace(name=name, effect=with_interval(effect), compressed=name.startswith("wal_compression"))


def _short(words: str, summary: Summary) -> str:
    """The setting's name; with the codec that was switched on."""
    name, codec = words.split()[0], summary.run.provenance.get("wal_compression")
    return f"{name} = {codec}" if codec and name == "wal_compression" else name
