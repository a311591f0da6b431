"""Which rows a trial asks for, and how many pages rows that lie by chance would take."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from benchbook.chapters.row_access.arms import RANDOM, RELATED, UNIFORM, ZIPF, Parameters
from benchbook.workloads import scattered, zipf

_STREAMS = {UNIFORM: 0, ZIPF: 1, RELATED: 2, RANDOM: 3}


@dataclass(frozen=True)
class Trace:
    """Ids of rows, from 0; int64, shape (requests, keys of a request). warm: before what is measured."""

    warm: np.ndarray
    measured: np.ndarray


def trace(parameters: Parameters, draw: str, rows: int, seed: int) -> Trace:
    """What a trial asks of tables of so many rows. Trials of a block share ``seed``, hence their keys.

    Of all draws but Zipf's every key is another. Related keys are consecutive ids; the ranks of Zipf's law are
    scattered over the ids by a permutation.
    """
    generator = np.random.default_rng([seed, _STREAMS[draw]])
    batch, none = parameters.batch_keys, np.zeros((0, 1), dtype=np.int64)
    if draw == UNIFORM:
        return Trace(none, generator.choice(rows, parameters.keys, replace=False).reshape(-1, 1))
    if draw == ZIPF:
        n = parameters.trace_requests
        ids = scattered(zipf(rows, parameters.zipf_exponent, 2 * n, generator), generator.permutation(rows))
        return Trace(ids[:n].reshape(-1, 1), ids[n:].reshape(-1, 1))
    if draw == RELATED:
        first = generator.choice(rows // batch, parameters.keys // batch, replace=False) * batch
        return Trace(none, first.reshape(-1, 1) + np.arange(batch))
    return Trace(none, generator.choice(rows, parameters.keys, replace=False).reshape(-1, batch))


def expected_pages(rows_on_page: np.ndarray, keys: int) -> float:
    """Pages that so many different rows touch on average if they lie by chance; rows_on_page: int, shape (pages,).

    A page of r of n rows stays untouched with the chance C(n - r, keys) / C(n, keys).
    """
    total, found = int(rows_on_page.sum()), 0.0
    for rows, pages in zip(*np.unique(rows_on_page, return_counts=True), strict=True):
        left = total - int(rows)
        missed = math.exp(_log_choose(left, keys) - _log_choose(total, keys)) if keys <= left else 0.0
        found += int(pages) * (1.0 - missed)
    return found


def pages_per_key(pages: np.ndarray, groups: np.ndarray) -> float:
    """Distinct pages per key within each group, mean over groups. pages: by id. groups: ids, shape (groups, keys)."""
    return float(np.mean([len(np.unique(pages[group])) / len(group) for group in groups]))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
