"""Requests that pgbench's clients make of tables which the server made: parameters, needs, one trial."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from typing_extensions import TypeVar

from benchbook.engines import pgbench
from benchbook.engines.pgbench import Transactions, Workload
from benchbook.engines.postgres import identity
from benchbook.measuring.features.made import FEATURES, Data
from benchbook.measuring.postgres import Loaded, one_row
from benchbook.measuring.samples import Begun, of_sample, subsample
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.base import ExperimentParameters, common, param
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe

LOADED_BYTES_PER_SECOND = 40e6
"""An estimate of two processors."""


class Parameters(ExperimentParameters):
    """What a chapter sets on such tables; its own defaults stand over these."""

    n_tables: int = param(30, 1, 100, "tables read per request, one row each")
    rows_per_table: int = param(20_000, 1_000, 10_000_000, "rows of each table")
    fillfactor_percent: int = param(20, 10, 100, "how full pages of tables and indexes are; 20 puts 7 rows on a page")
    trial_seconds: int = param(20, 1, 3_600, "length of a trial in whole seconds; a P95 needs 2,000 requests")
    kept_samples: int = common("kept_samples", 500)
    direct_io: bool = param(
        True, words="read past the OS page cache, so that each miss in the pool reaches the device (PostgreSQL 16+)"
    )
    pin_cores: bool = param(
        False, words="keep clients on one processor core and the server on the others (Linux, 2 or more)"
    )

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes: 1,700 a row with pages a fifth full."""
        return int(self.n_tables * self.rows_per_table * 1_700 * 20 / self.fillfactor_percent)


P = TypeVar("P", bound=Parameters)
Found = tuple[Transactions, dict[str, float | None], dict[str, str]]
"""Requests of a trial, its metrics beside theirs, and labels."""


def needs(
    parameters: Parameters, trials: int, disk_bytes: int, memory_bytes: int, *, beside_s: float,
    usable: Callable[[], None] | None = None,
) -> Needs:  # fmt: skip
    """Of a run beside PostgreSQL. trials: in a block. beside_s: of a trial's start, warming and stop."""
    p = parameters
    seconds = p.blocks * trials * (p.trial_seconds + beside_s) + p.data_bytes / LOADED_BYTES_PER_SECOND
    return Needs(disk_bytes + 800_000_000, memory_bytes + 500_000_000, identity, usable=usable, minutes=seconds / 60)


@dataclass(frozen=True)
class Bench(Loaded[P]):
    """The loaded tables, on a fresh server each trial."""

    data: Data

    @abstractmethod
    def trial(self, planned: PlannedTrial) -> Found:
        """What one configuration gives."""

    def measure(self, planned: PlannedTrial) -> Trial:
        begun = Begun()
        done, metrics, labels = self.trial(planned)
        kept = subsample(done.latency_ns, self.parameters.kept_samples)
        metrics |= {f"latency_{name}": value for name, value in describe(done.latency_ns).items()}
        metrics |= {"tps": done.tps, "requests": float(done.processed)} | reduce(kept)
        labels |= {"state": "measured"}
        return begun.ended(planned, metrics, labels, {"request": kept})

    def counted(self, query: str) -> np.ndarray:
        """The row of counts that a query gives when all clients have told theirs, int64, shape (counts,)."""
        with self.cluster.connect() as observer:
            pgbench.read_counters(observer, self.binaries)
        with pgbench.connect(self.cluster) as connection:
            return np.array(one_row(connection, query), dtype=np.int64)

    def work(
        self, seed: int, clients: int = 1, threads: int = 1, *, hot: bool, pipeline: bool, features: int = FEATURES,
        warm_up_s: int = 0,
    ) -> Workload:  # fmt: skip
        """Requests of a trial, as ``Data.script`` has them."""
        script = self.cluster.folder / "request.sql"
        script.write_text(self.data.script(hot=hot, pipeline=pipeline, features=features))
        duration_s = self.parameters.trial_seconds
        return Workload(script, clients, threads, duration_s, warm_up_s, protocol="prepared", seed=seed)


reduce = of_sample
