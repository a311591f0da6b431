"""A configuration in, what the probe is asked for out (probes/kv/README.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.experiments.sqlite_fairness.arms import COMMITS, DEPENDENT, NOTE, ONE_WRITE, TIMED, WARM, WRITTEN
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.experiments.sqlite_fairness.uses import LOOKUPS, WRITES
from benchbook.model import Configuration

BATCH = 256
"""Look-ups between two readings of the clock where they are timed in batches."""
LARGEST_BATCH = 1 << 16


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> dict[str, Any]:
    """The request of one trial."""
    part, rows = str(arm.settings["part"]), int(arm.settings["rows"] or 0)
    use = (WRITES if part in WRITTEN else LOOKUPS)[str(arm.settings["use"])]
    load: dict[str, Any] = {"rows": rows, "keys": "sequential", "value_bytes": 0, "batch_rows": 0}
    if part == COMMITS:
        load["batch_rows"] = parameters.commit_rows
    if part in WRITTEN:
        return _request(seed, "crash", use.options, load, {"kill_after_batches": _kill_after(parameters, part, seed)})
    return _request(seed, "gets", use.options, load | {"settle": use.settle}, _run(parameters, part, rows))


def _run(p: Parameters, part: str, rows: int) -> dict[str, Any]:
    """The look-ups of a part. The note's are those of its benchmark: each stride-th row, once, nothing before."""
    if part == NOTE:
        found: dict[str, Any] = {"law": "stride", "stride": rows // p.queries, "operations": p.queries}
        return found | {"batch_operations": min(p.queries, LARGEST_BATCH)}
    own: dict[str, dict[str, Any]] = {
        WARM: {"operations": p.ladder_queries},
        DEPENDENT: {"operations": p.ladder_queries, "dependent": True},
        TIMED: {"operations": p.timed_queries, "timing": "queries"},
    }
    return {"law": "uniform", "warm_operations": p.warm_queries, "batch_operations": BATCH} | own[part]


def _kill_after(p: Parameters, part: str, seed: int) -> int:
    """The commit after whose report the writer is killed: the only one, or one of the second half, alike in a block."""
    if part == ONE_WRITE:
        return 1
    return int(np.random.default_rng(seed).integers(p.commits // 2, p.commits, endpoint=True))


def _request(seed: int, workload: str, options: Any, load: Any, run: Any) -> dict[str, Any]:
    return {"seed": seed, "workload": workload, "options": dict(options), "load": load, "run": run}
