"""Per-block values of a run, the law of scalability fitted to each block, and checks of its trials."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.experiments.clients import metric_words
from benchbook.experiments.clients.arms import COLD, HALF, Parameters, direct_by_count, pooled_by_count
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.parameters import other_numbers
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate, Scalability

LEAST_COUNTS = 3
"""Numbers of clients from which the law's three numbers follow."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = metric_words.METRICS

    @property
    def direct(self) -> dict[int, str]:
        """Numbers of clients without a pooler to their configurations."""
        return direct_by_count(self.parameters)

    @property
    def pooled(self) -> dict[int, str]:
        """The same through the pooler."""
        return pooled_by_count(self.parameters)

    @property
    def fitted(self) -> list[int]:
        """Numbers of clients to which the law is fitted: those up to the baseline's."""
        return [count for count in self.direct if count <= self.parameters.clients]

    @property
    def predicted(self) -> list[int]:
        """Those above, which it predicts."""
        return [count for count in self.direct if count > self.parameters.clients]

    @property
    def laws(self) -> list[Scalability]:
        """The law of each block, in block order. Raises NotEstimableError where a trial is missing."""

        def fit() -> list[Scalability]:
            if len(self.fitted) < LEAST_COUNTS:
                raise NotEstimableError(
                    f"a law with three numbers is not fitted to {len(self.fitted)} numbers of clients",
                    "measure more counts below the baseline's",
                )
            tps = np.stack([self.values(self.direct[count], "tps") for count in self.fitted], axis=1)
            return [statistics.scalability(self.fitted, row) for row in tps]

        return self.once("laws", fit)

    def law(self, count: float) -> Estimate:
        """Throughput that the law gives for a number of clients, over the blocks' own fits."""
        values = [float(each.at([count])[0]) for each in self.laws]
        return statistics.geometric_mean(values, sessions=self.sessions)

    def surprise(self, count: int) -> Effect:
        """Throughput as measured over that which the law fitted to fewer clients gives, paired within blocks."""
        values = [float(each.at([count])[0]) for each in self.laws]
        return statistics.ratio(self.values(self.direct[count], "tps"), values, sessions=self.sessions)

    def against_direct(self, count: int) -> Effect:
        """Throughput through the pooler over that without, over equally many first seconds."""
        return self.ratio((self.pooled[count], "start_tps"), (self.direct[count], "start_tps"))

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts; a pooler comes with `make pooler`"

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """The same of those of these configurations that start warm."""
        return super().full_gate({*arms} - {COLD})

    def cold_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the trials from a cold start began with empty caches."""
        names = ("data_in_pool_start", "data_in_os_cache_start")
        rows = self.of({*arms} & {COLD}).reindex(columns=[*names])
        most = float(rows.max().max()) if rows.notna().any().any() else 0.0
        return Gate("cold start", most <= 0.01, most, f"a cache held {most:.1%} of the data at the start")

    def threads_depart(self) -> str:
        """That the threads do not match the processors of the machine that measured; "" where they do."""
        cores = self.run.provenance.get("cores") or (self.run.provenance.get("host") or {}).get("cores")
        threads = self.parameters.threads
        clients = self.parameters.clients
        if cores is not None and int(cores) != threads and HALF in self.configurations:
            return f"{threads} threads where the claim names as many as processors, {cores}"
        return "" if clients >= 2 * threads else f"{clients} clients, too few for {2 * threads} threads"

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            "pools in ordinary pages where the note has huge ones": not p.allow_vm_settings,
            self.threads_depart(): bool(self.threads_depart()),
        }
        others = list(other_numbers(p))
        return [*(text for text, departs in found.items() if departs), *others, *super().departures()]
