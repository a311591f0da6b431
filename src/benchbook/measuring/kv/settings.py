"""The settings as the engines hold them: each set of options in a small trial, and what the probe then says of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from benchbook.errors import BenchbookError
from benchbook.measuring.kv.requests import Request, small

TEXTS = ("db_options", "column_family_options")
"""All of RocksDB's options as it prints them."""


def held(requests: Mapping[str, Request], ask: Callable[[Request], Mapping[str, Any]]) -> dict[str, Any]:
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
