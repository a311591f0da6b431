"""The I/O cliff: what its configurations set, when its cause acted, and how a run departs from what claims name."""

from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters import io_cliff
from benchbook.chapters.io_cliff import Parameters
from benchbook.measuring.pgbench import watched
from benchbook.measuring.pgbench.cliffs import Bench
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.tables import Tables

chapter = lab.experiment("io_cliff")


def test_the_notes_proportion_is_that_of_its_own_raw_reports() -> None:
    reanalysis = lab.experiment("cliff_reanalysis")
    reports = reanalysis.summarize(reanalysis.Parameters())
    devices = reports.reports["A"].devices
    writing = devices[(devices["t_s"] > reports.filled[0]) & (devices["t_s"] <= 60)]["device_writes"].median()
    log = reports.reports["B"].devices
    own = log[(log["t_s"] > 2) & (log["t_s"] <= 60)]["device_writes"].median()
    pages = (writing - own) / 2  # both halves of a mirror do each
    assert pages / reports.reports["A"].mean_tps(15, 25) == pytest.approx(NOTE_WRITES_PER_TRANSACTION, abs=0.005)


def test_no_interval_of_a_share_of_the_peak_goes_beyond_it() -> None:
    found = io_cliff.share_of_peak([0.977, 0.098, 1.0, 0.995, 1.0, 0.923])
    assert found.point == pytest.approx(0.667, abs=0.001)
    assert (found.low, found.high) == (pytest.approx(0.249, abs=0.001), 1.0)


def test_checkpoint_settings_are_scaled_with_time_and_data() -> None:
    parameters, nothing = Parameters(checkpoint_seconds=60), cast(Any, None)
    bench = Bench(parameters, Tables(nothing, nothing, nothing, [], 787_000_000, 0, "pglz", {}), 700)
    named = chapter.configurations(parameters)
    spaced, timed, small = (bench.settings(named[arm]) for arm in io_cliff.CHECKPOINTS)
    assert bench.limits(named["spaced_checkpoints"]) is None
    assert timed["checkpoint_timeout"] == "30s"
    assert spaced["checkpoint_timeout"] == small["checkpoint_timeout"] == "360s"
    assert small["max_wal_size"] == "39MB"
    assert {name for name in spaced if spaced[name] != timed[name]} == {"checkpoint_timeout"}
    assert {name for name in spaced if spaced[name] != small[name]} == {"max_wal_size"}


def looked(waiting_mib: list[float], handed_mib: list[float]) -> pd.DataFrame:
    """A table of looks, a second apart; the pool handed its pages over through the background writer alone."""
    zero = [0.0] * len(waiting_mib)
    return pd.DataFrame(
        {"dirty_bytes": np.array(waiting_mib) * 2**20, "writeback_bytes": zero, "backend_buffers": zero,
         "cleaned_buffers": np.array(handed_mib) * 128, "checkpoint_buffers": zero}
    )  # fmt: skip


def test_what_waits_is_held_against_what_the_pool_has_handed_over() -> None:
    pages = watched.over_handed(looked([5, 40, 90, 140], [0, 30, 80, 150]))
    pieces = watched.over_handed(looked([5, 120, 200, 220], [0, 30, 80, 150]))
    assert pages is not None
    assert pages <= io_cliff.COUNTED_OVER
    assert pieces is not None
    assert pieces > 1.2
    assert watched.over_handed(looked([5, 9, 9, 9], [0, 1, 2, 3])) is None, "next to nothing was handed over"
