"""What the probe is asked for in a trial (probes/kv/README.md), and in small ones that show an engine's settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.model import Configuration

Request = dict[str, Any]
SMALL = {"rows": 1_000, "operations": 256}
"""Of a trial that nobody times: enough that every engine opens, writes and answers."""
TEXTS = ("db_options", "column_family_options")
"""All of RocksDB's options as it prints them."""


def request(
    seed: int, options: Mapping[str, Any], rows: int, run: Mapping[str, Any], *, workload: str = "gets", **load: Any
) -> Request:
    """A trial's request. options: of engine and index. run: the look-ups. load: as the note's program unless given.

    The note's program writes sequential keys with values ``value_<key>`` (0 bytes asked for), all rows as one.
    """
    filling = {"rows": rows, "keys": "sequential", "value_bytes": 0, "batch_rows": 0} | load
    return {"seed": seed, "workload": workload, "options": dict(options), "load": filling, "run": dict(run)}


def lookups(request: Request) -> int:
    """Look-ups of a trial, those that only warm included."""
    return int(request["run"].get("operations", 0) + request["run"].get("warm_operations", 0))


def small(request: Request) -> Request:
    """A few look-ups in a small store with the same options."""
    run = {"law": "uniform", "operations": SMALL["operations"], "batch_operations": SMALL["operations"]}
    return request | {"seed": 0, "workload": "gets", "load": request["load"] | {"rows": SMALL["rows"]}, "run": run}


def counting(request: Request, answer: Answer) -> Request:
    """The request with the lookups that were counted in turns: how many fit is known afterwards."""
    return request | {"run": request["run"] | {"operations": int(answer.record["counters"]["run"]["operations"])}}


def unwarmed(arm: Configuration, request: Request) -> bool:
    """Whether the first lookups count."""
    return not request["run"].get("warm_operations", 0)


def settings(requests: Mapping[str, Request], ask: Callable[[Request], Mapping[str, Any]]) -> dict[str, Any]:
    """What the engines hold, and the cost of one reading of the clock, for a run's record.

    requests: by configuration. ask: makes a trial and gives what the probe says of it. settings: by the first
    configuration that has them. rocksdb_options: all of RocksDB's, as it prints them.
    Raises the BenchbookError of a request that is refused, which then says whose it was.
    """
    found: dict[str, dict[str, Any]] = {}
    texts: dict[str, str] = {}
    timers = []
    for name, request in _different(requests).items():
        try:
            record = ask(small(request))
        except BenchbookError as error:
            raise type(error)(f"configuration {name}: {error.problem}", error.mend) from error
        own, options = dict(record["settings"]), dict(record["settings"]["engine_options"])
        del own["engine_options"]
        texts = texts or {text: without_folders(options[text]) for text in TEXTS if text in options}
        found[name] = own | {key: value for key, value in options.items() if key not in TEXTS}
        timers.append(float(record["timer_ns"]))
    return {"settings": found, "rocksdb_options": texts, "probe_timer_ns": min(timers)}


def without_folders(options: str) -> str:
    """RocksDB's option text with every path replaced: a run's record names no folder."""
    return re.sub(r"=[^;{}]*/[^;{}]*", "=a folder", options)


def _different(requests: Mapping[str, Request]) -> dict[str, Request]:
    """The first configuration of each set of an engine's options."""
    found: list[tuple[str, Request]] = []
    for name, request in requests.items():
        if request["options"]["engine"] != "none" and request["options"] not in (each["options"] for _, each in found):
            found.append((name, request))
    return dict(found)
