"""A run in, the measuring session of each of its blocks out: a pause of an hour begins another."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchbook.model import Run

PAUSE_S = 3_600.0
"""A machine is another one after so long; blocks that lie closer to each other are of one session (item 20d)."""


def sessions_of(run: Run) -> np.ndarray:
    """Each block's measuring session, numbered from 0 in the run's order of blocks, shape (blocks,).

    A session begins where a block's first trial starts an hour or more after every trial before it has ended. The parts
    of a pooled run are no sessions by themselves: two that follow on each other within the hour are one. A run whose
    trials do not say when they were measured is one session.
    """
    times = ["started_at", "duration_s"]
    if not {*times} <= {*run.trials} or run.trials[times].isna().any(axis=None):
        return np.zeros(run.blocks, dtype=np.int64)
    trials = run.trials.sort_values("block")
    start = pd.to_datetime(trials["started_at"], utc=True, format="ISO8601").astype("datetime64[ns, UTC]")
    seconds = start.astype(np.int64) / 1e9
    starts = seconds.groupby(trials["block"]).min().to_numpy()
    ends = (seconds + trials["duration_s"].astype(float)).groupby(trials["block"]).max().to_numpy()
    before = np.maximum.accumulate(ends)[:-1]
    begins: np.ndarray = np.concatenate([[0], np.cumsum(starts[1:] - before >= PAUSE_S)])
    return begins.astype(np.int64)
