"""The session: one warm server a block under a load that does not end, put into every state in turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from benchbook.chapters.warm_states import looks, states
from benchbook.chapters.warm_states.arms import POOL_OVER_DATA, Parameters, State, state_of
from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, residency
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import find, identity
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import bench, tables, turns
from benchbook.measuring.pgbench.ladder import counted
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA
from benchbook.measuring.pgbench.settings import NOTE_003, Settings, pool_blocks
from benchbook.measuring.pgbench.turns import reduce
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

SECONDS_BESIDE, BYTES_PER_SECOND_BESIDE, LOADED_BYTES_PER_SECOND = 10.0, 400e6, 100e6 / 3
"""A block's start, stop and looks; the rates at which data are put back and read, and at which they are loaded."""
EMPTIES_POOL = 18
"""The first release whose pool can be emptied while it runs."""
SPARE_S = 60
"""For how long pgbench is asked beyond the turns, at the end of which it is stopped."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL."""
    p = parameters
    beside = SECONDS_BESIDE + p.fill_seconds + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    seconds = p.blocks * (p.load_seconds + beside) + p.data_bytes / LOADED_BYTES_PER_SECOND
    return Needs(p.disk_bytes, p.memory_bytes, identity, seconds / 60, _usable)


def _usable() -> None:
    if (major := find().major) < EMPTIES_POOL:
        raise MachineError(
            f"PostgreSQL {major} cannot empty its pool while it runs",
            f"use {EMPTIES_POOL} or later: unset BENCHBOOK_PG_BIN to use the embedded one",
        )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    with tables.loaded(parameters.scale, parameters.disk_bytes, progress, "pg_prewarm", "pgstattuple") as found:
        yield Bench(parameters, found)


@dataclass
class Turns(turns.Turns):
    """With what was done to the server: in parts of a turn from its beginning, and counted in the windows."""

    whole: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Wall-clock microseconds from the beginning of each turn to its end."""


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """One server, whose states take turns. turns: while they are measured."""

    turns: Turns | None = None

    def ram_bytes(self, arm: Configuration) -> int:
        """Memory that server and page cache may use together."""
        return int(RAM_OVER_DATA * self.tables.data_bytes)

    def settings(self, arm: Configuration) -> Settings:
        """Note 003's of its second round; no checkpoint falls into a block."""
        blocks = pool_blocks(POOL_OVER_DATA * self.tables.data_bytes)
        return NOTE_003 | {
            "shared_buffers": f"{blocks * 8}kB",
            "max_connections": self.parameters.max_connections,
            "wal_compression": self.tables.wal_compression,
            "wal_buffers": "16MB",
            "max_wal_size": "50GB",
            "checkpoint_timeout": "1h",
            "autovacuum": True,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """One state alone on the server, as often as it would have turns."""
        (trial,) = self.side_by_side([planned], lambda: None, lambda text: None)
        return trial

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Put one server into every state in turn. Where it dies, all of them have failed."""
        taken = Turns(planned, between)
        whole = bench.Bench.measure(replace(self, turns=taken), planned[0])
        for each in planned:
            metrics, samples = taken.found.get(each.configuration.name, ({}, {}))
            yield Trial(each, whole.started_at, whole.duration_s / len(planned), metrics, whole.labels, samples)

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        """Fill the pool, put the server under load, let all states take their turns, check what was written."""
        assert self.turns is not None
        p, cluster, taken = self.parameters, self.tables.cluster, self.turns
        with pgbench.connect(cluster) as connection:
            residency.prewarm(connection)
        self.run(Workload("tpcb-like", p.clients, p.threads, p.fill_seconds, seed=2 * planned.seed + 1, log=False))
        with pgbench.connect(cluster) as connection:
            connection.execute("CHECKPOINT")
        start, rows = self.look(), looks.history(cluster)
        workload = Workload("tpcb-like", p.clients, p.threads, p.load_seconds + SPARE_S, seed=2 * planned.seed)
        with load(cluster, workload, logs=self.tables.place.beside) as running:
            self._take(np.random.default_rng([planned.seed, 3]), running.check)
        done, log = running.processed, running.log
        with pgbench.connect(cluster) as connection:
            counted.check_balances(connection)
        common: bench.Metrics = bench.of_caches(start, self.look()) | {
            "transactions": float(done),
            "server_transactions": float(looks.history(cluster) - rows),
        }
        assert log is not None
        for each in taken.planned:
            name = each.configuration.name
            metrics, samples = taken.told(name, log, p.clients)
            made = int(metrics["counted_transactions"] or 0)
            own = looks.over(taken.grown[name], made) | looks.course(log.end_us, taken.whole[name], p.turn_ms)
            taken.found[name] = ({**common, **metrics, **own}, samples)
        return taken.found[planned.configuration.name]

    def _take(self, order: np.random.Generator, check: Callable[[], None]) -> None:
        """All rounds: each has every state once, in random order, and in every second round in the reverse."""
        assert self.turns is not None
        p, taken = self.parameters, self.turns
        places: list[int] = []
        for number in range(p.rounds):
            taken.between()
            places = places[::-1] if number % 2 else [*order.permutation(len(taken.planned))]
            for place in places:
                arm = taken.planned[place].configuration
                self._turn(arm, state_of(arm), check)

    def _turn(self, arm: Configuration, state: State, check: Callable[[], None]) -> None:
        assert self.turns is not None
        p, taken, cluster = self.parameters, self.turns, self.tables.cluster
        with cluster.connect() as observer:
            clock = time.monotonic()
            with states.put_into(state, cluster) as counts:
                took, begun, started = time.monotonic() - clock, time.time(), time.monotonic()
                time.sleep(p.discard_ms / 1_000)
                first, from_s = looks.counts(observer, cluster, counts), time.time()
                time.sleep(max(0.0, p.turn_ms / 1_000 - (time.monotonic() - started)))
                to_s, last = time.time(), looks.counts(observer, cluster, counts)
                check()
                dead = looks.dead_rows(cluster)
            states.left(state, cluster)
        name = arm.name
        taken.windows.setdefault(name, []).append((int(1e6 * from_s), int(1e6 * to_s)))
        taken.before.setdefault(name, []).append((int(1e6 * begun), int(1e6 * from_s)))
        taken.whole.setdefault(name, []).append((int(1e6 * begun), int(1e6 * to_s)))
        taken.took_s[name] = taken.took_s.get(name, 0.0) + took
        grown = taken.grown.setdefault(name, {})
        for counter, value in last.items():
            grown[counter] = grown.get(counter, 0.0) + value - first[counter]
        grown["dead_rows"] = max(grown.get("dead_rows", 0.0), dead)
        time.sleep(p.rest_ms / 1_000)
