"""A server whose data and log lie on volumes of their own: where things are, and that both are restored together."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchbook.engines import pgbench
from benchbook.engines.postgres import Cluster, find, private_cluster
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import Volume, volume

pytestmark = [pytest.mark.engine, pytest.mark.machine]

SETTINGS: dict[str, str | int] = {"shared_buffers": "8MB", "max_wal_size": "32MB", "min_wal_size": "32MB"}


@pytest.fixture
def volumes(slow_storage: None) -> Iterator[tuple[Volume, Volume]]:
    with volume(256, allowed=True) as data, volume(96, allowed=True) as log:
        yield data, log


@pytest.fixture
def cluster(volumes: tuple[Volume, Volume]) -> Iterator[Cluster]:
    data, log = volumes
    with private_cluster(find(), bytes_needed=0, place=data.folder, wal_place=log.folder) as made:
        made.start(SETTINGS)
        pgbench.initialise(made, 1)
        made.stop()
        yield made


def device_of(path: Path) -> str:
    number = path.stat().st_dev
    return f"{os.major(number)}:{os.minor(number)}"


def balance(cluster: Cluster) -> int:
    with pgbench.connect(cluster) as connection:
        return connection.execute("SELECT sum(abalance) FROM pgbench_accounts").fetchone()[0]


def test_data_and_log_lie_on_their_own_devices_and_what_a_capped_trial_wrote_is_gone_after_restoring_both(
    volumes: tuple[Volume, Volume], cluster: Cluster
) -> None:
    data, log = volumes
    assert device_of(cluster.data / "base") == data.number
    assert device_of(next((cluster.data / "pg_wal").glob("0*"))) == log.number
    assert cluster.direct_io_possible
    template = pgbench.Template(cluster)
    segments = sorted(path.name for path in (cluster.data / "pg_wal").glob("0*"))
    assert template.bytes > sum((cluster.data / "pg_wal" / name).stat().st_size for name in segments)
    for _ in range(2):
        cluster.start(SETTINGS)
        with data.capped(Cap.of(1000)), log.capped(Cap.of(1000)):
            pgbench.run(cluster, pgbench.Workload(clients=2, duration_s=1))
        with pgbench.connect(cluster) as connection:
            connection.execute("UPDATE pgbench_accounts SET abalance = 7")  # more log than a segment holds
            connection.execute("CHECKPOINT")
        assert balance(cluster) == 700_000
        cluster.stop()
        assert template.restore() > 0
        assert sorted(path.name for path in (cluster.data / "pg_wal").glob("0*")) == segments
        cluster.start(SETTINGS)
        assert balance(cluster) == 0
        cluster.stop()
        assert "not properly shut down" not in cluster.log()
