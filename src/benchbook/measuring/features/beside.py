"""PostgreSQL and the stores beside it, on which trials are measured; one that is not installed is left out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook import temporary
from benchbook.engines.postgres.counters import BLOCK_BYTES
from benchbook.errors import NoEngineError
from benchbook.measuring.features import remote
from benchbook.measuring.features.badger_store import Badger
from benchbook.measuring.features.bench import Bench
from benchbook.measuring.features.reduction import reduce
from benchbook.measuring.features.stores import LABELS, Comparator, Embedded, StoreParameters
from benchbook.model import PlannedTrial, Trial
from benchbook.statistics import CacheState


@contextmanager
def opened(parameters: StoreParameters, stores: Iterable[str], postgres: Bench, folder: Path) -> Iterator[Stores]:
    """PostgreSQL, which is loaded, and those of these stores that this machine has. folder: where they may lie."""
    with temporary.folder("probe", folder) as of_badger:
        every = {store: comparator(store, folder, of_badger) for store in stores}
        yield Stores(parameters, postgres, *present(every))


def comparator(store: str, folder: Path, of_badger: Path) -> Comparator:
    """What asks a store."""
    servers: dict[str, Comparator] = {"redis": remote.Redis(), "dynamodb": remote.DynamoDB()}
    return servers.get(store) or (Badger(of_badger) if store == "badger" else Embedded(store, folder))


def present(every: Mapping[str, Comparator]) -> tuple[dict[str, Comparator], dict[str, str]]:
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

    parameters: StoreParameters
    postgres: Bench
    others: Mapping[str, Comparator]
    absent: Mapping[str, str]

    def provenance(self) -> dict[str, Any]:
        """PostgreSQL's, and the version and packages of each other store, or why there is none."""
        labels = {**LABELS, "dynamodb": "DynamoDB"}
        found = {store: each.identity() for store, each in self.others.items()}
        return {
            **self.postgres.provenance(),
            "stores": {labels[store]: each["version"] for store, each in found.items() if store in labels},
            "store_packages": {
                name: version for each in found.values() for name, version in each.get("packages", {}).items()
            },
            "left_out": {labels[store]: why for store, why in self.absent.items() if store in labels},
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; without a number where its store is left out."""
        store = str(planned.configuration.settings["store"])
        if store == "postgres":
            return in_kib(self.postgres.measure(planned))
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        if store in self.absent:
            labels = {"state": f"left out: {self.absent[store]}", "cache_state": str(CacheState.NOT_CERTIFIED)}
            return Trial(planned, started_at, 0.0, {}, labels, {})
        asked = self.others[store].ask(self.parameters, planned.configuration, planned.seed)
        metrics, labels = asked.metrics | reduce(asked.latencies), {"state": "measured", "cache_state": asked.state}
        seconds, samples = time.monotonic() - clock, {"request": asked.latencies}
        return Trial(planned, started_at, seconds, metrics, labels, samples)


def in_kib(trial: Trial) -> Trial:
    """With what PostgreSQL read from the device in the unit of the other stores."""
    blocks = trial.metrics.get("device_blocks_per_request")
    read = {} if blocks is None else {"device_kib_per_request": blocks * BLOCK_BYTES / 1024}
    return replace(trial, metrics={**trial.metrics, **read})
