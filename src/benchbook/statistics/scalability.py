"""How throughput grows with the number of clients: the Universal Scalability Law, fitted to one sweep."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from benchbook.errors import BenchbookError
from benchbook.statistics.inputs import paired


@dataclass(frozen=True)
class Scalability:
    """X(N) = single N / (1 + contention (N - 1) + coherency N (N - 1)), all three >= 0.

    single: throughput of one client. contention: share of the work that only one client at a time can do. coherency:
    what each client costs every other one.
    """

    single: float
    contention: float
    coherency: float

    def at(self, clients: ArrayLike) -> np.ndarray:
        """Throughput with so many clients, same shape."""
        n = np.asarray(clients, dtype=float)
        found: np.ndarray = self.single * n / (1 + self.contention * (n - 1) + self.coherency * n * (n - 1))
        return found

    @property
    def best_clients(self) -> float:
        """The number of clients with the highest throughput; infinite where more are never worse."""
        if self.coherency == 0:
            return math.inf
        return math.sqrt(max(1 - self.contention, self.coherency) / self.coherency)


def scalability(clients: ArrayLike, throughput: ArrayLike) -> Scalability:
    """Fit the law to the throughputs of one sweep, all of them with the same relative weight.

    clients: >= 1, increasing, shape (n,), at least three; throughput: > 0, same shape. N / X(N) is linear in 1, N - 1
    and N (N - 1) with coefficients >= 0, so that the least squares have one solution and need no start.
    Raises BenchbookError for other values, and where no client alone would have any throughput.
    Source: Gunther 2007, Guerrilla Capacity Planning, chapter 6; Lawson & Hanson 1974, chapter 23 (nnls).
    """
    n, x = paired(clients, throughput, names=("clients", "the throughputs"))
    if n.size < 3 or n.min() < 1 or (np.diff(n) <= 0).any():
        raise BenchbookError(
            "the law has three numbers, and the clients given do not determine them",
            "give at least three numbers of clients from 1 that increase",
        )
    if x.min() <= 0:
        raise BenchbookError(f"a throughput of {x.min():g} was given", "give throughputs above 0")
    time = n / x
    design = np.stack([np.ones_like(n), n - 1, n * (n - 1)], axis=1) / time[:, None]
    scale = np.abs(design).max(axis=0)  # the columns differ by many powers of ten
    found, _ = scipy.optimize.nnls(design / scale, np.ones_like(n))
    alone, contention, coherency = found / scale
    if alone <= 0:
        raise BenchbookError("the fitted law gives a single client no limit", "measure smaller numbers of clients")
    return Scalability(float(1 / alone), float(contention / alone), float(coherency / alone))
