"""Where the rows lie and which options RocksDB has, each on the note's release and on the book's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import model_validator

from benchbook import files, kit
from benchbook.drawing.two_releases import Comparisons
from benchbook.engines import kv as programs
from benchbook.engines import probe
from benchbook.measuring import kv


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, 512 MiB of block cache and 1 GiB."""

    blocks: int = kit.common("blocks", 6)
    rows: int = kit.common("rows", 10_000_000, 1_000)
    cache_mib: int = kit.param(512, 8, 65_536, "block cache of the five options, in MiB")
    larger_cache_mib: int = kit.param(1_024, 16, 131_072, "the larger block cache, in MiB")
    load_batch_rows: int = kit.param(100_000, 100, 10_000_000, "rows of a write where rows reach files")
    lookups: int = kit.common("lookups", 500, 8, 1_000_000)
    warm_lookups: int = kit.common("warm_lookups", 5_000, 8, 100_000_000)
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _cache_grows(self) -> Self:
        larger = f"larger_cache_mib={self.larger_cache_mib} must be more than cache_mib={self.cache_mib}"
        kit.refuse(self.larger_cache_mib <= self.cache_mib, larger)
        return self


RELEASES = {"ours": "the book's release", "notes": "the note's release"}
CASES = {
    "memtable_before": "before the change, rows in the memtable",
    "memtable_after": "all five options, rows in the memtable",
    "files_default": "RocksDB's own options, rows in files",
    "files_before": "before the change, rows in files",
    "files_after": "all five options, rows in files",
    "files_larger": "all five options, larger cache, rows in files",
}
"""Rows lie in the memtable, written as one as the note does, or in compacted files."""
COMPARED = {
    "memtable": ("rows in the memtable: all five options ÷ before", "memtable_after", "memtable_before"),
    "files": ("rows in files: all five options ÷ before", "files_after", "files_before"),
    "larger": ("rows in files: all five, larger cache ÷ before", "files_larger", "files_before"),
    "place": ("before: rows in files ÷ in the memtable", "files_before", "memtable_before"),
}
"""Comparisons: label, and the two cases."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every case on both releases, all in turns with each other, and one twice (A/A)."""
    arms = [(case, release, f"{release}_{case}", "") for case in CASES for release in RELEASES]
    for case, release, name, more in [*arms, ("files_before", "ours", "ours_files_before_again", ", again (A/A)")]:
        settings = {"release": release, "case": case}
        yield kit.Configuration(name, f"{CASES[case]}, {RELEASES[release]}{more}", settings, "turns")


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    """What the probe is asked for in a trial; a turn holds several batches of slow look-ups too."""
    p, (place, _, options) = parameters, str(arm.settings["case"]).partition("_")
    cache = {"block_cache_bytes": (p.larger_cache_mib if options == "larger" else p.cache_mib) * kv.MIB}
    own = {"default": {}, "before": kv.BEFORE}.get(options, {**kv.AFTER, **cache})
    run = {"law": "uniform", "operations": p.lookups, "warm_operations": p.warm_lookups, "batch_operations": 8}
    load: dict[str, Any] = {"batch_rows": p.load_batch_rows, "settle": "compact"}
    if place == "memtable":
        load = {"batch_rows": 0, "settle": "nothing"}
    return kv.request(seed, {"engine": "rocksdb", "statistics": True, **own}, p.rows, run, **load)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """The mean of the look-ups that count, where the rows lie, and what RocksDB counted after the warm-up."""
    record, run = asked.answer.record, asked.request["run"]
    counters, made = record["counters"], kv.lookups_made(record, run)
    engine = counters["run"]["engine"]
    found: kv.Metrics = {
        **kv.looked_up(record, run),
        "filter_misses_per_lookup": kv.ticked(counters, "warm", "rocksdb.block.cache.filter.miss") / made,
        "file_bytes_per_lookup": kv.ticked(counters, "warm", *kv.READ_BYTES) / made,
        "cache_capacity_bytes": kv.summed(engine, "rocksdb.block-cache-capacity"),
        "files_bytes": kv.summed(engine, "rocksdb.total-sst-files-size"),
        "table_files": kv.table_files(engine),
        "memtable_rows": kv.memtable_rows(engine),
    }
    return kv.Reading(found, "batch", asked.answer.series["batch.service"])


