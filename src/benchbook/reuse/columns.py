"""What each column of an exported table is, in words, and its unit."""

import re

from benchbook.numbers.metrics import Metrics, in_words, known
from benchbook.parameters import wording

_UNITS = {
    "tps": "1/s", "iops": "1/s", "share": "share of 1", "ratio": "ratio", "peak": "ratio", "slowing": "ratio",
    "requests": "", "keys": "",
}  # fmt: skip
"""By the last word of a column's name, where a parameter's has no or another unit."""
_WHOLE_UNITS = {"bytes_per_s": "bytes/s", "rows_per_s": "rows/s", "seed": "", "block": "", "blocks": ""}
"""By the end of a column's name."""
COLUMNS = {
    "trial": "place of the trial in the run, from 0",
    "block": "complete block that the trial belongs to, from 0",
    "configuration": "what was measured; see the table of configurations",
    "seed": "of everything random in the trial",
    "session": "time that the run was started or resumed, from 0",
    "started_at": "when the trial began, UTC, ISO 8601",
    "duration_s": "how long it took, with its start and end",
    "series": "what was timed",
    "latency_ns": "of one operation, in the order in which they happened",
    "number": "name of the number in the chapter",
    "point": "the estimate",
    "low": "lower end of its interval",
    "high": "upper end of its interval",
    "confidence": "of the interval",
    "n": "independent replicates behind it",
    "method": "of the interval",
    "scale": "whether two of them are compared by their ratio or by their difference",
    "configurations": "whose trials it is computed from, of a ratio the numerator's first, with semicolons between",
    "metric": "column of the trials that it compares, where it is one",
    "kind": "of quantity, as the page of methods has them",
    "claims": "of the ledger that it decides, with semicolons between them",
    "label": "as figures show it",
    "group": "configurations of one group were measured in turns or one after the other",
    "settings": "as JSON",
    "origin": "of the run: published, local, or foreign, which is somebody else's that was added",
    "state": "whether the trial was measured, was left out or failed, and why",
    "cache_state": "what was cached at its start, by what was counted",
    "memory": "how memory was bounded",
    "storage": "how storage was slowed down or bounded",
    "storage_depth": "requests to the device at a time, while its latency was measured",
    "dirty_limits": "the kernel's limits of dirty data that were in force",
    "share": "whether as much of the data was in memory as was asked for",
    "steadiness": "class of the trial's course of throughput",
    "engine": "the program that was measured, with its version",
    "badger": "version of Badger",
    "plan": "the server's plan of the statement",
    "turns": "turns in which the trial was measured",
    "timer_ns": "what reading the clock takes, which is inside of every time",
    "settle_s": "how long the engine was left to finish its background work",
    "seeks": "searches in tables of the store",
    "tables": "tables of the store at the end",
    "pages": "pages that the trial used",
    "cost_added_bytes": "bytes that the cache charged for what it took in",
    "keys_updated": "entries that the cache replaced",
    "keys_rejected": "entries that the cache did not take in",
    "count_difference": "transactions that the server counted and the clients did not",
    "looks": "samples of what the server waited for",
    "look_share": "share of the time that taking samples took",
    "little_ratio": "clients over throughput times latency, 1 by Little's law",
    "failed": "operations that failed",
    "asked_reads": "reads that were asked for",
    "checked_reads": "values read that were compared with what was written",
    "checked_values": "values that were compared with what was written",
    "discarded_lookups": "look-ups at the start of turns, which do not count",
    "processes_killed": "processes that the bound of memory killed",
}
"""Of the tables, by column."""
_STATISTICS = {
    "min": "shortest time", "mean": "mean time", "max": "longest time", "sd": "standard deviation of times",
    "p50": "P50 of times", "p95": "P95 of times", "p99": "P99 of times", "p999": "P99.9 of times",
}  # fmt: skip
_OF = {
    "": "all operations", "kept": "the stored operations", "sample": "the stored operations",
    "stored": "the stored operations", "latency": "all transactions", "first": "the first operations after a start",
}  # fmt: skip
_RUNS = {"second": "second run on the same server", "third": "third run on the same server"}
_STATISTIC = re.compile(r"(?:(\w+)_)?(min|mean|max|sd|p50|p95|p99|p999)_(ns|us)")
_PLACE = re.compile(r"(\w+?)_(\d+)")


def described(metrics: Metrics, name: str) -> str:
    """A column in words: those of the chapter's metrics, of the tables, or what the parts of its name say."""
    if metric := known(metrics, name):
        return metric.words
    if name in COLUMNS:
        return COLUMNS[name]
    run, _, rest = name.partition("_")
    if run in _RUNS and rest:
        return f"{described(metrics, rest)}, {_RUNS[run]}"
    if found := _STATISTIC.fullmatch(name):
        of = found[1] or ""
        return f"{_STATISTICS[found[2]]} of {_OF.get(of) or in_words(metrics, of)}"
    if found := _PLACE.fullmatch(name):
        return f"{in_words(metrics, found[1])}, part {int(found[2])} of the trial"
    return in_words(metrics, name)


def unit(metrics: Metrics, name: str) -> str:
    """Of a column of numbers, by the end of its name, or by its metric where that is shown as it is stored."""
    plain = found[1] if (found := _PLACE.fullmatch(name)) else name
    last = plain.rsplit("_", 1)[-1]
    for end, told in _WHOLE_UNITS.items():
        if plain == end or plain.endswith(f"_{end}"):
            return told
    if by_name := _UNITS[last] if last in _UNITS else wording.unit(plain):
        return by_name
    metric = known(metrics, name)
    return metric.unit if metric and metric.factor == 1 else ""
