"""Trials of PostgreSQL as every chapter on feature serving measures them, and of the other stores beside them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.chapters.comparators.arms import DYNAMODB, LABELS, POSTGRES, PROBE, REDIS, Parameters
from benchbook.chapters.comparators.asked import Comparator
from benchbook.chapters.comparators.badger_store import Badger
from benchbook.chapters.comparators.embedded import ROW_BYTES, Embedded
from benchbook.chapters.comparators.hosted import DynamoDB
from benchbook.chapters.comparators.remote import KEY_BYTES, Redis
from benchbook.engines.postgres.counters import BLOCK_BYTES
from benchbook.errors import NoEngineError
from benchbook.measuring.features import bench
from benchbook.measuring.features.bench import Bench
from benchbook.measuring.features.reduction import reduce
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import CacheState

__all__ = ["needs", "reduce", "session"]

REDIS_ROW_BYTES = 120
"""What Redis keeps for a row beside key and value, about."""


def needs(parameters: Parameters) -> Needs:
    """PostgreSQL's, and disk and memory for the largest of the other stores; these may be missing."""
    own, p = bench.needs(parameters), parameters
    stored = p.store_rows * (p.value_bytes + ROW_BYTES)
    in_redis = p.store_rows * (p.value_bytes + KEY_BYTES + REDIS_ROW_BYTES) if REDIS in p.stores else 0
    memory = max(own.memory_bytes, 2 * stored + (p.store_cache_mib << 20), in_redis + (1 << 29))
    return replace(own, disk_bytes=own.disk_bytes + 4 * stored, memory_bytes=memory)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Stores]:
    """PostgreSQL loaded and stopped; the other stores are filled when they are measured."""
    with ExitStack() as stack:
        folder = files.scratch(needs(parameters).disk_bytes)
        postgres = stack.enter_context(bench.session(parameters, progress))
        every: dict[str, Comparator] = {
            store: _comparator(store, folder, stack) for store in (*parameters.stores, PROBE)
        }
        found, absent = _present(every)
        yield Stores(parameters, postgres, found, absent)


def _comparator(store: str, folder: Path, stack: ExitStack) -> Comparator:
    match store:
        case "redis":
            return Redis()
        case "dynamodb":
            return DynamoDB()
        case "badger":
            return Badger(folder, stack)
        case _:
            return Embedded(store, folder)


def _present(every: Mapping[str, Comparator]) -> tuple[dict[str, Comparator], dict[str, str]]:
    """Those that this machine has, and why it lacks the others."""
    found, absent = {}, {}
    for store, each in every.items():
        try:
            each.identity()
        except NoEngineError as error:
            absent[store] = f"{error.problem}: {error.mend}"
        else:
            found[store] = each
    return found, absent


@dataclass(frozen=True)
class Stores:
    """What trials are measured on. absent: why a store is left out, by store."""

    parameters: Parameters
    postgres: Bench
    others: Mapping[str, Comparator]
    absent: Mapping[str, str]

    def provenance(self) -> dict[str, Any]:
        """PostgreSQL's, and the version and packages of each other store, or why there is none."""
        labels = {**LABELS, DYNAMODB: "DynamoDB"}
        found = {store: each.identity() for store, each in self.others.items()}
        versions = {labels[store]: each["version"] for store, each in found.items() if store in labels}
        packages = {name: version for each in found.values() for name, version in each.get("packages", {}).items()}
        left_out = {labels[store]: why for store, why in self.absent.items() if store in labels}
        return {**self.postgres.provenance(), "stores": versions, "store_packages": packages, "left_out": left_out}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; without a number where its store is left out."""
        store = str(planned.configuration.settings["store"])
        if store == POSTGRES:
            return _in_kib(self.postgres.measure(planned))
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        if store in self.absent:
            labels = {"state": f"left out: {self.absent[store]}", "cache_state": str(CacheState.NOT_CERTIFIED)}
            return Trial(planned, started_at, 0.0, {}, labels, {})
        asked = self.others[store].ask(self.parameters, planned.configuration, planned.seed)
        metrics = asked.metrics | reduce(asked.latencies)
        labels = {"state": "measured", **asked.labels}
        return Trial(
            planned, started_at, time.monotonic() - clock, metrics, labels, {"request": asked.latencies}
        )  # fmt: skip


def _in_kib(trial: Trial) -> Trial:
    """With what PostgreSQL read from the device in the unit of the other stores."""
    blocks = trial.metrics.get("device_blocks_per_request")
    if blocks is None:
        return trial
    return replace(trial, metrics={**trial.metrics, "device_kib_per_request": blocks * BLOCK_BYTES / 1024})
