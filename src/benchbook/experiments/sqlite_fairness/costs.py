"""Parameters in, what the run takes out: minutes, disk and memory, estimated from times of one row and one look-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchbook.experiments.sqlite_fairness.arms import configurations
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.experiments.sqlite_fairness.requests import request_of

LOGGED_ROW_BYTES, SETTLED_ROW_BYTES = 60, 150
"""Disk of a row in the engine that takes most: its log alone, or with table files and those of a compaction."""
SPARE_DISK_BYTES = 1_000_000_000
ROW_MEMORY_BYTES = 400
"""A row in the note's engine: batch, memtable, and the index with its byte array a key; measured, and rounded up."""
SPARE_MEMORY_BYTES = 800_000_000
TRIAL_S = 0.1
SLOWEST_ROW_S, SLOWEST_LOOKUP_S = 1e-4, 1e-2


def disk_bytes(parameters: Parameters) -> int:
    """Disk that the largest store takes while it is written."""
    p = parameters
    settled = max(p.ladder_rows, p.one_write_rows, p.commits * p.commit_rows)
    return max(LOGGED_ROW_BYTES * p.largest, SETTLED_ROW_BYTES * settled) + SPARE_DISK_BYTES


def memory_bytes(parameters: Parameters) -> int:
    """Memory of the largest trial."""
    p = parameters
    return ROW_MEMORY_BYTES * max(p.largest, p.ladder_rows, p.one_write_rows) + SPARE_MEMORY_BYTES


def minutes(parameters: Parameters) -> float:
    """Time of the whole run on a machine such as a small virtual server; a fast one needs half."""
    block_s = 0.0
    for arm in configurations(parameters):
        request = request_of(parameters, arm, parameters.seed)
        run = request["run"]
        lookups = run.get("operations", 0) + run.get("warm_operations", 0)
        block_s += TRIAL_S + request["load"]["rows"] * _row_s(request) + lookups * 7e-6
    return parameters.blocks * block_s / 60


def limit_s(request: Mapping[str, Any]) -> float:
    """When a trial is given up: far beyond what a slow disk needs."""
    run = request["run"]
    lookups = run.get("operations", 0) + run.get("warm_operations", 0)
    return float(300 + request["load"]["rows"] * SLOWEST_ROW_S + lookups * SLOWEST_LOOKUP_S)


def _row_s(request: Mapping[str, Any]) -> float:
    """Seconds to write a row, and to look for it again where the writer is killed."""
    options = request["options"]
    if request["workload"] == "crash":
        return 1e-5
    if options["engine"] == "rocksdb":
        return 1.6e-6 if request["load"]["settle"] == "nothing" else 4e-6
    return 4e-6 if options["prepare"] == "query" else 0.9e-6
