"""What can be set, and the configurations: how the pool is warmed, how slow a read is, and whether all data fit."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.model import Configuration, Scalar
from benchbook.parameters.base import ExperimentParameters

BYTES_PER_ROW = 1_700
"""Heap and index of a row, with pages a fifth full."""
MIB = 2**20


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 300 MB in ten tables, of which hot keys need about a seventh."""

    blocks: int = Field(
        2, ge=2, le=100, description="complete blocks of a session; each measures every configuration once"
    )
    n_tables: int = Field(10, ge=1, le=100, description="tables read per request, one row each")
    rows_per_table: int = Field(20_000, ge=1_000, le=10_000_000, description="rows of each table")
    fillfactor_percent: int = Field(
        20, ge=10, le=100, description="how full pages of tables and indexes are; 20 puts 7 rows on a page"
    )
    hot_keys: int = Field(300, ge=10, le=1_000_000, description="keys that requests ask for, all equally often")
    moved_percent: tuple[Annotated[int, Field(ge=1, le=100)], ...] = Field(
        (5, 25, 100), description="shares in % of the hot keys that are others by the time of the requests"
    )
    small_pool_percent: int = Field(
        40, ge=5, le=90, description="size in % of the data of a pool that holds the hot keys' pages and not all others"
    )
    slow_read_ms: float = Field(
        1.0, ge=0.05, le=100, description="added to each read of the server, as by a network between it and its disk"
    )
    first_requests: int = Field(
        2_000, ge=100, le=1_000_000, description="requests after the warming that are looked at; a P95 needs 2,000"
    )
    trial_seconds: int = Field(
        12, ge=1, le=3_600, description="length of the requests in whole seconds; those of a cold server must fit in"
    )
    kept_samples: int = Field(
        400, ge=100, le=1_000_000, description="latencies stored per trial, evenly taken from the first requests"
    )
    direct_io: bool = Field(
        True, description="read past the OS page cache, so that each miss in the pool reaches the device"
    )
    pin_cores: bool = Field(
        False, description="keep the client on one processor core and the server on the others (Linux, 2 or more)"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if 4 * self.hot_keys > self.rows_per_table:
            raise ValueError(f"hot_keys={self.hot_keys} must be a quarter of rows_per_table={self.rows_per_table}")
        if list(self.moved_percent) != sorted(set(self.moved_percent)) or not self.moved_percent:
            raise ValueError(f"moved_percent={list(self.moved_percent)} must grow")
        if not self.direct_io:
            raise ValueError("direct_io=false: only reads past the page cache can be made slower; give true")
        return self

    @property
    def data_bytes(self) -> int:
        """Estimated bytes of heaps and indexes, for the check before loading."""
        return int(self.n_tables * self.rows_per_table * BYTES_PER_ROW * 20 / self.fillfactor_percent)


NONE, ASKED, INDEXES, WHOLE, LIST = "none", "asked", "indexes", "whole", "list"
WAYS = {
    NONE: "not warmed",
    ASKED: "hot keys asked for",
    INDEXES: "pg_prewarm of the indexes",
    WHOLE: "pg_prewarm of everything",
    LIST: "autoprewarm",
}
LOCAL, SLOW, SMALL = "local", "slow", "small"
"""The disk as it is; reads made slower; the same with a pool that is smaller than the data."""
IN_SMALL = (ASKED, WHOLE, LIST)
AGAIN = "asked_slow_again"


def at(way: str, place: str) -> str:
    """Configuration name, such as list_slow."""
    return f"{way}_{place}"


def moved(percent: int) -> str:
    """Configuration name of hot keys of which so many are others than those that were warmed."""
    return f"moved_{percent}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """All ways on slow reads and on the disk as it is, three in the smaller pool, and keys that moved."""
    return (
        *(_arm(at(way, SLOW), words, way) for way, words in WAYS.items()),
        _arm(AGAIN, f"{WAYS[ASKED]} (A/A)", ASKED),
        *(_arm(at(way, LOCAL), f"{WAYS[way]}, disk as it is", way, slow=False) for way in WAYS),
        *(_arm(at(way, SMALL), f"{WAYS[way]}, smaller pool", way, small=True) for way in IN_SMALL),
        *(
            _arm(moved(each), f"{WAYS[ASKED]}, {each} % of them others since", ASKED, moved_percent=each)
            for each in parameters.moved_percent
        ),
    )


def _arm(
    name: str, label: str, way: str, *, slow: bool = True, small: bool = False, moved_percent: int = 0
) -> Configuration:
    settings: dict[str, Scalar] = {"warmed_by": way, "slow": slow, "small_pool": small, "moved_percent": moved_percent}
    return Configuration(name, label, settings)
