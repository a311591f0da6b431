"""When and where a run was measured: the session of each of its blocks, and how long measuring took but for pauses."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from benchbook.errors import StoredRunError
from benchbook.model import Run
from benchbook.statistics.visits import numbered
from benchbook.store import schema, tables
from benchbook.store.catalogue import Entry
from benchbook.store.pooling import part_of_blocks
from benchbook.store.processors import model_of

PAUSE_S = 3_600.0
"""A machine is another one after so long; blocks that lie closer to each other are of one session (item 20d)."""

BREAK_S = 600.0
"""Between two trials, longer than any server takes to start: nobody measured then."""
TIMES = ["started_at", "duration_s"]


def measuring_s(trials: pd.DataFrame) -> float:
    """Seconds from the first trial's start to the last one's end without pauses: trials and all that is between them.

    trials: with the columns TIMES. Where trials do not say when they began, the sum of their own durations.
    """
    begun = _begun_s(trials)
    if begun is None:
        return float(trials["duration_s"].sum())
    start = begun.sort_values()
    end = (start + trials["duration_s"][start.index]).cummax()
    paused = start - end.shift()
    return float(end.max() - start.min() - paused[paused > BREAK_S].sum())


def stored_measuring_s(folder: Path) -> float | None:
    """The same of a run in its folder, of which nothing else is read; None where its table cannot be."""
    try:
        return measuring_s(tables.read(folder / schema.TRIALS, columns=TIMES))
    except (StoredRunError, OSError, ValueError, KeyError):  # whoever reads the run as a whole is told
        return None


def sessions_of(run: Run) -> np.ndarray:
    """Each block's measuring session, numbered from 0 in the run's order of blocks, shape (blocks,).

    A session begins where a block's first trial starts an hour or more after every trial before it has ended, and where
    another machine measures, whatever the hour. The parts of a pooled run are no sessions by themselves: two of one
    machine that follow on each other within the hour are one. A block of which no machine is known may be of any. A run
    whose trials do not say when they were measured is one session for each machine.
    """
    return _numbered(*_times(run.trials, run.blocks), run.machines or [""] * run.blocks)


def visits_of(run: Run) -> np.ndarray:
    """Each block's visit, numbered from 0 in the order of time, shape (blocks,); see ``statistics.visits``.

    A run whose trials do not say when they were measured is one visit for each processor model.
    """
    processors = [model_of(part.provenance) for part in run.parts for _ in range(part.blocks)]
    return numbered(*_times(run.trials, run.blocks), processors)


def clocks_back(run: Run) -> set[int]:
    """Places of the parts in which a block began before the one before it: that clock went back, and says nothing."""
    begun, _ = _times(run.trials, run.blocks)
    places = part_of_blocks(run)
    back = (np.diff(begun) < 0) & (np.diff(places) == 0)
    return {*places[1:][back].tolist()}


def stored_visits(entries: Sequence[Entry]) -> list[list[int]]:
    """The visit of each block of stored runs, in the order of the runs; visits are numbered over all of them.

    The same as of the runs pooled, but nothing is read beside when their trials began and how long they took. Raises
    StoredRunError for a run whose record or table cannot be read.
    """
    if not entries:
        return []
    times, processors, blocks = [], [], [0]
    for entry in entries:
        if entry.record is None:
            raise StoredRunError(f"run {entry.id} is damaged: {entry.damage}", "restore it, or measure again")
        path, own = entry.folder / schema.TRIALS, int(entry.record["blocks"])
        try:
            table = tables.read(path, entry.levels, ["block", *TIMES])
        except (pa.ArrowException, OSError, ValueError) as error:
            raise StoredRunError(f"{path} cannot be read ({error})", "restore it, or measure again") from error
        times.append(table.assign(block=table["block"] + blocks[-1]))
        processors += [model_of(entry.provenance)] * own
        blocks.append(blocks[-1] + own)
    found = numbered(*_times(pd.concat(times, ignore_index=True), blocks[-1]), processors).tolist()
    return [found[start:end] for start, end in pairwise(blocks)]


def _times(table: pd.DataFrame, blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """When each block began and ended, in s, shape (blocks,) each, in order of blocks; zeros where nobody says."""
    seconds = _begun_s(table)
    if seconds is None:
        return np.zeros(blocks), np.zeros(blocks)
    starts = seconds.groupby(table["block"]).min()
    ends = (seconds + table["duration_s"].astype(float)).groupby(table["block"]).max()
    return starts.sort_index().to_numpy(), ends.sort_index().to_numpy()


def _numbered(starts: np.ndarray, ends: np.ndarray, machines: Sequence[str]) -> np.ndarray:
    """The session of each block by when it began and ended, in s, and by its machine, "" for any; in order of blocks.

    A block is of the last session that ended less than an hour before it began and that may be of its machine.
    """
    found = np.zeros(len(starts), dtype=np.int64)
    last: dict[str, int] = {}  # machine to its last session; "" to that of which no machine is known yet
    ended: list[float] = []
    for block, (start, end, machine) in enumerate(zip(starts, ends, machines, strict=True)):
        fitting = {machine, ""} & last.keys() if machine else last.keys()
        near = [last[each] for each in fitting if start - ended[last[each]] < PAUSE_S]
        number = max(near, default=len(ended))
        if not near:
            ended.append(end)
        ended[number] = max(ended[number], end)
        if machine and last.get("") == number:
            del last[""]
        if machine or not near:
            last[machine] = number
        found[block] = number
    return found


def _begun_s(trials: pd.DataFrame) -> pd.Series | None:
    """When each trial began, in s since 1970, in the rows' order; None where not all say when and how long."""
    if not {*TIMES} <= {*trials} or trials[TIMES].isna().any(axis=None):
        return None
    begun = pd.to_datetime(trials["started_at"], utc=True, format="ISO8601").astype("datetime64[ns, UTC]")
    return begun.astype(np.int64) / 1e9
