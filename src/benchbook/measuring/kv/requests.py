"""What the probe is asked for in a trial (probes/kv/README.md), and what is left of it to see an engine's settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.engines.probe import Answer
from benchbook.model import Configuration

Request = dict[str, Any]
SMALL = {"rows": 1_000, "operations": 256}
"""Of a trial that nobody times: enough that every engine opens, writes and answers."""


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
