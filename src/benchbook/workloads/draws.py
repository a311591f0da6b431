"""Draws of keys under a popularity law: uniform hot sets, two-point mixtures and Zipf with any exponent."""

from __future__ import annotations

import numpy as np

from benchbook.errors import BenchbookError


def two_point(keys: int, hot_keys: int, hot_share: float, count: int, generator: np.random.Generator) -> np.ndarray:
    """Ranks in 0..keys-1: with probability ``hot_share`` one of the first ``hot_keys``, else one of the others.

    The "80/20 rule" is ``hot_keys = 0.2 * keys, hot_share = 0.8``. Returns int64, shape (count,), with replacement.
    """
    if not 0 < hot_keys <= keys:
        raise BenchbookError(
            f"a hot set of {hot_keys} of {keys} keys is impossible", "make it at least 1 and at most all"
        )
    if not 0 <= hot_share <= 1:
        raise BenchbookError(f"hot_share={hot_share} is not a share", "give a number from 0 to 1")
    if hot_keys == keys and hot_share < 1:
        raise BenchbookError("every key is hot, so none is left for the cold share", "make the hot set smaller")
    hot = generator.random(count) < hot_share
    ranks = np.where(
        hot, generator.integers(0, hot_keys, count), generator.integers(min(hot_keys, keys - 1), keys, count)
    )
    return ranks.astype(np.int64)


def hot_share(
    hot: np.ndarray, cold: np.ndarray, share: float, count: int, generator: np.random.Generator
) -> np.ndarray:
    """Requests that mix a hot set with keys never asked before.

    hot: ids drawn with replacement. cold: ids taken one after the other, each at most once, so that a cold request
    never finds what an earlier one loaded. share: of hot requests, exact up to rounding; their places are random.
    Returns ids, int64, shape (count,). Raises BenchbookError when ``cold`` is too short.
    """
    n_hot = round(count * share)
    if count - n_hot > len(cold):
        raise BenchbookError(
            f"{count - n_hot:,} cold keys are needed, {len(cold):,} are there", "give more rows or fewer requests"
        )
    places = generator.permutation(count)
    ids = np.empty(count, dtype=np.int64)
    ids[places[:n_hot]] = hot[generator.integers(0, len(hot), n_hot)] if n_hot else []
    ids[places[n_hot:]] = cold[: count - n_hot]
    return ids


def zipf_weights(keys: int, exponent: float) -> np.ndarray:
    """Probability of each rank, shape (keys,): proportional to rank ** -exponent; any exponent > 0."""
    if exponent <= 0:
        raise BenchbookError(f"a Zipf exponent of {exponent} gives no popularity order", "give a number above 0")
    weights = np.arange(1, keys + 1, dtype=np.float64) ** -exponent
    return np.asarray(weights / weights.sum())


def zipf(keys: int, exponent: float, count: int, generator: np.random.Generator) -> np.ndarray:
    """Ranks in 0..keys-1 under Zipf's law, by inversion of the exact distribution function; int64, shape (count,).

    Exact for any exponent > 0, where the rejection method of many generators needs one above 1.
    """
    cumulative = np.cumsum(zipf_weights(keys, exponent))
    cumulative[-1] = 1.0
    return np.searchsorted(cumulative, generator.random(count), side="right").astype(np.int64)


def scattered(ranks: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Ids for ranks through a random order, so that popular keys do not lie side by side on the same page."""
    return np.asarray(order[ranks])
