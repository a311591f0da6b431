"""One trial: rows written as one or compacted into files, asked for at random in turns, on one of two releases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.chapters.rocksdb_releases.arms import CASES, MEMTABLE, NOTES, Parameters, configurations, options_of
from benchbook.engines import kv, probe
from benchbook.measuring.kv import bench, settings
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.metrics import (
    READ_BYTES,
    Metrics,
    looked_up,
    lookups_made,
    memtable_rows,
    summed,
    table_files,
    ticked,
)
from benchbook.measuring.kv.requests import Request, request
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

BATCH_OPERATIONS = 8
"""Look-ups between two readings of the clock: a slow one takes a millisecond, and a turn is to hold several."""
MISSED = "rocksdb.block.cache.filter.miss"


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, case = parameters, str(arm.settings["case"])
    in_memory = CASES[case][1] == MEMTABLE
    options: dict[str, Any] = {"engine": "rocksdb", "statistics": True, **options_of(p, case)}
    run = {
        "law": "uniform", "operations": p.lookups, "warm_operations": p.warm_lookups,
        "batch_operations": BATCH_OPERATIONS,
    }  # fmt: skip
    load: dict[str, Any] = {"settle": "nothing" if in_memory else "compact"}
    return request(seed, options, p.rows, run, batch_rows=0 if in_memory else p.load_batch_rows, **load)


def read(asked: Asked[Parameters]) -> Reading:
    """The mean of the look-ups that count, where the rows lie, and what RocksDB counted after the warm-up."""
    record, run = asked.answer.record, asked.request["run"]
    counters, made = record["counters"], lookups_made(record, run)
    engine = counters["run"]["engine"]

    found: Metrics = {
        **looked_up(record, run),
        "filter_misses_per_lookup": ticked(counters, "warm", MISSED) / made,
        "file_bytes_per_lookup": ticked(counters, "warm", *READ_BYTES) / made,
        "cache_capacity_bytes": summed(engine, "rocksdb.block-cache-capacity"),
        "files_bytes": summed(engine, "rocksdb.total-sst-files-size"),
        "table_files": table_files(engine),
        "memtable_rows": memtable_rows(engine),
    }
    return Reading(found, "batch", asked.answer.series["batch.service"])


@dataclass(frozen=True)
class OnBoth(Probing[Parameters]):
    """The family's measuring, of two programs."""

    def identity(self) -> dict[str, Any]:
        """The book's release, and the note's beside it."""
        return super().identity() | kv.notes_release()

    @contextmanager
    def session(self, parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
        """Nothing is loaded ahead: every trial fills a store of its own."""
        progress("finding both programs", 1.0)
        folder = files.scratch(self.needs(parameters).disk_bytes)
        yield Bench(self, parameters, kv.find(), folder, None, kv.find_notes_release())


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """Trials on the program of their release. other: that with the note's."""

    other: Path = Path()

    def program_of(self, arm: Configuration) -> Path:
        """The program with the configuration's release."""
        return self.other if arm.settings["release"] == NOTES else self.program

    def provenance(self) -> dict[str, Any]:
        """The family's, and the options as the note's release holds them."""
        asked = self.probing.requests(self.parameters)

        def ask(request: Request) -> Any:
            return probe.ask(self.other, request, timeout_s=60, folder=self.folder).record

        return super().provenance() | {"notes_options": settings.held(asked, ask)["rocksdb_options"]}


PROBING = OnBoth("RocksDB", ("RocksDB",), configurations, request_of, read)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
