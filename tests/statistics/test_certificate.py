import pytest

from benchbook.errors import BenchbookError
from benchbook.statistics import CacheState, cache_state, warmed_share


@pytest.mark.parametrize(
    ("shared_buffers", "os_cache", "in_play", "state"),
    [
        (0.0, 0.0, True, CacheState.COLD),
        (0.01, 0.01, True, CacheState.COLD),
        (0.01, 1.0, False, CacheState.COLD),
        (0.0, None, False, CacheState.COLD),
        (0.0, None, True, CacheState.NOT_CERTIFIED),
        (0.01, 0.99, True, CacheState.LUKEWARM),
        (0.0, 0.98, True, CacheState.MIXED),
        (0.0, 0.02, True, CacheState.MIXED),
        (0.011, 0.0, False, CacheState.MIXED),
        (0.98, 1.0, True, CacheState.MIXED),
        (0.99, 0.0, True, CacheState.HOT),
        (1.0, None, True, CacheState.HOT),
    ],
)
def test_a_trial_is_called_what_it_was(shared_buffers, os_cache, in_play, state):
    assert cache_state(shared_buffers, os_cache, os_cache_in_play=in_play) is state


@pytest.mark.parametrize(("shared_buffers", "os_cache"), [(-0.1, 0.0), (1.1, 0.0), (0.0, 7.0), (float("nan"), 0.0)])
def test_what_is_no_share_is_refused(shared_buffers, os_cache):
    with pytest.raises(BenchbookError, match="not a share"):
        cache_state(shared_buffers, os_cache, os_cache_in_play=True)


def test_the_warmed_share_counts_distinct_measured_keys():
    assert warmed_share(["a", "b", "b"], ["b", "b", "c", "d", "e"]) == 0.25
    assert warmed_share([], ["a"]) == 0
    assert warmed_share(range(1_000), range(1_000)) == 1
    with pytest.raises(BenchbookError, match="no measured keys"):
        warmed_share(["a"], [])
