"""Per-block values of a run, the effects of the combinations, and checks of its trials."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from benchbook import statistics
from benchbook.experiments.config_ladder import metric_words, screening
from benchbook.experiments.config_ladder.arms import Parameters, Start, start_of
from benchbook.experiments.families.pgbench import summary as family
from benchbook.experiments.families.pgbench.parameters import RAM_OVER_DATA
from benchbook.experiments.little import littles_gate
from benchbook.model import Effect
from benchbook.statistics import Gate

DIRTY_TOLERANCE = 0.05
"""Trials start with equal dirty volume when it differs by at most this share of their memory."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = metric_words.METRICS

    def starting(self, *starts: Start) -> list[str]:
        """Names of the configurations whose trials begin in one of these ways."""
        return [name for name, arm in self.configurations.items() if start_of(arm) in starts]

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_slow_storage=true and second_server=true, as root"

    def effect(self, column: int, *, confidence: float = 0.95) -> Effect:
        """Throughput with a factor of the combinations at its high level over that at its low one, over blocks.

        Each side is the geometric mean of the eight combinations of a block.
        """

        def side(*, high: bool) -> np.ndarray:
            names = [screening.name(run) for run in range(screening.RUNS) if screening.high(run, column) is high]
            return np.asarray(np.exp(np.mean([np.log(self.values(name, "tps")) for name in names], axis=0)))

        return statistics.ratio(side(high=True), side(high=False), confidence=confidence, sessions=self.sessions)

    def most_per_page(self, arms: Iterable[str]) -> float | None:
        """Transactions per page of the accounts in that of these configurations that made most; None without any."""
        metric = "transactions_per_account_page"
        return max((self.mean(arm, metric) for arm in self.having(arms, metric)), default=None)

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """The same of the warm ones among these configurations."""
        return super().full_gate({*arms} & {*self.starting(Start.WARM)})

    def dirty_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the trials of these configurations began with equal dirty volume."""
        waiting = self.of(arms).reindex(columns=["dirty_start_bytes"])["dirty_start_bytes"].dropna()
        if waiting.empty:
            return Gate("dirty volume", True, 0.0, "the amount of dirty data could not be read")
        spread = float(np.ptp(waiting)) / int(RAM_OVER_DATA * self.parameters.data_bytes)
        reason = f"the dirty data at the start differs by {spread:.1%} of memory"
        return Gate("dirty volume", spread <= DIRTY_TOLERANCE, spread, reason)

    def littles_gate(self, arms: Iterable[str]) -> Gate:
        """Little's law in each trial of these configurations, for claims on their latency."""
        restarted = {*arms} & {*self.starting(Start.RESTART)}
        seconds = self.parameters.restart_seconds if restarted else self.parameters.warm_seconds
        return littles_gate(self.of(arms), float(seconds))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        missing = [part for part in type(p).model_fields["parts"].default if part not in p.parts]
        found = {
            f"{len(missing)} of {len(missing) + len(p.parts)} parts left out": bool(missing),
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]
