import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from benchbook.errors import BenchbookError
from benchbook.statistics import open_loop

durations = arrays(np.int64, 20, elements=st.integers(0, 10**9))


def test_a_stall_is_charged_to_every_request_that_waited_behind_it():
    ms = 1_000_000
    scheduled = np.arange(5) * 10 * ms
    # one worker, 1 ms a request; the second one stalls for 35 ms
    started = np.array([0, 10, 45, 46, 47]) * ms
    ended = np.array([1, 45, 46, 47, 48]) * ms
    found = open_loop(scheduled, started, ended, skipped=2)
    assert found.service_ns.tolist() == [ms, 35 * ms, ms, ms, ms]
    assert found.response_ns.tolist() == [ms, 35 * ms, 26 * ms, 17 * ms, 8 * ms]
    assert found.lag_ns.tolist() == [0, 0, 25 * ms, 16 * ms, 7 * ms]
    assert (found.late, found.skipped, found.late_limit_ns) == (3, 2, ms)


@given(durations, durations, durations, st.integers(-(10**15), 10**15))
def test_response_is_lag_and_service_whatever_the_clock_shows(gaps, lags, services, epoch):
    scheduled = np.cumsum(gaps)
    found = open_loop(scheduled, scheduled + lags, scheduled + lags + services, late_limit_ns=1_000)
    assert (found.response_ns == found.lag_ns + found.service_ns).all()
    assert (found.response_ns >= found.service_ns).all()
    assert found.late == np.count_nonzero(lags > 1_000)
    shifted = [times + epoch for times in (scheduled, scheduled + lags, scheduled + lags + services)]
    assert (open_loop(*shifted).response_ns == found.response_ns).all()


def test_a_request_at_the_limit_is_not_late():
    assert open_loop([0, 0], [5, 6], [7, 7], late_limit_ns=5).late == 1
    assert open_loop([0, 0], [0, 1], [7, 7], late_limit_ns=0).late == 1


def test_whole_numbers_may_come_as_floating_point():
    found = open_loop([0.0, 1e9], [1.0, 1e9], [5.0, 2e9])
    assert found.response_ns.dtype == np.int64
    assert found.response_ns.tolist() == [5, 10**9]


@pytest.mark.parametrize(
    ("scheduled", "started", "ended", "options"),
    [
        ([], [], [], {}),
        ([], [], [], {"skipped": 3}),
        ([0, 1], [0], [1], {}),
        ([0], [0, 1], [1], {}),
        ([0], [0], [1, 2], {}),
        ([0], [2], [1], {}),
        ([2], [1], [3], {}),
        ([0], [np.nan], [1], {}),
        ([0], [0], [np.inf], {}),
        ([0], [0.5], [1], {}),
        ([[0]], [[0]], [[1]], {}),
        (["0"], ["0"], ["1"], {}),
        ([0], [0], [1], {"skipped": -1}),
        ([0], [0], [1], {"late_limit_ns": -1}),
    ],
)
def test_times_that_cannot_be_are_refused_with_a_mend(scheduled, started, ended, options):
    with pytest.raises(BenchbookError) as caught:
        open_loop(scheduled, started, ended, **options)
    assert caught.value.mend
