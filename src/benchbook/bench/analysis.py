"""Ten million latencies described, and a timeline's mean resampled: the book's functions beside numpy's and pandas'."""

from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.bench.measured import Measured, Pair, Say, Sizes, interleaved, timed
from benchbook.bench.record import timing
from benchbook.errors import BenchbookError
from benchbook.statistics.timelines import block_length

SEED = 1
_SHARES = (0.5, 0.95, 0.99, 0.999)
_TAIL = 0.025

LABELS = {
    "describe": ("describe", "benchbook: eight numbers of all latencies, checked"),
    "numpy": ("numpy", "numpy: the same eight, all quantiles in one call"),
    "numpy_each": ("numpy, 4 calls", "numpy: the same eight, a call for each quantile"),
    "pandas": ("pandas", "pandas: Series.describe with these quantiles"),
    "bootstrap": ("bootstrap", "benchbook: interval of a timeline's mean (arch)"),
    "bootstrap_numpy": ("bootstrap in numpy", "numpy: the same resampling in whole arrays"),
}
"""Name to the words for a figure and for a table."""


def measure(sizes: Sizes, say: Say) -> Measured:
    """Raises BenchbookError when two of them do not find the same numbers."""
    generator = np.random.default_rng(SEED)
    latencies = generator.lognormal(13, 0.8, sizes.samples).astype(np.int64)
    timeline = 1_000 + 50 * np.convolve(generator.standard_normal(sizes.seconds + 4), np.ones(5), "valid")
    _check(latencies)
    contestants = {
        "describe": timed(lambda: statistics.describe(latencies)),
        "numpy": timed(lambda: plain(latencies)),
        "numpy_each": timed(lambda: one_by_one(latencies)),
        "pandas": timed(lambda: by_pandas(latencies)),
        "bootstrap": timed(lambda: statistics.stationary_mean(timeline, resamples=sizes.resamples)),
        "bootstrap_numpy": timed(lambda: resampled(timeline, sizes.resamples)),
    }
    seconds = interleaved(contestants, sizes.repeats, seed=SEED, say=say)
    return Measured(
        tuple(timing(name, label, seconds[name], short=short) for name, (short, label) in LABELS.items()),
        (
            Pair("describe", "numpy", main=True),
            Pair("describe", "numpy_each"),
            Pair("describe", "pandas", main=True),
            Pair("bootstrap", "bootstrap_numpy", main=True),
        ),
        {"samples": sizes.samples, "seconds of the timeline": sizes.seconds, "resamples": sizes.resamples},
        {"numpy": np.__version__, "pandas": pd.__version__},
    )


def plain(latencies: np.ndarray) -> np.ndarray:
    """Minimum, mean, the four quantiles, maximum and standard deviation, in whole calls of numpy."""
    quantiles = np.quantile(latencies, _SHARES)
    return np.array([latencies.min(), latencies.mean(), *quantiles, latencies.max(), latencies.std(ddof=1)])


def one_by_one(latencies: np.ndarray) -> np.ndarray:
    """The same with a call for each quantile, as it is often written."""
    quantiles = [np.quantile(latencies, share) for share in _SHARES]
    return np.array([latencies.min(), latencies.mean(), *quantiles, latencies.max(), latencies.std(ddof=1)])


def by_pandas(latencies: np.ndarray) -> np.ndarray:
    """The same from pandas' description of a column."""
    found: Any = pd.Series(latencies).describe(percentiles=list(_SHARES))
    numbers: np.ndarray = found[["min", "mean", "50%", "95%", "99%", "99.9%", "max", "std"]].to_numpy()
    return numbers


def resampled(timeline: np.ndarray, resamples: int) -> tuple[float, float]:
    """Ends of the stationary bootstrap's 95 % interval of the mean, every resample made at once.

    Stretches begin anew with a chance of one over their mean length, and run on around the end of the series.
    """
    generator = np.random.default_rng(SEED)
    shape = (resamples, timeline.size)
    begins = generator.random(shape) < 1 / block_length(timeline)
    begins[:, 0] = True
    place = np.arange(timeline.size)
    last = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    first = np.take_along_axis(generator.integers(0, timeline.size, shape), last, axis=1)
    means = timeline[(first + place - last) % timeline.size].mean(axis=1)
    low, high = np.quantile(means, (_TAIL, 1 - _TAIL))
    return float(low), float(high)


def _check(latencies: np.ndarray) -> None:
    ours = np.array(list(statistics.describe(latencies).values()), dtype=float)
    for name, theirs in (("numpy", plain(latencies)), ("pandas", by_pandas(latencies))):
        if not np.allclose(ours, theirs, rtol=1e-9, atol=0):
            raise BenchbookError(
                f"{name} finds {theirs} where benchbook finds {ours}",
                "see which of them changed before comparing times",
            )
