"""What a run of this chapter is asked: which pool is the base of a doubling, and whether memory was bounded."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.families.features import summary
from benchbook.experiments.families.features.summary import REQUESTS
from benchbook.experiments.feature_buffers import metric_words
from benchbook.experiments.feature_buffers.arms import DISJOINT, MIX, Parameters, pool_name
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.statistics import Gate

NOTE_HIT_RATIO = 0.44
COMPARABLE = (0.34, 0.54)
"""Beyond these the base is too far from the note's to be compared with it."""


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = metric_words.METRICS

    @property
    def base(self) -> int:
        """Of the pools whose double was measured too, that whose heap hit ratio lies nearest to the note's 0.44."""

        def find() -> int:
            ratios = {
                each: self.mean(pool_name(DISJOINT, each), "heap_hit_ratio")
                for each in self.parameters.doubled_percents
                if self.has(pool_name(DISJOINT, each), "heap_hit_ratio")
            }
            if not ratios:
                raise NotEstimableError("no pool was measured together with its double", "measure again")
            return min(ratios, key=lambda each: abs(ratios[each] - NOTE_HIT_RATIO))

        return self.once("base", find)

    def sweep(self, keys: str) -> list[int]:
        """The pools of a mix of keys in % of the memory, from small to large."""
        return sorted(self.parameters.pools_percent) if keys == DISJOINT else [*self.parameters.mix_percents]

    @property
    def swept(self) -> list[str]:
        """The configurations of both sweeps, in the order of the figures."""
        return [pool_name(keys, each) for keys in (DISJOINT, MIX) for each in self.sweep(keys)]

    @property
    def data_bytes(self) -> float:
        """Heaps and indexes as loaded."""
        where = self.run.provenance
        return float(where["heap_bytes"] + where["index_bytes"])

    @property
    def unbounded(self) -> int:
        """Trials whose memory nothing bounded."""
        trials = self.run.trials
        if "memory" not in trials:
            return len(trials)
        return int((~trials["memory"].fillna("").str.startswith("bounded")).sum())

    def killed(self, arms: Iterable[str]) -> Gate:
        """Whether the memory was enough for the server's processes in every trial of these configurations."""
        rows = self.of(arms)
        lost = int(rows["killed_processes"].fillna(0).gt(0).sum()) if "killed_processes" in rows else 0
        return Gate("enough memory", lost == 0, float(lost), f"the kernel ended processes in {lost} trials")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            f"{p.measured_requests:,} measured requests per trial instead of {REQUESTS:,}": (
                p.measured_requests < REQUESTS
            ),
            "memory that nothing bounds": self.unbounded > 0,
            "data that fits into the memory": float(self.run.provenance["ram_bytes"]) >= self.data_bytes,
            "reads past the OS page cache": bool(self.run.provenance.get("direct_io")),
        }
        said = [text for text, departs in found.items() if departs]
        return said + super(summary.Summary, self).departures()
