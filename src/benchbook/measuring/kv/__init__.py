"""Key-value stores and indexes behind one probe: a door to what chapters use of it."""

from benchbook.engines.probe import Answer
from benchbook.measuring.kv import bounded, costs, note, uses
from benchbook.measuring.kv.bench import Asked, Bench, Probing, Reading
from benchbook.measuring.kv.metrics import (
    READ_BYTES,
    Metrics,
    all_timed,
    drawn_bytes,
    inserted_s,
    looked_up,
    lookup_device_bytes,
    lookups_made,
    mean_ns,
    memtable_rows,
    quantiles,
    queried,
    sqlite_pages,
    summed,
    syncs,
    table_files,
    ticked,
    where_rows_lie,
)
from benchbook.measuring.kv.power_cuts import PowerCuts
from benchbook.measuring.kv.requests import Request, counting, request, settings, unwarmed
from benchbook.measuring.kv.summary import METRICS, Summary, all_compared, compared, in_turns
from benchbook.measuring.kv.turns import TurnParameters
from benchbook.measuring.kv.uses import AFTER, BEFORE, ENGINE, MIB, Options
from benchbook.measuring.samples import reduce

__all__ = [
    "AFTER", "BEFORE", "ENGINE", "METRICS", "MIB", "READ_BYTES", "Answer", "Asked", "Bench", "Metrics", "Options",
    "PowerCuts", "Probing", "Reading", "Request", "Summary", "TurnParameters", "all_compared", "all_timed", "bounded",
    "compared", "costs", "counting", "drawn_bytes", "in_turns", "inserted_s", "looked_up", "lookup_device_bytes",
    "lookups_made", "mean_ns", "memtable_rows", "note", "quantiles", "queried", "reduce", "request", "settings",
    "sqlite_pages", "summed", "syncs", "table_files", "ticked", "unwarmed", "uses", "where_rows_lie",
]  # fmt: skip
