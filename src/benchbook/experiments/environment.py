"""A run's canary readings in, one gate per reading out: did the machine hold still while the run was measured?

How far a canary moves on a quiet machine is itself measured: the newest published run of ``noise_floor`` has the
readings from which the spread is computed. Without such a run there is nothing to compare with, and no gate.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchbook import project, statistics
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.model import Run
from benchbook.statistics import Gate
from benchbook.store import schema

SOURCE = "noise_floor"
READINGS = {"read_p50_ns": "direct 8 KiB reads", "hash_p50_ns": "hashing 1 MiB"}
"""Column of a run's canary to its words."""


def published_spreads() -> dict[str, float]:
    """Reading to the spread of the newest published run of ``noise_floor``; empty where none is published."""
    found = sorted((project.published() / SOURCE).glob("*/run.json"))
    return dict(_spreads(max(found, key=_finished))) if found else {}


def _finished(path: Path) -> str:
    return str(schema.read_record(path.parent).get("finished_at") or "")


@cache
def _spreads(path: Path) -> tuple[tuple[str, float], ...]:
    return tuple(spreads(pd.DataFrame(schema.read_record(path.parent)["canary"])).items())


def spreads(canary: pd.DataFrame) -> dict[str, float]:
    """Reading to its spread on this quiet machine, as a share; a reading that the machine cannot take is left out.

    canary: as in a Run, in order of time.
    """
    found = {}
    for reading in READINGS:
        if reading not in canary or canary[reading].isna().any():
            continue
        try:
            found[reading] = statistics.canary_spread(canary[reading].to_numpy(dtype=float))
        except BenchbookError:  # too few readings, or a clock too coarse
            continue
    return found


def canary_gates(run: Run) -> list[Gate]:
    """One gate per reading that has a published spread; raises StoredRunError when blocks lack their readings."""
    gates = []
    for reading, spread in published_spreads().items():
        start, end = (_readings(run, reading, moment) for moment in ("start", "end"))
        if start is None or end is None:
            continue
        gate = statistics.canary_gate(start, end, spread)
        gates.append(Gate(f"canary, {READINGS[reading]}", gate.passed, gate.value, gate.reason))
    return gates


def _readings(run: Run, reading: str, moment: str) -> Any:
    """The readings of one moment in the order of the blocks; None where this machine could not take them."""
    table = run.canary
    if reading not in table or table[reading].isna().any():
        return None
    # A block that was interrupted and resumed has been looked at again: its last look counts.
    part = table[table["moment"] == moment].drop_duplicates("block", keep="last").set_index("block")[reading]
    if not set(range(run.blocks)) <= set(part.index):
        raise StoredRunError(f"run {run.id} lacks canary readings of some blocks", "restore it, or measure again")
    return part.loc[list(range(run.blocks))].to_numpy(dtype=float)
