"""What the chapters on bounded trials of pgbench ask of a run: failed trials, equal counts, memory, departures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

import numpy as np
import pandas as pd
from typing_extensions import TypeVar

from benchbook.measuring.pgbench.parameters import NOTE_CLIENTS, RAM_OVER_DATA, Parameters
from benchbook.model import Effect, Estimate
from benchbook.numbers import summary as shape
from benchbook.numbers.sentences import too_few_blocks
from benchbook.numbers.summary import NotEstimableError, NotRunError
from benchbook.statistics import Gate

P = TypeVar("P", bound=Parameters, covariant=True, default=Parameters)
DIRTY_TOLERANCE = 0.05
"""Trials start with equal dirty volume when it differs by at most this share of their memory."""
FULL_POOL = 0.90
"""A discarded run filled the pool when it left at most a tenth of it unused."""


class Summary(shape.Summary[P]):
    """One run, ready for figures and verdicts."""

    REMEDY: ClassVar[str] = "needs root and allow_vm_settings=true"

    def where(self, setting: str, *values: object) -> list[str]:
        """Names of the configurations whose setting has one of these values."""
        return [name for name, arm in self.configurations.items() if arm.settings.get(setting) in values]

    def gain(self, top: str, bottom: str, metric: str = "tps") -> Effect:
        """Ratio of a metric of two configurations, paired within blocks."""
        return self.ratio((top, metric), (bottom, metric))

    def of_those(
        self, arm: str, values: np.ndarray, what: str, statistic: Callable[..., Estimate],
        mend: str = "measure more blocks",
    ) -> Estimate:  # fmt: skip
        """A statistic of a configuration's trials that have a value, of which there must be two.

        values: in block order, NaN where a trial has none. what: of the trials that have one. mend: for fewer.
        """
        seen = ~np.isnan(values)
        if seen.sum() < 2:
            few = f"{int(seen.sum())} of {seen.size} trials of “{self.label(arm)}” {what}"
            raise NotEstimableError(few, mend)
        return self.estimated(statistic, values[seen], of=seen)

    def failures(self, arms: Iterable[str]) -> list[str]:
        """Trials that failed, each as "block 2 failed: the server died"."""
        rows = self.of(arms)
        if "state" not in rows:
            return []
        bad = rows[rows["state"].fillna("").str.startswith("failed")]
        return [f"block {block} {state}" for block, state in zip(bad["block"], bad["state"], strict=True)]

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        if arm not in self.configurations:
            return NotRunError(f"the configuration “{arm.replace('_', ' ')}” was not run", self.remedy(arm))
        failed = self.failures([arm])
        if failed:
            return NotEstimableError(f"{failed[0]} of “{self.label(arm)}”", "measure again")
        return NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in this run",
            "use longer trials, or a server that counts it",
        )

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return self.REMEDY

    def counts_gate(self, arms: Iterable[str]) -> list[Gate]:
        """Whether client and server counted as many transactions in each trial of these configurations."""
        trials = self.of(arms)
        if "server_transactions" not in trials:
            return []
        known = trials["server_transactions"].notna() & trials["transactions"].notna()
        differ = int((known & (trials["server_transactions"] != trials["transactions"])).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"client and server counts differ in {differ} trials")]

    def inspected(self, arms: Iterable[str], *metrics: str) -> pd.DataFrame:
        """What was looked at before or after each trial of these configurations; nobody looks at one that failed."""
        found = self.of(arms).reindex(columns=[*metrics]).dropna()
        if found.empty:
            raise NotEstimableError("nobody inspected the caches", "measure on Linux")
        return found

    def free_trials(self, arms: Iterable[str]) -> int:
        """Trials of these configurations whose memory nothing bounded."""
        rows = self.of(arms)
        if "memory" not in rows:
            return len(rows)
        return int((~rows["memory"].fillna("").str.startswith("bounded")).sum())

    def bound_gate(self, arms: Iterable[str]) -> Gate:
        """Whether memory was bounded, without which a share of memory means nothing."""
        free, every = self.free_trials(arms), len(self.of(arms))
        return Gate("memory bound", free == 0, float(free), f"memory was not bounded in {free} of {every} trials")

    def in_force(self, arm: str, setting: str) -> list[str]:
        """The value of a server setting in each trial, as the server said it, in block order; "" at its default."""
        rows = self.in_blocks(arm)
        if not len(rows) or "settings" not in rows:
            raise NotEstimableError(f"nobody asked “{self.label(arm)}” for its settings", "measure again")
        return [_value(str(text), setting) for text in rows["settings"]]

    def full_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the discarded run had filled the pools of these configurations, as far as the data can fill them."""
        short = []
        for arm in sorted(arms):
            rows = self.in_blocks(arm)
            if "pool_used_share" not in rows:
                short.append(f"the pool of “{self.label(arm)}” was not inspected")
                continue
            off = int((rows["pool_used_share"] < FULL_POOL * self.fillable(arm)).sum())
            if off:
                short.append(f"{off} pools of “{self.label(arm)}” were not full")
        return Gate("full pool", not short, float(len(short)), "; ".join(short) or "every pool was full")

    def fillable(self, arm: str) -> float | pd.Series:
        """The share of the pool that the data can fill, of a configuration or of each of its trials."""
        return min(1.0, 1 / float(self.configurations[arm].settings.get("pool_over_data") or 1))

    def dirty_gate(self, arms: Iterable[str]) -> Gate:
        """Whether the trials of these configurations began with equal dirty volume."""
        waiting = self.of(arms).reindex(columns=["dirty_start_bytes"])["dirty_start_bytes"].dropna()
        if waiting.empty:
            return Gate("dirty volume", True, 0.0, "the amount of dirty data could not be read")
        spread = float(np.ptp(waiting)) / int(RAM_OVER_DATA * self.parameters.data_bytes)
        reason = f"the dirty data at the start differs by {spread:.1%} of memory"
        return Gate("dirty volume", spread <= DIRTY_TOLERANCE, spread, reason)

    def departures(self) -> list[str]:
        clients, compression = self.parameters.clients, self.run.provenance.get("wal_compression", "lz4")
        found = {
            f"{clients} clients instead of {NOTE_CLIENTS}": clients != NOTE_CLIENTS,
            f"the log compressed with {compression} instead of lz4, which this server lacks": (compression != "lz4"),
            "memory that nothing bounds": "memory" in self.run.trials and self.free_trials(self.arms) > 0,
        }
        return [*(text for text, departs in found.items() if departs), *too_few_blocks(self.run), *self.left_out]

    def apparatus(self) -> str:
        """What was measured on what, for the design."""
        p, record = self.parameters, self.run.provenance
        data = float(record.get("data_bytes", p.data_bytes)) / 2**30
        return (
            f"{len(self.arms)} configurations on {self.on()}, pgbench at scale {p.scale} ({data:.2f} GiB with "
            f"indexes), {p.clients} clients."
        )


def _value(text: str, setting: str) -> str:
    """A setting's value in a list such as "a=1; b=on"; "" where it is not listed, so at its default."""
    listed = (each.strip().partition("=") for each in text.split(";"))
    return next((value for name, _, value in listed if name == setting), "")
