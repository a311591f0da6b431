"""Disjoint sets of row ids, and the hashed keys that stand for them in a table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from benchbook.errors import BenchbookError


def hash_keys(ids: Iterable[int]) -> list[str]:
    """SHA-256 of each id's decimal digits as 64 hex characters, the key that the note's generator made."""
    return [hashlib.sha256(b"%d" % int(number)).hexdigest() for number in ids]


@dataclass(frozen=True)
class KeySets:
    """A random order of all row ids of a table, from which disjoint sets are cut.

    order: int64, shape (rows,), a permutation of the ids. Two cuts never share an id.
    """

    order: np.ndarray

    @classmethod
    def shuffled(cls, first: int, rows: int, generator: np.random.Generator) -> KeySets:
        """The ids ``first .. first + rows - 1`` in random order."""
        return cls(generator.permutation(np.arange(first, first + rows, dtype=np.int64)))

    def cut(self, start: int, count: int) -> np.ndarray:
        """``count`` ids from place ``start``; raises BenchbookError when there are not so many."""
        if start + count > len(self.order):
            raise BenchbookError(
                f"{start + count:,} distinct keys are asked for, but there are only {len(self.order):,} rows",
                "raise rows_per_table, or ask for fewer keys or requests",
            )
        return self.order[start : start + count]
