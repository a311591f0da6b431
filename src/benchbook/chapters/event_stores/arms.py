"""What can be set, and the configurations: an engine, and whether a save is on the device before it returns."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from benchbook.measuring.badger.parameters import Bursts
from benchbook.model import Configuration
from benchbook.parameters.base import asked

BADGER, SQLITE, TAGS, JOURNAL = "badger", "sqlite", "sqlite_tags", "sqlite_journal"
LMDB, BBOLT, PEBBLE = "lmdb", "bbolt", "pebble"
STORES = {
    BADGER: "Badger", SQLITE: "SQLite", TAGS: "SQLite, table of tags", LMDB: "LMDB", BBOLT: "bbolt", PEBBLE: "Pebble",
}  # fmt: skip
"""What the probe opens, and what figures call it: the relay's keys on key-value engines, khatru's schema on SQLite."""
AGAIN, CACHED = "badger_again", "badger_query_cache"


class Parameters(Bursts):
    """Defaults are the standard profile: the note's events, fewer where each save waits for the device."""

    blocks: int = Field(6, ge=2, le=100, description="complete blocks; each measures every configuration once")
    synced_events: int = Field(
        1_000, ge=20, le=10_000_000, description="events in the place of `events` where each save waits for the device"
    )
    alone_events: int = Field(
        200, ge=20, le=1_000_000, description="events that each trial saves first, one after the other"
    )
    cache_mib: int = asked(
        64, "MiB of cache", ge=1, le=1 << 20, description="cache of an engine that has one of its own, in MiB"
    )
    index_cache_mib: int = asked(32, "MiB of index cache", ge=0, le=1 << 20, description="index cache of Badger in MiB")
    mixed_operations: int = Field(500, ge=1, le=1_000_000, description="saves and queries of the mixed test")
    query_events: int = Field(
        2_000, ge=0, le=10_000_000,
        description="events saved before the query test; a tenth before the mixed and half before the concurrent one",
    )  # fmt: skip
    query_s: float = Field(1, gt=0, le=3_600, description="length of the query test (60 in the note's suite)")
    concurrent_s: float = Field(
        1, gt=0, le=3_600, description="length of the concurrent query and store test (60 in the note's suite)"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        fewest = min(self.events, self.synced_events)
        if not self.bursts <= fewest >= self.alone_events:
            raise ValueError(
                f"events={self.events} and synced_events={self.synced_events} must be at least bursts={self.bursts} "
                f"and alone_events={self.alone_events}"
            )
        return self


def synced(store: str) -> str:
    """Configuration name of a store whose saves wait for the device."""
    return f"{store}_synced"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every store without and with syncs, and three more, in the order of the figures."""
    return (
        *(_arm(store, store, label) for store, label in STORES.items()),
        _arm(AGAIN, BADGER, "Badger, again (A/A)"),
        _arm(CACHED, BADGER, "Badger, answers cached", query_cache=True),
        *(_arm(synced(store), store, f"{label}, synced", synced=True) for store, label in STORES.items()),
        _arm(JOURNAL, JOURNAL, "SQLite's defaults, synced", synced=True),
    )


def _arm(name: str, store: str, label: str, **others: bool) -> Configuration:
    return Configuration(name, label, {"store": store, "synced": False, "query_cache": False, **others})
