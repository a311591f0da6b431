"""What can be set, and the configurations: warmed keys or any, one by one or in a pipeline, by number of clients."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters

BYTES_PER_ROW = 1_700
"""Heap and index of a row, with pages a fifth full."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 1 GB in the note's 30 tables, its numbers of clients and a pool of 20."""

    blocks: int = Field(
        2, ge=2, le=100, description="complete blocks of a session; each measures every configuration once"
    )
    n_tables: int = Field(30, ge=1, le=100, description="tables read per request, one row each")
    rows_per_table: int = Field(20_000, ge=1_000, le=10_000_000, description="rows of each table")
    fillfactor_percent: int = Field(
        20, ge=10, le=100, description="how full pages of tables and indexes are; 20 puts 7 rows on a page"
    )
    shared_buffers_mib: int = Field(128, ge=1, le=1_000_000, description="PostgreSQL's buffer pool in MiB")
    hot_keys: int = Field(100, ge=1, le=1_000_000, description="warmed keys; hot requests ask for no others")
    clients: tuple[Annotated[int, Field(ge=1, le=1_000)], ...] = Field(
        (1, 10, 20, 50, 100), min_length=2, description="numbers of clients, growing, each with its own connection"
    )
    threads: int = Field(
        2, ge=1, le=100, description="threads of pgbench, or one for each client where these are fewer"
    )
    trial_seconds: int = Field(
        20, ge=1, le=3_600, description="length of a trial in whole seconds; a P95 needs 2,000 requests"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="latencies stored per trial, evenly taken from all of them"
    )
    direct_io: bool = Field(
        True,
        description="read past the OS page cache, so that each miss in the pool reaches the device (PostgreSQL 16+)",
    )
    pin_cores: bool = Field(
        False, description="keep clients on one processor core and the server on the others (Linux, 2 cores or more)"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if list(self.clients) != sorted(set(self.clients)):
            raise ValueError(f"clients={list(self.clients)} must grow")
        if self.hot_keys >= self.rows_per_table:
            raise ValueError(f"hot_keys={self.hot_keys} must be fewer than rows_per_table={self.rows_per_table}")
        return self

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes, for the check before loading."""
        return int(self.n_tables * self.rows_per_table * BYTES_PER_ROW * 20 / self.fillfactor_percent)


HOT, ANY = "hot", "any"
KEYS = {HOT: "warmed keys", ANY: "any key"}
SERIAL, PIPELINE = "serial", "pipeline"
WAYS = {SERIAL: "one by one", PIPELINE: "pipeline"}
AGAIN = "again"


def at(keys: str, way: str, clients: int) -> str:
    """Configuration name."""
    return f"{keys}_{way}_{clients}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Both kinds of keys, asked both ways by each number of clients; the first of them twice."""
    counts = parameters.clients
    return (
        *(_arm(at(keys, way, count), keys, way, count) for keys in KEYS for way in WAYS for count in counts),
        _arm(AGAIN, HOT, PIPELINE, counts[-1], " (A/A)"),
    )


def _arm(name: str, keys: str, way: str, clients: int, more: str = "") -> Configuration:
    label = f"{KEYS[keys]}, {WAYS[way]}, {clients} client{'s' if clients > 1 else ''}{more}"
    return Configuration(name, label, {"keys": keys, "way": way, "clients": clients})
