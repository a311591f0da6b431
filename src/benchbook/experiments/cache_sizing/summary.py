"""A run in, per-block values and estimates per configuration out; the table under the figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from benchbook import statistics
from benchbook.experiments.cache_sizing.arms import configurations
from benchbook.experiments.cache_sizing.parameters import Parameters
from benchbook.experiments.per_block import NotEstimableError, PerBlock, cells, check_whole, in_words
from benchbook.experiments.sentences import other_numbers, source, too_few_blocks
from benchbook.figures import with_interval
from benchbook.model import Estimate, Run
from benchbook.statistics import Gate

MB, MIB = 1e6, 2.0**20
NAMED = {"events": 50_000, "mem_table_mib": 64, "base_table_mib": 64, "block_bytes": 4096}
"""Parameters that say how large the store is which the claims of the note are about."""


@dataclass(frozen=True)
class Summary(PerBlock):
    """One run, ready for figures and verdicts."""

    parameters: Parameters
    labels: dict[str, str]

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.labels)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where a trial lacks a metric, as the hit ratio of a cache that was never asked."""
        return NotEstimableError(
            f"{in_words(metric)} of “{self.labels.get(arm, arm)}” is not estimable in every trial",
            "raise events, so that more of the store leaves memory",
        )

    def having(self, *metrics: str) -> list[str]:
        """Configurations of which every trial has these metrics, in the order of the figures."""
        return [arm for arm in self.arms if self.has(arm, *metrics)]

    def latency(self, arm: str, metric: str) -> Estimate:
        """Geometric mean over trials in milliseconds, with its interval."""
        return self.level(arm, metric, 1e6)

    def hit_ratio(self, arm: str, *, confidence: float = 0.95) -> Estimate:
        """The block cache's hit ratio from opening to the end of the burst."""
        return statistics.share(self.values(arm, "hit_ratio"), self.values(arm, "accesses"), confidence=confidence)

    def cost(self, arm: str) -> Estimate:
        """Bytes charged per key that the block cache took in."""
        return self.level(arm, "cost_per_key_bytes")

    def consistency_gates(self) -> list[Gate]:
        """Per trial: what the probe timed is what the store says it saved."""
        trials = self.run.trials
        if "saved_events" not in trials:
            return []
        differ = int((trials["saved_events"] != trials["timed_saves"]).sum())
        return [Gate("counts agree", differ == 0, float(differ), f"timed and stored events differ in {differ} trials")]

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        wanted = (
            (p.events, NAMED["events"], "events"),
            (p.mem_table_mib, NAMED["mem_table_mib"], "MiB memtables"),
            (p.base_table_mib, NAMED["base_table_mib"], "MiB tables"),
            (p.block_bytes, NAMED["block_bytes"], "byte blocks"),
            (p.rounds, 2, "round(s)"),
        )
        found = other_numbers(wanted)
        if p.burst_quiet_ms != 500 or p.burst_spread_ms != 100:
            found.append(
                f"bursts spread over {p.burst_spread_ms:g} ms with {p.burst_quiet_ms:g} ms of quiet instead of 100 "
                "and 500"
            )
        if p.query_s != 60 or p.concurrent_s != 60:
            found.append(
                f"query tests of {p.query_s:g} s (one client) and {p.concurrent_s:g} s (several) instead of 60"
            )
        found += too_few_blocks(self.run)
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        return (
            f"{self.run.blocks} blocks with one trial of each configuration, {self.parameters.events:,} events twice; "
            f"{source(self.run)}, Badger {self.run.provenance['engine_version']}"
        )


def summarize(run: Run) -> Summary:
    """Check that the run is complete and name its configurations."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels)
    return Summary(run, parameters, labels)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: cost per key, hit ratio, latencies with intervals, memory."""
    columns: dict[str, Callable[[str], str]] = {
        "cost per key (MB)": lambda arm: with_interval(summary.cost(arm), 1e-6),
        "hit ratio": lambda arm: with_interval(summary.hit_ratio(arm)),
        "keys added": lambda arm: f"{summary.values(arm, 'keys_added').mean():,.0f}",
        "evicted / added": lambda arm: f"{summary.values(arm, 'evicted_share').mean():.4f}",
        "burst mean (ms)": lambda arm: with_interval(summary.latency(arm, "burst_mean_ns")),
        "burst P95 (ms)": lambda arm: with_interval(summary.latency(arm, "burst_p95_ns")),
        "burst P99 (ms)": lambda arm: with_interval(summary.latency(arm, "burst_p99_ns")),
        "burst mean from its schedule (ms)": lambda arm: with_interval(summary.latency(arm, "response_mean_ns")),
        "burst saves per s": lambda arm: f"{summary.values(arm, 'burst_events_per_s').mean():,.0f}",
        "query mean (ms)": lambda arm: with_interval(summary.latency(arm, "query_mean_ns")),
        "peak memory (MB)": lambda arm: f"{summary.values(arm, 'peak_resident_bytes').mean() / MB:,.0f}",
    }
    first = "block / index cache (MiB)"
    rows = [{first: summary.labels[arm]} | cells(columns, arm) for arm in summary.arms]
    return pd.DataFrame(rows).set_index(first)