@dataclass(frozen=True)
class OnBoth(kv.Probing[Parameters]):
    """The family's measuring, of two programs."""

    def identity(self) -> dict[str, Any]:
        """The book's release, and the note's beside it."""
        return super().identity() | programs.notes_release()

    @contextmanager
    def session(self, parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
        """Nothing is loaded ahead: every trial fills a store of its own."""
        progress("finding both programs", 1.0)
        folder = files.scratch(self.needs(parameters).disk_bytes)
        yield Bench(self, parameters, programs.find(), folder, None, programs.find_notes_release())


@dataclass(frozen=True)
class Bench(kv.Bench[Parameters]):
    """Trials on the program of their release. other: that with the note's."""

    other: Path = Path()

    def program_of(self, arm: kit.Configuration) -> Path:
        """The program with the configuration's release."""
        return self.other if arm.settings["release"] == "notes" else self.program

    def provenance(self) -> dict[str, Any]:
        """The family's, and the options as the note's release holds them."""

        def ask(request: kv.Request) -> Any:
            return probe.ask(self.other, request, timeout_s=60, folder=self.folder).record

        held = kv.settings(self.probing.requests(self.parameters), ask)
        return super().provenance() | {"notes_options": held["rocksdb_options"]}


PROBING = OnBoth("RocksDB", ("RocksDB",), lambda p: [*configurations(p)], request_of, read)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

METRICS = {
    **kv.METRICS,
    "filter_misses_per_lookup": kit.Metric("misses of the filter per look-up", "", 1, "{:.3g}".format, "filter"),
    "file_bytes_per_lookup": kit.Metric("bytes read from files per look-up", "KB", 1e-3, "{:,.1f}".format, "read"),
    "cache_capacity_bytes": kit.Metric("size of the block cache", "MiB", 2**-20, "{:g}".format, "cache"),
    "files_bytes": kit.Metric("size of the files", "MB", 1e-6, "{:,.1f}".format, "files"),
}
Summary = kv.Summary[Parameters]


def all_in_memory(summary: Summary) -> bool:
    """Whether no row was in a file on either release where all were written as one."""
    arms = [f"{release}_memtable_{options}" for release in RELEASES for options in ("before", "after")]
    held = all(summary.values(arm, "memtable_rows").min() >= summary.parameters.rows for arm in arms)
    return held and all(summary.values(arm, "table_files").max() <= 0 for arm in arms)


def open_files(summary: Summary) -> int:
    """How many files the note's release keeps open where nobody says so; -1: all of them."""
    [found] = re.findall(r"\bmax_open_files=(-?\d+)", summary.run.provenance["notes_options"]["db_options"])
    return int(found)


AA = ("ours_files_before_again", "ours_files_before")
COMPARISONS = Comparisons("lookup_mean_ns", COMPARED, RELEASES)
time, misses = kit.measured("lookup_mean_ns"), kit.counted("filter_misses_per_lookup")
NEWER = {"memtable": "memtable_before", "files": "files_before", "default": "files_default"}
NUMBERS = {
    **COMPARISONS.numbers(),
    "misses": {release: kit.percent(misses[f"{release}_files_after"].mean) for release in RELEASES},
    "newer": {name: time[f"notes_{case}"] / time[f"ours_{case}"] for name, case in NEWER.items()},
    "same": time[AA[0]] / time[AA[1]],
}
WORDS = {
    **COMPARISONS.words(),
    "all_in_memory": all_in_memory,
    "open_files": open_files,
    **{f"cache_{each}": kit.mean(f"{each}_files_default", "cache_capacity_bytes", 2**20) for each in RELEASES},
    **{f"read_{each}_mb": kit.mean(f"{each}_files_after", "file_bytes_per_lookup", 1e6) for each in RELEASES},
    **{f"tables_{each}": kit.mean(f"{each}_files_after", "table_files") for each in RELEASES},
}
FIGURES = {"effects": COMPARISONS.effects("ratio of a look-up's time (right of 1: slower)", scale="log")}
