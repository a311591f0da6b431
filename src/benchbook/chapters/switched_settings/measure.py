"""Trials whose configurations share one server under load and take turns on it, each by a reload of its settings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from benchbook.chapters.switched_settings.arms import Parameters, base_of, configurations
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, kernel_counters, residency
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import identity, sessions
from benchbook.engines.postgres.switching import Switched
from benchbook.measuring.pgbench import bench, tables, tallies
from benchbook.measuring.pgbench.ladder import bench as ladder
from benchbook.measuring.pgbench.ladder import counted, second
from benchbook.measuring.pgbench.ladder.parameters import Parameters as LadderParameters
from benchbook.measuring.pgbench.parameters import PAGES_PER_SCALE
from benchbook.measuring.pgbench.settings import Settings
from benchbook.measuring.pgbench.turns import Turns, reduce
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SECONDS_BESIDE, BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 4.0, 400e6, 100e6 / 3
"""Start, stop and looks of a group; the rates at which data are put back and read, and at which they are loaded."""
SPARE_S = 10
"""For how long pgbench is asked beyond the turns, at the end of which it is stopped."""


def needs(parameters: Parameters) -> Needs:
    """Disk for templates, copies and log; memory for what the trials may use; a PostgreSQL; root where asked for."""
    p = parameters
    same = {"scale", "clients", "threads", "bound_memory", "allow_vm_settings"}
    of_the_ladder = LadderParameters.given(
        p.model_dump(include=same)
        | {"parts": ["rounds", "compression"], "second_server": p.has_second, "allow_slow_storage": False}
    )
    arms = configurations(p)
    servers = len({arm.group or arm.name for arm in arms})
    under_load = sum(p.load_s(1, arm.group) for arm in arms)
    beside = SECONDS_BESIDE + p.warm_fill_seconds + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    loading = (2 if p.has_second else 1) * p.data_bytes / LOADED_BYTES_PER_SECOND
    seconds = p.blocks * (under_load + servers * beside) + loading
    return Needs(p.disk_bytes, p.memory_bytes, identity, seconds / 60, ladder.needs(of_the_ladder).usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables, and a second one; ``progress`` is told of the loading."""
    p = parameters
    with ExitStack() as stack:
        found = stack.enter_context(tables.loaded(p.scale, p.disk_bytes, progress, "pg_prewarm"))
        other = stack.enter_context(second.loaded(p.scale, p.disk_bytes, progress)) if p.has_second else None
        yield Bench(cast(Any, p), found, second=other)


