"""The nine raw reports of note 003's machine as records: what pgbench, processors and disks did in one minute each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property

import pandas as pd

from benchbook import notes
from benchbook.errors import BenchbookError

REPORTS, TPS, CPU, WAITS = (f"raw/r8g_{name}" for name in ("reports", "tps", "cpu", "waits"))
RUN_S, READ_S = 60, 64
"""Seconds of a run, and of the samples of the devices around it."""
STEP_S = 5
"""pgbench prints a mean every so often."""
ROUND_1, ROUND_2, ROUND_3, COLD, RISING = "111823", "112421", "113544", "115002", "115607"
"""Rounds 1 to 3 of the note, the run that it calls cold, and the one that ended at 9.4K, by run_id."""
MEND = "restore data/notes/raw with `git checkout`"
WARM_TPS = 8_500
"""From here on a run's mean rounds to the 9,000 that the note calls warm."""
_US = 4 * 1e6 / 100
"""Microseconds of processor time per second in one percent of all four processors."""


@dataclass(frozen=True, eq=False)
class Report:
    """One run of a minute. A missing word is "".

    run_id: clock in the report's name. name: what the note calls the run. settings: round of the note whose settings
    were in force. first: whether the server had just been started. checkpoint: whether one precedes the run.
    sampled_from: clock of the first sample. pool_gb: shared_buffers. available_gib, memory_gib: available memory before
    the run, and all of it. reads, read_kb_per_s: from the data volume, in the READ_S around the run. reads_before: the
    same, 1/s, before pgbench begins. writes_per_s, written_kb_per_s: to the data volume. buffers_written: pages that
    checkpoints, background writer and backends wrote from the pool while the run went on.
    """

    run_id: str
    name: str
    settings: str
    first: bool
    checkpoint: bool
    sampled_from: str
    repository: str
    commit: str
    pool_gb: int
    available_gib: int
    memory_gib: int
    scale: int
    transactions: int
    tps: float
    latency_ms: float
    latency_sd_ms: float
    waiting_percent: float
    idle_percent: float
    reads: int
    read_kb_per_s: float
    reads_before: int
    writes_per_s: float
    written_kb_per_s: float
    buffers_written: int

    @property
    def source(self) -> str:
        """Repository and commit."""
        return notes.source({"repository": self.repository, "commit": self.commit})

    @property
    def clock(self) -> str:
        """When it began, as "11:18:23"."""
        return ":".join(self.run_id[place : place + 2] for place in (0, 2, 4))

    @property
    def checkpoint_s(self) -> int:
        """Seconds from the clock in the name to the first sample, in which it falls."""
        return int((pd.Timedelta(self.sampled_from) - pd.Timedelta(self.clock)).total_seconds())

    @cached_property
    def read_waits(self) -> float:
        """Backends that waited for a read of a data file, from the pool's view, as a mean of the run's samples."""
        return notes.number(WAITS, "data_file_read", run_id=self.run_id)

    @cached_property
    def seconds(self) -> pd.DataFrame:
        """Columns t_s, user_percent, system_percent: of the four processors, from two seconds before to two after."""
        return notes.rows(CPU, run_id=self.run_id)

    @cached_property
    def course(self) -> pd.DataFrame:
        """Columns t_s, the end of 5 s, tps, user_us and system_us: processor time of a transaction."""
        found, seconds = notes.rows(TPS, run_id=self.run_id), self.seconds
        inside = seconds[seconds["t_s"].between(1, found["t_s"].max())]
        means = inside.groupby((inside["t_s"] - 1) // STEP_S)[["user_percent", "system_percent"]].mean()
        used = {f"{name}_us": means[f"{name}_percent"].to_numpy() * _US / found["tps"] for name in ("user", "system")}
        return found[["t_s", "tps"]].assign(**used)

    @property
    def user_us(self) -> float:
        """User time of a transaction, in microseconds of one processor, as a mean of the run."""
        return self._of_all("user_percent")

    @property
    def system_us(self) -> float:
        """System time of a transaction, likewise."""
        return self._of_all("system_percent")

    @property
    def outside_percent(self) -> float:
        """Most time that the processors computed in the two seconds before the run and in the last one after it, in %.

        The second right after the run has a part of it.
        """
        edges = self.seconds[self.seconds["t_s"].isin((-1, 0, self.seconds["t_s"].max()))]
        return float((edges["user_percent"] + edges["system_percent"]).max())

    def _of_all(self, column: str) -> float:
        inside = self.seconds["t_s"].between(1, RUN_S)
        return float(self.seconds[column][inside].mean() * _US / self.tps)


_SHORT = {
    "note_name": "name", "first_after_restart": "first", "checkpoint_before": "checkpoint",
    "memory_available_gib": "available_gib", "cpu_iowait_percent": "waiting_percent",
    "cpu_idle_percent": "idle_percent", "data_reads": "reads", "data_reads_before_per_s": "reads_before",
    "data_read_kb_per_s": "read_kb_per_s", "data_writes_per_s": "writes_per_s",
    "data_written_kb_per_s": "written_kb_per_s",
}  # fmt: skip
Runs = Mapping[str, Report]


def reports() -> dict[str, Report]:
    """All runs by the clock in the report's name, in the order in which they were made."""
    found = notes.table(REPORTS).rename(columns=_SHORT)[[each.name for each in fields(Report)]]
    words = found.fillna({"name": "", "settings": ""}).assign(
        **{name: found[name] == "yes" for name in ("first", "checkpoint")}
    )
    return {str(row[0]): Report(*row) for row in words.itertuples(index=False, name=None)}


def without_reads(found: Iterable[Report]) -> list[Report]:
    """The runs that read no block from the data volume and have the settings of round 2 by the note's own words."""
    return [each for each in found if each.reads == 0 and each.settings == "round 2"]


def warm(runs: Runs) -> tuple[list[Report], list[Report]]:
    """Those below the level that the note calls warm, and others; raises BenchbookError where one kind is missing."""
    found = without_reads(runs.values())
    slow, fast = ([each for each in found if (each.tps < WARM_TPS) is below] for below in (True, False))
    if not (slow and fast):
        raise BenchbookError(f"of the runs without reads none is {'above' if slow else 'below'} {WARM_TPS:,} TPS", MEND)
    return slow, fast


def first_runs(runs: Runs) -> tuple[Report, Report]:
    """The first run after a restart with the larger pool of round 3, and the one with the smaller pool.

    Raises BenchbookError where there is not exactly one of these with the same data.
    """
    large, pool_gb = runs[ROUND_3], runs[ROUND_2].pool_gb
    found = [each for each in runs.values() if each.first and (each.pool_gb, each.scale) == (pool_gb, large.scale)]
    if len(found) != 1:
        raise BenchbookError(f"{len(found)} reports are of a first run with {pool_gb} GB at scale {large.scale}", MEND)
    return large, found[0]


def extra_processors(slow: Report, fast: Report) -> float:
    """Processors that a run keeps busy with what its transactions take more of than those of another run."""
    more_us = slow.user_us + slow.system_us - fast.user_us - fast.system_us
    return more_us * slow.tps / 1e6
