"""What can be set, and the configurations: each store hot and cold, PostgreSQL hot twice, each client with nothing."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.measuring.features.arms import arm
from benchbook.measuring.features.parameters import Features
from benchbook.model import Configuration

POSTGRES, REDIS, DYNAMODB, PROBE = "postgres", "redis", "dynamodb", "probe"
LABELS = {"rocksdb": "RocksDB", "lmdb": "LMDB", "sqlite": "SQLite", "badger": "Badger", REDIS: "Redis"}
"""The stores beside PostgreSQL, in the order of the figures."""
EMBEDDED = ("rocksdb", "lmdb", "sqlite", "badger")
"""Those that are part of the program that asks."""
STAND_IN = "rocksdb"
"""The engine that the claim on mismatched caches is judged with: chosen before anything was measured."""
HOT, COLD, EMPTY = "hot", "cold", "empty"
BASELINE, REPEATED, DISJOINT = "postgres_hot", "postgres_hot_again", "postgres_cold"
POSTGRES_EMPTY, REDIS_EMPTY, PROBE_EMPTY = "postgres_empty", "redis_empty", "probe_empty"
EMPTY_REQUESTS = 2_000
"""As many as a P95 takes, where nothing is looked up."""
Store = Literal["rocksdb", "lmdb", "sqlite", "badger", "redis", "dynamodb"]


def name_of(store: str, state: str) -> str:
    """A configuration's name."""
    return f"{store}_{state}"


class Parameters(Features):
    """Defaults are the standard profile."""

    stores: tuple[Store, ...] = Field(
        ("rocksdb", "lmdb", "sqlite", "badger", "redis"),
        description="stores beside PostgreSQL; one that is not installed is left out of the run, which then says so; "
        "dynamodb, at the endpoint in BENCHBOOK_DYNAMODB_ENDPOINT, shows that a client works and is in no comparison",
    )
    store_cache_mib: int = Field(
        1024, ge=8, le=1_000_000,
        description="own cache in MiB of each embedded store that has one; should hold all rows",
    )  # fmt: skip
    cold_requests: int = Field(
        200,
        ge=20,
        le=1_000_000,
        description="measured requests of a cold embedded store, fewer than elsewhere: each row is asked for once, and "
        "the more are, the more pages have been read before",
    )

    @model_validator(mode="after")
    def _stores_fit(self) -> Self:
        if len(set(self.stores)) != len(self.stores):
            raise ValueError(f"stores={self.stores} names a store twice")
        if self.rows_per_table % self.hot_set_keys:
            raise ValueError(
                f"rows_per_table={self.rows_per_table:,} is no multiple of hot_set_keys={self.hot_set_keys:,}: the "
                "embedded stores take every so manieth row for the hot set"
            )
        if self.cold_requests * 2 > self.rows_per_table:
            raise ValueError(
                f"cold_requests={self.cold_requests:,} is more than half of rows_per_table={self.rows_per_table:,}: "
                "rows that were never asked for must be left"
            )
        if self.key_existence != "all_tables":
            raise ValueError(f"key_existence={self.key_existence!r}: every store here has every key")
        return self

    @property
    def store_rows(self) -> int:
        """Rows of each store beside PostgreSQL: one for each key and table."""
        return self.n_tables * self.rows_per_table

    @property
    def value_bytes(self) -> int:
        """A row's features, serialised."""
        return 8 * self.n_features

    @property
    def embedded(self) -> tuple[str, ...]:
        """The stores of this run that have no server."""
        return tuple(each for each in EMBEDDED if each in self.stores)


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every store hot, then cold; PostgreSQL hot twice; each client with nothing to look up."""
    stores = [each for each in LABELS if each in parameters.stores]
    found = [
        arm(BASELINE, "PostgreSQL, hot", "same", store=POSTGRES),
        arm(REPEATED, "PostgreSQL, hot, again (A/A)", "same", store=POSTGRES),
        *(arm(name_of(each, HOT), f"{LABELS[each]}, hot", "same", store=each) for each in stores),
        arm(DISJOINT, "PostgreSQL, cold", "disjoint", store=POSTGRES),
        *(
            arm(name_of(each, COLD), f"{LABELS[each]}, cold", "disjoint", store=each, warm=False)
            for each in stores
            if each in EMBEDDED
        ),
        arm(POSTGRES_EMPTY, "PostgreSQL, empty statements", "empty", store=POSTGRES, requests=EMPTY_REQUESTS),
    ]
    if DYNAMODB in parameters.stores:
        found.append(arm(name_of(DYNAMODB, HOT), "DynamoDB, to see that it works", "same", store=DYNAMODB))
    if REDIS in stores:
        found.append(arm(REDIS_EMPTY, "Redis, empty command", "empty", store=REDIS))
    if set(stores) & {"rocksdb", "lmdb", "sqlite"}:
        found.append(arm(PROBE_EMPTY, "embedded, empty loop", "empty", store=PROBE))
    return tuple(found)
