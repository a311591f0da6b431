"""Where the rows lie: every table in an order and with rows of its own, or all tables alike."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchbook.measuring.features.parameters import OWN, Features


def coprime(number: int, rows: int) -> int:
    """The number, or the next one that shares no factor with the rows."""
    while math.gcd(number, rows) != 1:
        number += 1
    return number


def scattering(rows: int, generator: np.random.Generator) -> tuple[int, int]:
    """How far rows whose numbers follow each other lie apart in a table of so many, and the place of the first."""
    return coprime(int(generator.integers(rows // 4, 3 * rows // 4)), rows), int(generator.integers(rows))


@dataclass(frozen=True)
class Layout:
    """One set of tables. name: OWN or ALIKE.

    Rows 0 to ``rows_per_table`` - 1 are in every table. In the layout OWN each table has further rows that no other
    has, how many is drawn for each, and all lie in an order that is drawn too; so the pages of one key in two tables
    have nothing to do with each other. In the layout ALIKE the tables have the same rows in the same order.
    """

    name: str
    parameters: Features

    @property
    def schema(self) -> str:
        return f"features_{self.name}"

    @cached_property
    def tables(self) -> list[str]:
        """Names of the tables with their schema, in the order in which a request reads them."""
        return [f"{self.schema}.feature_{number:03d}" for number in range(self.parameters.n_tables)]

    @cached_property
    def rows(self) -> list[int]:
        return [self.parameters.rows_per_table + own for own in self._own]

    @cached_property
    def _own(self) -> list[int]:
        p = self.parameters
        if self.name != OWN:
            return [0] * p.n_tables
        most = p.rows_per_table * p.own_rows_percent // 100
        drawn = np.random.default_rng([p.seed, 0]).integers(0, most + 1, p.n_tables).tolist()
        return [max(drawn[0], p.first_table_extra_rows), *drawn[1:]]

    @cached_property
    def _steps(self) -> list[tuple[int, int]]:
        """By table, how far neighbouring rows lie apart, and the place of the first; no step shares a factor."""
        if self.name != OWN:
            return [(1, 0)] * self.parameters.n_tables
        generator = np.random.default_rng([self.parameters.seed, 1])
        return [scattering(rows, generator) for rows in self.rows]

    def _first_own(self, table: int) -> int:
        """Id of the first row that this table alone has; those of the first table follow the common ones."""
        return self.parameters.rows_per_table + table * self.parameters.most_own_rows

    def holds(self, table: int, ids: np.ndarray) -> np.ndarray:
        """Which of the ids the table has; bool."""
        first = self._first_own(table)
        own = (ids >= first) & (ids < first + self._own[table])
        return np.asarray((ids < self.parameters.rows_per_table) | own)

    def places(self, table: int, ids: np.ndarray) -> np.ndarray:
        """Physical place of each row in its table, from 0; int64. ids: of rows that the table has."""
        common, (step, first) = self.parameters.rows_per_table, self._steps[table]
        numbers = np.where(ids < common, ids, ids - self._first_own(table) + common)
        return np.asarray((numbers * step + first) % self.rows[table])

    def ids_in_order(self, table: int) -> np.ndarray:
        """The ids of the table's rows in the order in which they are written; int64, shape (rows,)."""
        common, rows, (step, first) = self.parameters.rows_per_table, self.rows[table], self._steps[table]
        numbers = (np.arange(rows, dtype=np.int64) - first) * pow(step, -1, rows) % rows
        return np.where(numbers < common, numbers, numbers - common + self._first_own(table))

    def select(self, table: int) -> str:
        """The note's statement: all columns but updated_at, by key."""
        features = ", ".join(f"feature_{number:02d}" for number in range(1, self.parameters.n_features + 1))
        return f"SELECT hashkey, {features} FROM {self.tables[table]} WHERE hashkey = %s"

    def relations(self) -> dict[str, int]:
        """Heaps and primary-key indexes by name, numbered: heap of table t is 2 t, its index 2 t + 1."""
        numbered = {}
        for number, table in enumerate(self.tables):
            numbered[table] = 2 * number
            numbered[f"{table}_pkey"] = 2 * number + 1
        return numbered
