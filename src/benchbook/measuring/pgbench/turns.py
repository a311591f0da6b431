"""What the configurations of one server did in their turns, and the numbers of each from the log of transactions."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from benchbook.engines.pgbench import kernel_counters
from benchbook.engines.pgbench.log import Log
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.switching import Switched
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, tallies
from benchbook.measuring.pgbench.bench import P
from benchbook.measuring.postgres import Connection, one_row
from benchbook.measuring.samples import of_sample, subsample
from benchbook.model import Configuration, PlannedTrial, Scalar, Trial
from benchbook.statistics import describe, littles_ratio

SAMPLES = 200
"""Transactions of a trial that are stored: some forty trials a block would else be too many to publish."""


@dataclass
class Turns:
    """What the configurations of one server did in their turns. planned: in the order of the plan, the base among them.

    Windows are wall-clock microseconds between which a configuration's transactions count, and those before them, from
    the switch on, which do not. grown: by how much each exact counter grew in the windows.
    """

    planned: Sequence[PlannedTrial]
    between: Callable[[], None]
    windows: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    before: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    grown: dict[str, dict[str, float]] = field(default_factory=dict)
    in_force: dict[str, str] = field(default_factory=dict)
    took_s: dict[str, float] = field(default_factory=dict)
    found: dict[str, bench.Measured] = field(default_factory=dict)

    def rounds(self, number: int, seed: int) -> Iterator[tuple[int, Configuration]]:
        """Each configuration once in each of so many rounds, with the round's number from 0.

        The order is random, and in every second round the reverse of the one before, so that what changes evenly in
        between is alike for all.
        """
        order = np.random.default_rng([seed, 3])
        places: list[int] = []
        for each in range(number):
            self.between()
            places = places[::-1] if each % 2 else [*order.permutation(len(self.planned))]
            yield from ((each, self.planned[place].configuration) for place in places)

    def taken(
        self, name: str, at_s: tuple[float, float, float], took_s: float, first: Mapping[str, float],
        last: Mapping[str, float],
    ) -> None:  # fmt: skip
        """Add a turn. at_s: when it was switched to, counts from, counts to, by the wall clock. took_s: the switch.

        first, last: the exact counters at both ends of what counts.
        """
        begun, start, to = (int(1e6 * each) for each in at_s)
        self.windows.setdefault(name, []).append((start, to))
        self.before.setdefault(name, []).append((begun, start))
        self.took_s[name] = self.took_s.get(name, 0.0) + took_s
        grown = self.grown.setdefault(name, {})
        for counter, value in last.items():
            grown[counter] = grown.get(counter, 0.0) + value - first[counter]

    def switched(
        self, name: str, server: Switched, settings: Mapping[str, Scalar], counted: Callable[[], Mapping[str, float]],
        lengths_ms: tuple[int, int],
    ) -> None:  # fmt: skip
        """Make a turn under these settings. counted: the exact counters now. lengths_ms: whole, and what is discarded.

        What is discarded begins with the switch, so that it takes effect before anything counts.
        """
        whole_ms, discard_ms = lengths_ms
        begun, clock = time.time(), time.monotonic()
        spent = server.apply(settings)
        time.sleep(max(0.0, discard_ms / 1_000 - (time.monotonic() - clock)))
        first, from_s = counted(), time.time()
        time.sleep((whole_ms - discard_ms) / 1_000)
        to_s, last = time.time(), counted()
        self.taken(name, (begun + spent, from_s, to_s), spent, first, last)

    def told(self, name: str, log: Log, clients: int) -> bench.Measured:
        """Metrics and samples of a configuration. One without transactions counts as such.

        Raises MachineError where no turn has any."""
        inside = np.zeros(len(log.end_us), dtype=bool)
        made, early = 0, 0
        for window, before in zip(self.windows[name], self.before[name], strict=True):
            low, high = np.searchsorted(log.end_us, window)
            inside[low:high] = True
            made += int(high - low)
            first, last = np.searchsorted(log.end_us, before)
            early += int(last - first)
        if not made:
            raise MachineError(f"no transaction ended in the turns of {name}", "raise turn_ms")
        kept_s, early_s = (
            sum(to - start for start, to in each) / 1e6 for each in (self.windows[name], self.before[name])
        )
        latencies = log.latency_us[inside] * 1_000
        grown, tps = self.grown[name], made / kept_s
        latency: Mapping[str, float | None] = {f"latency_{key}": value for key, value in describe(latencies).items()}
        mean_ns = latency["latency_mean_ns"]
        assert mean_ns is not None
        busy, server = grown.get("machine_cpu_s"), grown.get("server_cpu_s")
        kept = subsample(latencies, SAMPLES)
        metrics: bench.Metrics = {
            **latency,
            "tps": tps,
            "counted_transactions": float(made),
            "turns": float(len(self.windows[name])),
            "littles_ratio": littles_ratio(clients, tps, mean_ns),
            "early_over_kept": early / early_s / tps if early_s > 0 else None,
            "switch_s": self.took_s[name] / len(self.windows[name]),
            "wal_bytes_per_transaction": grown["wal_bytes"] / made,
            "cleaned_per_transaction": grown["cleaned"] / made,
            "cpu_per_transaction_s": None if server is None else server / made,
            "cpu_busy_share": None if busy is None else min(1.0, busy / ((os.cpu_count() or 1) * grown["wall_s"])),
            **of_sample(kept),
        }
        return metrics, {"transaction": kept}


@dataclass(frozen=True)
class SideBySide(bench.Bench[P]):
    """Trials whose configurations take turns on one server. turns: while they are measured."""

    turns: Turns | None = None

    def measure(self, planned: PlannedTrial) -> Trial:
        """One configuration alone on the server, as often as it would have turns."""
        (trial,) = self.side_by_side([planned], lambda: None, lambda text: None)
        return trial

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """All of them on one server. Where it dies, all of them have failed."""
        turns = Turns(planned, between)
        whole = bench.Bench.measure(replace(self, turns=turns), planned[0])
        for each in planned:
            metrics, samples = turns.found.get(each.configuration.name, ({}, {}))
            yield Trial(each, whole.started_at, whole.duration_s / len(planned), metrics, whole.labels, samples)


def counts(observer: Connection, cluster: Cluster) -> dict[str, float]:
    """What is exact at once: the log's length, pages that the background writer cleaned, processor time.

    observer: a connection to another database.
    """
    observer.execute("SELECT pg_stat_clear_snapshot()")
    asked = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), buffers_clean FROM pg_stat_bgwriter"
    written, cleaned = one_row(observer, asked)
    found = {"wal_bytes": float(written), "cleaned": float(cleaned), "wall_s": time.monotonic()}
    spent = kernel_counters.processor(cluster.pid)
    return found | {name: value for name, value in spent.items() if value is not None}


def history(cluster: Cluster) -> int:
    """Rows of the history: one for each transaction that was committed."""
    return tallies.asked(cluster, "SELECT count(*) FROM pgbench_history")
