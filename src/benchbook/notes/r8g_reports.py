"""The nine raw reports of note 003's machine as records: what pgbench, processors and disks did in one minute each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from benchbook import notes
from benchbook.errors import BenchbookError

REPORTS, TPS, CPU, WAITS = (f"raw/r8g_{name}" for name in ("reports", "tps", "cpu", "waits"))
PROCESSORS = 4
STEP_S = 5
"""pgbench prints a mean every so often."""
ROUND_1, ROUND_2, ROUND_3, COLD, RISING = "111823", "112421", "113544", "115002", "115607"
"""Rounds 1 to 3 of the note, the run that it calls cold, and the one that ended at 9.4K, by run_id."""


@dataclass(frozen=True, eq=False)
class Report:
    """One run of a minute. A missing word is "".

    run_id: clock in the report's name. name: what the note calls the run. settings: round of the note whose settings
    were in force. first: whether the server had just been started. checkpoint: whether a CHECKPOINT precedes the run.
    checkpoint_s: seconds from the clock in the name to the first sample, in which it falls.
    pool_gb: shared_buffers. available_gib, memory_gib: available memory before the run, and all of it. reads: from the
    data volume, in the 64 s around the run. reads_before: the same, 1/s, before pgbench begins. writes_per_s,
    written_kb_per_s: to the data volume. buffers_written: pages that checkpoints, background writer and backends wrote
    from the pool while the run went on. source: repository and commit.
    """

    run_id: str
    name: str
    settings: str
    first: bool
    checkpoint: bool
    checkpoint_s: int
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
    reads_before: int
    writes_per_s: float
    written_kb_per_s: float
    buffers_written: int
    source: str

    @property
    def clock(self) -> str:
        """When it began, as "11:18:23"."""
        return ":".join(self.run_id[place : place + 2] for place in (0, 2, 4))

    @cached_property
    def read_waits(self) -> float:
        """Backends that waited for a read of a data file, from the pool's view, as a mean of the run's samples."""
        return float(_of(WAITS, self.run_id)["data_file_read"].iloc[0])

    @cached_property
    def seconds(self) -> pd.DataFrame:
        """Columns t_s, user_percent, system_percent: of the four processors, from two seconds before to two after."""
        return _of(CPU, self.run_id)

    @cached_property
    def course(self) -> pd.DataFrame:
        """Columns t_s, the end of 5 s, tps, user_us and system_us: processor time of a transaction."""
        found, seconds = _of(TPS, self.run_id), self.seconds
        inside = seconds[seconds["t_s"].between(1, found["t_s"].max())]
        means = inside.groupby((inside["t_s"] - 1) // STEP_S)[["user_percent", "system_percent"]].mean()
        return pd.DataFrame(
            {
                "t_s": found["t_s"],
                "tps": found["tps"],
                "user_us": means["user_percent"].to_numpy() * _US / found["tps"],
                "system_us": means["system_percent"].to_numpy() * _US / found["tps"],
            }
        )

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
        inside = self.seconds["t_s"].between(1, 60)
        return float(self.seconds[column][inside].mean() * _US / self.tps)


_US = PROCESSORS * 1e6 / 100
"""Microseconds of processor time per second in one percent of all processors."""


def reports() -> dict[str, Report]:
    """All runs by the clock in the report's name, in the order in which they were made."""
    return {str(row["run_id"]): _report(row) for row in notes.table(REPORTS).to_dict("records")}


def without_reads(found: Iterable[Report]) -> list[Report]:
    """The runs that read no block from the data volume and have the settings of round 2 by the note's own words."""
    return [each for each in found if each.reads == 0 and each.settings == "round 2"]


def first_after_restart(found: Iterable[Report], pool_gb: int, scale: int) -> Report:
    """The first run of a server with this pool and this data; raises BenchbookError where there is not exactly one."""
    fitting = [each for each in found if each.first and (each.pool_gb, each.scale) == (pool_gb, scale)]
    if len(fitting) != 1:
        raise BenchbookError(
            f"{len(fitting)} reports are of a first run with {pool_gb} GB at scale {scale}", "name exactly one"
        )
    return fitting[0]


def extra_processors(slow: Report, fast: Report) -> float:
    """Processors that a run keeps busy with what its transactions take more of than those of another run."""
    more_us = slow.user_us + slow.system_us - fast.user_us - fast.system_us
    return more_us * slow.tps / 1e6


def _report(row: dict[Any, Any]) -> Report:
    return Report(
        run_id=str(row["run_id"]),
        name=_word(row["note_name"]),
        settings=_word(row["settings"]),
        first=row["first_after_restart"] == "yes",
        checkpoint=row["checkpoint_before"] == "yes",
        checkpoint_s=_second(str(row["sampled_from"]).replace(":", "")) - _second(str(row["run_id"])),
        pool_gb=int(row["pool_gb"]),
        available_gib=int(row["memory_available_gib"]),
        memory_gib=int(row["memory_gib"]),
        scale=int(row["scale"]),
        transactions=int(row["transactions"]),
        tps=float(row["tps"]),
        latency_ms=float(row["latency_ms"]),
        latency_sd_ms=float(row["latency_sd_ms"]),
        waiting_percent=float(row["cpu_iowait_percent"]),
        idle_percent=float(row["cpu_idle_percent"]),
        reads=int(row["data_reads"]),
        reads_before=int(row["data_reads_before_per_s"]),
        writes_per_s=float(row["data_writes_per_s"]),
        written_kb_per_s=float(row["data_written_kb_per_s"]),
        buffers_written=int(row["buffers_written"]),
        source=notes.source(row),
    )


def _second(clock: str) -> int:
    return 3600 * int(clock[:2]) + 60 * int(clock[2:4]) + int(clock[4:])


def _word(cell: object) -> str:
    return "" if isinstance(cell, float) and math.isnan(cell) else str(cell)


def _of(name: str, run_id: str) -> pd.DataFrame:
    table = notes.table(name)
    return table[table["run_id"] == run_id].drop(columns="run_id").reset_index(drop=True)