@dataclass(frozen=True)
class Bench(ladder.Bench):
    """The ladder's servers; a group's configurations are switched on one of them. turns: while they are measured."""

    turns: Turns | None = None

    @property
    def own(self) -> Parameters:
        """This chapter's parameters, which have what the ladder's bench asks of its own."""
        return cast(Parameters, self.parameters)

    def measure(self, planned: PlannedTrial) -> Trial:
        """One configuration with a server of its own, as long as its turns would take."""
        (trial,) = self.side_by_side([planned], lambda: None, lambda text: None)
        return trial

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Switch one server between the configurations. Where it dies, all of them have failed."""
        group = planned[0].configuration.group
        base = next((each for each in planned if group and each.configuration.name == base_of(group)), planned[0])
        turns = Turns(planned, between)
        tables_ = self.second if base.configuration.settings.get("second") else None
        whole = bench.Bench.measure(replace(self, tables=tables_ or self.tables, turns=turns), base)
        for each in planned:
            name = each.configuration.name
            metrics, samples = turns.found.get(name, ({}, {}))
            labels = dict(whole.labels)
            if name in turns.in_force:
                labels["settings"] = turns.in_force[name]
            yield Trial(each, whole.started_at, whole.duration_s / len(planned), metrics, labels, samples)

    def settings(self, arm: Configuration) -> Settings:
        """Server settings of the start: without those that are switched, which a command line would fix."""
        return {name: value for name, value in self.whole(arm).items() if name not in self.switched()}

    def whole(self, arm: Configuration) -> Settings:
        """All server settings of a configuration."""
        return super().settings(arm)

    def switched(self) -> set[str]:
        """Names of the settings in which the configurations of the server differ."""
        every = [self.whole(each.configuration) for each in self.turns.planned] if self.turns else []
        return {name for one in every for name, value in one.items() if any(other[name] != value for other in every)}

    def own_settings(self, arm: Configuration) -> Settings:
        """Those of a configuration that are switched to it."""
        names = self.switched()
        return {name: value for name, value in self.whole(arm).items() if name in names}

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Fill the pool, put the server under load, let all configurations take their turns, check what was written."""
        assert self.turns is not None
        p, cluster, turns = self.own, self.tables.cluster, self.turns
        common: bench.Metrics = {"dirty_start_bytes": residency.dirty_bytes()}
        with cluster.connect() as observer:
            server = Switched(observer)
            server.apply(self.own_settings(planned.configuration))
            common |= self._fill(planned)
            self._checkpoint()
            start, rows = self.look(), _history(self.tables)
            tally = tallies.read(observer, cluster)
            seconds = int(p.load_s(len(turns.planned), planned.configuration.group)) + SPARE_S
            workload = Workload("tpcb-like", p.clients, p.threads, seconds, seed=planned.seed)
            with load(cluster, workload, logs=self.tables.place.beside) as running:
                self._take(server, observer, np.random.default_rng([planned.seed, 3]), running.check)
            done, log = running.processed, running.log
            spent = tallies.read(observer, cluster) - tally
        with pgbench.connect(cluster) as connection:
            counted.check_balances(connection)
        common |= bench.of_caches(start, self.look()) | {
            "full_images_per_transaction": spent.full_images / max(1, done),
            "reads_per_transaction": spent.common.reads / max(1, done),
            "transactions": float(done),
            "server_transactions": float(_history(self.tables) - rows),
            "transactions_per_account_page": done / (p.scale * PAGES_PER_SCALE),
            "pool_blocks": float(self.of(planned.configuration).pool_blocks),
        }
        assert log is not None
        for each in turns.planned:
            metrics, samples = turns.told(each.configuration.name, log, p.clients)
            turns.found[each.configuration.name] = ({**common, **metrics}, samples)
        return turns.found[planned.configuration.name]

    def _take(self, server: Switched, observer: Any, order: np.random.Generator, check: Callable[[], None]) -> None:
        """All rounds: each has every configuration once, and begins with a CHECKPOINT where the last one is long ago.

        The order is random, and in every second round the reverse of the one before, so that what changes evenly from
        a checkpoint to the next is alike for all.
        """
        assert self.turns is not None
        p, turns = self.own, self.turns
        own = {arm.name: self.own_settings(arm) for arm in (each.configuration for each in turns.planned)}
        places: list[int] = []
        written = -math.inf
        for number in range(p.rounds_of(turns.planned[0].configuration.group)):
            turns.between()
            if time.monotonic() - written >= p.checkpoint_seconds:
                written = time.monotonic()
                observer.execute("CHECKPOINT")
            places = places[::-1] if number % 2 else [*order.permutation(len(turns.planned))]
            for place in places:
                arm = turns.planned[place].configuration
                begun, clock = time.time(), time.monotonic()
                took = server.apply(own[arm.name])
                if number == 0:
                    turns.in_force[arm.name] = "; ".join(
                        f"{name}={value}" for name, value in sessions.effective(observer).items()
                    )
                time.sleep(max(0.0, p.discard_ms / 1_000 - (time.monotonic() - clock)))
                first, from_s = self._counts(observer), time.time()
                time.sleep((p.turn_ms - p.discard_ms) / 1_000)
                to_s, last = time.time(), self._counts(observer)
                check()
                turns.windows.setdefault(arm.name, []).append((int(1e6 * from_s), int(1e6 * to_s)))
                turns.before.setdefault(arm.name, []).append((int(1e6 * (begun + took)), int(1e6 * from_s)))
                turns.took_s[arm.name] = turns.took_s.get(arm.name, 0.0) + took
                grown = turns.grown.setdefault(arm.name, {})
                for name, value in last.items():
                    grown[name] = grown.get(name, 0.0) + value - first[name]

    def _counts(self, observer: Any) -> dict[str, float]:
        """What is exact at once: the log's length, pages that the background writer cleaned, processor time."""
        observer.execute("SELECT pg_stat_clear_snapshot()")
        row = observer.execute(
            "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8, buffers_clean::float8 "
            "FROM pg_stat_bgwriter"
        ).fetchone()
        found = {"wal_bytes": row[0], "cleaned": row[1], "wall_s": time.monotonic()}
        spent = kernel_counters.processor(self.tables.cluster.pid)
        return found | {name: value for name, value in spent.items() if value is not None}


def _history(found: tables.Tables) -> int:
    """Rows of the history: one for each transaction that was committed."""
    with pgbench.connect(found.cluster) as connection:
        row = connection.execute("SELECT count(*) FROM pgbench_history").fetchone()
    assert row is not None
    return int(row[0])
