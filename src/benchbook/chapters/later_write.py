"""The note's one write and one row more, by rows and options: where the rows lie, and what a look-up takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from benchbook import kit
from benchbook.measuring import kv


class Parameters(kv.TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, and the sizes that it did not measure."""

    blocks: int = kit.common("blocks", 2)
    rows: tuple[Annotated[int, Field(ge=1_000, le=100_000_000)], ...] = Field(
        (10_000_000, 25_000_000, 50_000_000), min_length=2, description="numbers of rows, growing"
    )
    lookups: int = kit.param(
        20_000, 100, 10_000_000, "look-ups a trial at least, after a tenth as many that do not count"
    )
    slow_lookups: int = kit.param(200, 50, 1_000_000, "of these where a filter in the block cache can make each slow")
    write_buffer_mib: int = kit.param(
        256, 1, 4_096, "in MiB, the note's write_buffer_size: what a memtable holds before it is full"
    )
    kept_samples: int = kit.common("kept_samples", 500)

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        rows = f"rows={[*self.rows]} must"
        kit.refuse([*self.rows] != sorted({*self.rows}), f"{rows} grow")
        few = f"{rows} each hold the lookups={self.lookups} rows that are asked for"
        kit.refuse(self.rows[0] < self.lookups, few)
        return self


STATES = {"one": "one write", "more": "one row more"}
"""The note's load, and the same with its last row as a write of its own."""
OPTIONS = {"before": "before the options", "after": "with the options"}
STORES = {f"{state}_{use}": f"{STATES[state]}, {OPTIONS[use]}" for state in STATES for use in OPTIONS}
STORES["sqlite"] = "SQLite as run"


def millions(rows: int) -> str:
    """A number of rows for labels: 50 million; with all digits where it has no whole number of them."""
    return f"{rows // 1_000_000} million" if rows % 1_000_000 == 0 else f"{rows:,}"


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """At each size both states with both sets of options, and SQLite; at the first size one of them twice."""
    arms = [(store, rows, f"{store}_{rows}", "") for rows in parameters.rows for store in STORES]
    for store, rows, name, more in [*arms, ("one_before", parameters.rows[0], "again", " (A/A)")]:
        state, _, use = store.rpartition("_")
        settings: dict[str, kit.Scalar] = {"state": state or "one", "use": use, "rows": rows}
        yield kit.Configuration(name, f"{STORES[store]}, {millions(rows)} rows{more}", settings, f"{rows} rows")


def request_of(parameters: Parameters, arm: kit.Configuration, seed: int) -> kv.Request:
    """What the probe is asked for in a trial. One row more: all rows but the last are one write, the last another."""
    p, use, rows = parameters, str(arm.settings["use"]), int(arm.settings["rows"] or 0)
    more = arm.settings["state"] == "more"
    slow = more and use == "after"
    lookups = p.slow_lookups if slow else p.lookups
    own: kv.Options = {"index_load": "single", "write_buffer_bytes": p.write_buffer_mib << 20}
    options: kv.Options = {**kv.ENGINE, **(kv.AFTER if use == "after" else kv.BEFORE), **own}
    run: dict[str, Any] = {
        # A prime: look-ups before a fixed stride come from everywhere and not from the keys that are measured.
        "law": "stride", "stride": max(1, rows // lookups), "warm_stride": 7_919, "operations": lookups,
        # Few where each can take milliseconds, so that a turn holds several batches.
        "warm_operations": lookups // 10, "timing": "batches", "batch_operations": 2 if slow else 50,
    }  # fmt: skip
    opened = kv.uses.SQLITE_AS_RUN if use == "sqlite" else options
    return kv.request(seed, opened, rows, run, batch_rows=rows - 1 if more else 0)


def read(asked: kv.Asked[Parameters]) -> kv.Reading:
    """A trial's metrics, and its batches. What an engine does not have is missing, never 0."""
    record, run = asked.answer.record, asked.request["run"]
    found = kv.queried(record, run) | kv.where_rows_lie(record["counters"]["run"]["engine"])
    labels = {"engine": f"{record['engine']} {record['engine_version']}"}
    return kv.Reading(found, "batch", asked.answer.series["batch.service"], labels)


PROBING = kv.Probing("RocksDB and SQLite", ("RocksDB", "SQLite"), configurations, request_of, read)
needs, session, reduce = PROBING.needs, PROBING.session, kv.reduce

METRICS = {
    **kv.METRICS,
    "insert_s": kit.Metric("time to write all rows and fill the index", "s", 1, "{:.3g}".format, "loading"),
    "level0_files": kit.Metric("number of files in level 0", "", 1, "{:.3g}".format, "files in level 0"),
    "files_bytes": kit.Metric("size of all files", "MB", 1e-6, heading="files"),
}
Summary = kv.Summary[Parameters]


def sized(place: int, store: str) -> Callable[[Summary], str]:
    """Its configuration with the number of rows at this place."""
    return lambda summary: f"{store}_{summary.parameters.rows[place]}"


first, last = partial(sized, 0), partial(sized, -1)
time = kit.measured("query_mean_ns")
AA = ("again", first("one_before"))
NUMBERS = {
    "more_before": time[last("more_before")] / time[last("one_before")],
    "first_before": time[first("more_before")] / time[first("one_before")],
    "first_after": time[first("more_after")] / time[first("one_after")],
    "lead_one": time[last("sqlite")] / time[last("one_before")],
    "lead_more": time[last("sqlite")] / time[last("more_before")],
    "lead_first": time[first("sqlite")] / time[first("one_before")],
    "lead_first_more": time[first("sqlite")] / time[first("more_before")],
    "options_first": time[first("more_after")] / time[first("more_before")],
    "options_more": time[last("more_after")] / time[last("more_before")],
    "grown": time[last("one_before")] / time[first("one_before")],
    "equal": time["again"] / time[first("one_before")],
}
WORDS: dict[str, Callable[[Summary], Any]] = {
    "first": lambda summary: millions(summary.parameters.rows[0]),
    "last": lambda summary: millions(summary.parameters.rows[-1]),
    "held_one": kit.mean(last("one_before"), "memtable_rows"),
    "held_more": kit.mean(last("more_before"), "memtable_rows"),
    "files_first": kit.mean(first("more_after"), "table_files"),
    "files_last": kit.mean(last("more_after"), "table_files"),
    "level0_first": kit.mean(first("more_after"), "level0_files"),
    "level0_last": kit.mean(last("more_after"), "level0_files"),
    "filter_mb": lambda summary: 10 * summary.parameters.rows[-1] / 8e6,  # bits of the note's filter for each row
}
FIGURES = {
    "times": kit.Dots(
        rows=lambda summary: {rows: f"{millions(rows)} rows" for rows in summary.parameters.rows}, row="size",
        series={label: time[f"{store}_{{}}"] for store, label in STORES.items()}, heading="store",
        metric=METRICS["query_mean_ns"],
    )
}  # fmt: skip
