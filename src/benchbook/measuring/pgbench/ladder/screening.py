"""Fifteen settings in sixteen combinations: a saturated two-level design, and what each effect is aliased with.

The columns are those of the Hadamard matrix of order 16 (Plackett & Burman 1946): run i has factor j at its high level
where i and j have an even number of bits in common. Each effect is clear of the other fourteen, but not of their
interactions: that of factors j and k lies on the column j xor k.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from benchbook.model import Scalar

RUNS = 16


@dataclass(frozen=True)
class Factor:
    """A setting, or several that go together, at two levels. words: what a figure calls it; low is near the default."""

    words: str
    low: dict[str, Scalar]
    high: dict[str, Scalar]


def _one(name: str, low: Scalar, high: Scalar) -> Factor:
    return Factor(f"{name} {low} → {high}", {name: low}, {name: high})


FACTORS: dict[int, Factor] = {
    1: Factor("commit_delay 0 → 50 µs", {"commit_delay": 0}, {"commit_delay": 50}),
    2: _one("commit_siblings", 5, 10),
    3: _one("random_page_cost", 4.0, 1.1),
    4: _one("bgwriter_delay", "200ms", "10ms"),
    5: Factor("max_parallel_workers_per_gather 2 → 8", {"max_parallel_workers_per_gather": 2},
              {"max_parallel_workers_per_gather": 8}),
    6: _one("effective_io_concurrency", 16, 200),
    7: _one("wal_writer_flush_after", "1MB", "2MB"),
    8: _one("bgwriter_lru_multiplier", 2.0, 10.0),
    9: Factor("max_worker_processes 8 → 32", {"max_worker_processes": 8, "max_parallel_workers": 8},
              {"max_worker_processes": 32, "max_parallel_workers": 32}),
    10: Factor("autovacuum_naptime 1 → 10 × a trial", {"naptime_trials": 1}, {"naptime_trials": 10}),
    11: _one("wal_writer_delay", "200ms", "10ms"),
    12: _one("work_mem", "4MB", "53MB"),
    13: Factor("wal_compression off → on", {"wal_compression": "off"}, {"wal_compression": None}),
    14: Factor("effective_cache_size 0.2 → 2.25 × data", {"cache_over_data": 0.2}, {"cache_over_data": 2.25}),
    15: _one("wal_buffers", "16MB", "128MB"),
}  # fmt: skip
"""By column. Settings that TPC-B has nothing for stand where the likeliest interactions fall: columns 3, 5, 12, 14."""
MAXPAGES = 1_000
"""bgwriter_lru_maxpages of every combination: the note's other values bind only below it."""


def high(run: int, column: int) -> bool:
    """Whether a run, from 0, has the factor of a column at its high level."""
    return (run & column).bit_count() % 2 == 0


def name(run: int) -> str:
    return f"combination_{run + 1:02}"


def settings(run: int) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for column, factor in FACTORS.items():
        found |= factor.high if high(run, column) else factor.low
    return found


def aliases(column: int) -> list[tuple[int, int]]:
    """The pairs of factors whose interaction cannot be told from the effect of this column's factor."""
    return [(j, k) for j, k in combinations(FACTORS, 2) if j ^ k == column]
