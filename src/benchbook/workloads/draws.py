"""Draws of keys under a popularity law: hot sets mixed with cold keys, and Zipf with any exponent."""

from __future__ import annotations

import numpy as np

from benchbook.errors import BenchbookError


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
