"""Trials of pgbench on storage that is slow for their length: certified, gone afterwards, or left out."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import busy
import pytest

from benchbook.engines import pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload
from benchbook.engines.storage import refusals, throttle
from benchbook.engines.storage.caps import Cap
from benchbook.measuring.pgbench import bench, storage, tables
from benchbook.measuring.pgbench.parameters import StorageParameters
from benchbook.measuring.pgbench.settings import Settings
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.model import Configuration, PlannedTrial, Trial

pytestmark = [pytest.mark.engine, pytest.mark.machine]

SYNC_MS = 3.0
SLOWNESS = {
    "free": Slowness(),
    "capped": Slowness(Cap.of(400)),
    "beyond": Slowness(Cap.of(1_000_000)),
    "delayed": Slowness(sync_ms=SYNC_MS),
}


class Parameters(StorageParameters):
    """Of trials of a second."""

    @property
    def log_bytes(self) -> int:
        return 100_000_000


@dataclass(frozen=True)
class Bench(bench.Bench[Parameters]):
    """As small as one can be; a trial says where things were meanwhile."""

    def ram_bytes(self, arm: Configuration) -> int:
        return 10**9

    def settings(self, arm: Configuration) -> Settings:
        return {"shared_buffers": "4MB"}

    def slowness(self, arm: Configuration) -> Slowness:
        return SLOWNESS[arm.name]

    def trial(self, planned: PlannedTrial, bound: MemoryBound) -> bench.Measured:
        volume = self.tables.place.volume
        assert volume is not None
        assert throttle.find().rule(volume.number) == self.slowness(planned.configuration).cap
        done = self.run(Workload("tpcb-like", clients=2, duration_s=1))
        return {"tps": done.tps}, {}


@pytest.fixture(scope="module")
def made(module_home: Path) -> Iterator[Bench]:
    why = refusals.refusal(allowed=True)
    if why is not None:
        pytest.skip(str(why))
    parameters = Parameters(scale=1, clients=2, bound_memory=False)
    with (
        storage.placed(parameters) as place,
        tables.loaded(1, parameters.disk_bytes, lambda what, share: None, place=place) as found,
    ):
        yield Bench(parameters, found)


def measured(made: Bench, name: str) -> Trial:
    return made.measure(PlannedTrial(0, 0, Configuration(name, name), seed=1))


def test_the_data_lie_on_the_volume_and_the_logs_beside_it(made: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    place, logs = made.tables.place, []
    given = pgbench.run

    def seen(*arguments: object, **options: object) -> object:
        logs.append(options["logs"])
        return given(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(bench.pgbench, "run", seen)
    assert measured(made, "free").labels["state"] == "measured"
    assert place.volume is not None
    assert place.beside is not None
    data = made.tables.cluster.data
    number = (data / "base").stat().st_dev
    assert f"{os.major(number)}:{os.minor(number)}" == place.volume.number
    assert (data / "pg_wal").stat().st_dev != number
    assert logs == [place.beside]
    assert place.beside.stat().st_dev != number


def test_a_capped_trial_holds_its_certificate_and_the_cap_ends_with_it(made: Bench) -> None:
    with busy.allowed():
        trial = measured(made, "capped")
    assert trial.labels["state"] == "measured"
    assert trial.labels["storage"] == "400 reads/s, 400 writes/s"
    for direction in ("read", "write"):
        found = trial.metrics[f"storage_{direction}_iops"]
        assert found is not None
        assert found < 400 * busy.AT_MOST
    assert made.tables.place.volume is not None
    assert not throttle.find().rule(made.tables.place.volume.number)
    free = measured(made, "free")
    assert free.labels["state"] == "measured"
    assert free.labels["storage"] == "not capped"


def test_a_cap_that_the_disk_does_not_reach_fails_the_trial_and_only_that(made: Bench) -> None:
    trial = measured(made, "beyond")
    assert trial.labels["state"].startswith("failed: the storage does not keep its cap")
    assert not trial.metrics
    assert measured(made, "free").labels["state"] == "measured"


def test_flushes_of_the_log_are_delayed_and_counted(made: Bench) -> None:
    with busy.allowed():
        trial = measured(made, "delayed")
    assert trial.labels["state"] == "measured"
    assert (trial.metrics["added_sync_ms"] or 0) >= SYNC_MS * 0.8
    assert trial.metrics["added_read_ms"] is None, "reads through the page cache are not delayed"
    assert (trial.metrics["tps"] or 0) < 2 * 1000 / SYNC_MS, "each commit of two clients waits for a flush"
