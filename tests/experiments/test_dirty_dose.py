"""When throughput falls in a trial of dirty_dose, what waits by then, and which configurations there are."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.dirty_dose import watched
from benchbook.engines.pgbench.kernel_waits import Seen
from benchbook.measuring import pgbench
from benchbook.numbers.summary import NotEstimableError

SECONDS, MIB = 25, 2**20


def ends(fell: float | None) -> np.ndarray:
    """Ends of transactions: 7 of 1,000 a second until it falls, then 1,000."""
    fast = np.linspace(0, fell or SECONDS, int(7_000 * (fell or SECONDS)), endpoint=False)
    return fast if fell is None else np.concatenate([fast, np.linspace(fell, SECONDS, int(1_000 * (SECONDS - fell)))])


def seen(slows_mib: float, fell: float | None) -> Seen:
    """Dirty data that reach this point at the fall; three of four backends then wait for a file's lock."""
    at = np.arange(0, SECONDS, 0.1)
    waiting = slows_mib * MIB * np.minimum(1.0, at / (fell or 2 * SECONDS))
    after = at >= fell if fell is not None else np.zeros(at.size, bool)
    counts = {"ext4_buffered_write_iter": np.where(after, 15, 0), "balance_dirty_pages": np.where(after, 1, 0)}
    return Seen(at, waiting, np.full(at.size, 20), counts)


@pytest.mark.parametrize("fell", [4.0, 7.5, 13.0, None])
def test_a_fall_is_placed_to_half_a_second_and_a_steady_trial_has_none(fell: float | None) -> None:
    assert watched(seen(100, fell), ends(fell), SECONDS, None)["fell_s"] == fell


def test_a_dip_of_less_than_a_second_is_no_fall() -> None:
    steady = ends(None)
    dip = np.concatenate([steady[steady < 10], steady[steady > 10.7]])
    assert watched(seen(100, None), dip, SECONDS, None)["fell_s"] is None
    assert watched(seen(100, None), np.zeros(0), SECONDS, None)["fell"] == 0


def test_what_waits_at_the_fall_is_told_over_the_point_that_slows_writers() -> None:
    found = watched(seen(168.5, 7.5), ends(7.5), SECONDS, 168.5 * MIB)
    assert found["waiting_at_fall_over_slowing"] == pytest.approx(1.0, abs=0.02)
    assert found["reached_s"] == pytest.approx(0.95 * 7.5, abs=0.11)
    assert found["file_lock_share"] == pytest.approx(0.75, abs=0.02)
    assert found["throttled_share"] == pytest.approx(0.05, abs=0.01)
    assert (found["tps_after"] or 0) / (found["tps_before"] or 1) == pytest.approx(1 / 7, rel=0.01)


def test_without_a_limit_nothing_is_reached_and_without_a_fall_nothing_is_before_it() -> None:
    found = watched(seen(100, None), ends(None), SECONDS, None)
    assert found["reached"] is found["reached_s"] is found["tps_before"] is None
    assert found["fell"] == found["file_lock_share"] == 0


def test_a_kernel_that_says_nothing_leaves_what_it_would_say_missing() -> None:
    blind = Seen(np.arange(0, SECONDS, 0.1), np.full(250, np.nan), np.zeros(250), {})
    found = watched(blind, ends(4.0), SECONDS, 1e8)
    assert found["waiting_peak_bytes"] is found["file_lock_share"] is found["waiting_001_mib"] is None
    assert found["fell_s"] == 4.0


def test_what_one_trial_alone_has_is_not_estimable() -> None:
    summary: Any = SimpleNamespace(label=str, estimated=lambda statistic, values, of: (values.tolist(), of.tolist()))

    def asked(*values: float) -> object:
        return pgbench.Summary.of_those(summary, "A", np.array(values), "fell", len)

    assert asked(4, np.nan, 3) == ([4, 3], [True, False, True])
    with pytest.raises(NotEstimableError, match="1 of 3 trials of “A” fell"):
        asked(np.nan, 3, np.nan)
