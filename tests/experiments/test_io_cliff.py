"""The I/O cliff: what its configurations set, when its cause acted, and how a run departs from what claims name."""

from __future__ import annotations

from typing import Any

import pytest

from benchbook import lab
from benchbook.chapters import io_cliff
from benchbook.chapters.io_cliff import Parameters
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.storage.caps import Cap
from benchbook.measuring.pgbench.cliffs import Bench
from benchbook.measuring.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.measuring.pgbench.storage import Slowness
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


DATA = 787_000_000


def bench(parameters: Parameters) -> Bench:
    """A session that has loaded so many bytes, without its server."""
    nothing: Any = None
    return Bench(parameters, Tables(nothing, nothing, nothing, [], DATA, 0, "pglz", {}), 700)


def test_limits_are_scaled_to_the_trials_memory_and_left_alone_where_asked() -> None:
    named, limits = chapter.configurations(Parameters()), bench(Parameters()).limits
    ten_five = limits(named[io_cliff.A_10_5])
    assert isinstance(ten_five, DirtyLimits)
    assert ten_five.limit_bytes == int(int(3 * DATA) * 0.10)
    four_one = limits(named[io_cliff.A])
    assert four_one is not None
    assert four_one.background_bytes == int(int(3 * DATA) * 0.01)
    assert limits(chapter.configurations(Parameters(checkpoint_seconds=60))["spaced_checkpoints"]) is None
    off = Parameters(allow_vm_settings=False)
    left_out = {
        io_cliff.A_10_1,
        io_cliff.A_10_5,
        io_cliff.B_10_5,
        "scenario_a_dirty_10_5_free",
        "scenario_b_dirty_10_5_free",
    }
    assert {*named} - {*chapter.configurations(off)} == left_out
    assert bench(off).limits(named[io_cliff.A]) is None


def test_only_capped_configurations_are_slow() -> None:
    named, slowness = chapter.configurations(Parameters()), bench(Parameters(storage_latency_ms=1.0)).slowness
    assert slowness(named[io_cliff.A]) == Slowness(Cap(write_iops=700), sync_ms=1.0)
    assert slowness(named[io_cliff.A_FREE]) == Slowness()


def test_what_is_compared_stands_together_in_its_block() -> None:
    plan = chapter.plan(Parameters(blocks=2))
    order = [trial.configuration.name for trial in plan.trials if trial.block == 0]
    a, b = io_cliff.A, io_cliff.B
    for pair in ((a, f"{a}_again"), (a, io_cliff.A_10_1), (b, io_cliff.B_10_5), (io_cliff.A_FREE, io_cliff.B_FREE)):
        assert abs(order.index(pair[0]) - order.index(pair[1])) <= 4, pair


def test_checkpoint_settings_are_scaled_with_time_and_data() -> None:
    parameters = Parameters(checkpoint_seconds=60)
    named = chapter.configurations(parameters)
    spaced, timed, small = (bench(parameters).settings(named[arm]) for arm in io_cliff.CHECKPOINTS)
    assert timed["checkpoint_timeout"] == "30s"
    assert spaced["checkpoint_timeout"] == small["checkpoint_timeout"] == "360s"
    assert small["max_wal_size"] == "39MB"
    assert {name for name in spaced if spaced[name] != timed[name]} == {"checkpoint_timeout"}
    assert {name for name in spaced if spaced[name] != small[name]} == {"max_wal_size"}
