"""The cache state that a trial really had, from what was resident when the measuring began."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from enum import StrEnum

from benchbook.errors import BenchbookError

EMPTY = 0.01
"""At most this share of the needed pages is resident in a cache that counts as empty."""
FULL = 0.99
"""At least this share of the needed pages is resident in a cache that counts as warm."""


class CacheState(StrEnum):
    """The certified state of a trial, which stands in every table instead of the intended one."""

    COLD = "cold"
    LUKEWARM = "lukewarm"
    HOT = "hot"
    MIXED = "mixed"
    NOT_CERTIFIED = "not certified"


def cache_state(shared_buffers: float, os_cache: float | None, *, os_cache_in_play: bool) -> CacheState:
    """Label of a trial from the shares of its needed pages that were resident at the start.

    shared_buffers, os_cache: shares in [0, 1] of the pages that the measured keys need; os_cache None when nobody
    could look. os_cache_in_play: False when reads bypass the OS cache (direct I/O); it is then left out of account.
    hot: >= 99 % in shared buffers. cold: <= 1 % in either. lukewarm: <= 1 % in shared buffers, >= 99 % in the OS
    cache. mixed: all between. not certified: shared buffers are empty and nobody could look at the OS cache.
    Raises BenchbookError for shares outside [0, 1] and NaN.
    """
    for name, value in (("shared buffers", shared_buffers), ("the OS cache", os_cache)):
        if value is not None and not 0 <= value <= 1:
            raise BenchbookError(f"{value:g} of the needed pages in {name} is not a share", "give a share from 0 to 1")
    if shared_buffers >= FULL:
        return CacheState.HOT
    if shared_buffers > EMPTY:
        return CacheState.MIXED
    if not os_cache_in_play:
        return CacheState.COLD
    if os_cache is None:
        return CacheState.NOT_CERTIFIED
    if os_cache <= EMPTY:
        return CacheState.COLD
    return CacheState.LUKEWARM if os_cache >= FULL else CacheState.MIXED


def warmed_share(warm_up_keys: Iterable[Hashable], measured_keys: Iterable[Hashable]) -> float:
    """Share of the distinct measured keys that were also warm-up keys.

    Raises BenchbookError when no key was measured.
    """
    measured = set(measured_keys)
    if not measured:
        raise BenchbookError("no measured keys were given", "certify trials that measured at least one request")
    return len(measured & set(warm_up_keys)) / len(measured)
