"""A failed trial's record: words without machine paths, or the end of the run."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from benchbook.engines.pgbench import failure
from benchbook.engines.postgres import Binaries, Cluster
from benchbook.errors import MachineError


@pytest.fixture
def stopped(tmp_path: Path) -> Cluster:
    """A cluster without a server."""
    folder = tmp_path / "benchbook-pg-x"
    folder.mkdir()
    return Cluster(Binaries(tmp_path, "18.6", embedded=False), folder)


def test_the_record_of_a_failure_names_no_folder_of_the_machine_and_of_a_clients_words_the_first_line(
    stopped: Cluster,
) -> None:
    lost = MachineError(f"no server on socket {stopped.folder}/.s.PGSQL.5432", "see the message")
    closed = psycopg.OperationalError("server closed the connection\n\tbefore it answered")
    told = [failure.recorded(stopped, error, keep_going=True) for error in (lost, closed)]
    assert told[0] == "no server on socket the cluster's folder/.s.PGSQL.5432"
    assert told[1] == "PostgreSQL failed: server closed the connection"


def test_without_keep_going_a_failure_ends_the_run_and_a_full_disk_does_in_any_case(stopped: Cluster) -> None:
    with pytest.raises(MachineError, match="a trial failed: it died"):
        failure.recorded(stopped, MachineError("it died", "see"), keep_going=False)
    error = psycopg.OperationalError("could not extend file: No space left on device")
    with pytest.raises(MachineError, match=r"is full.*; .*BENCHBOOK_SCRATCH"):
        failure.recorded(stopped, error, keep_going=True)
