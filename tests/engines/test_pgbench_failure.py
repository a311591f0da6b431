"""A failed trial's record: words without machine paths, or the end of the run."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from benchbook.engines.pgbench import failure
from benchbook.errors import MachineError


class Stopped:
    """A cluster without a server."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data"


@pytest.fixture
def stopped(tmp_path: Path) -> Stopped:
    (tmp_path / "benchbook-pg-x").mkdir()
    return Stopped(tmp_path / "benchbook-pg-x")


def test_the_record_of_a_failure_names_no_folder_of_the_machine(stopped: Stopped) -> None:
    error = MachineError(f"no server on socket {stopped.folder}/.s.PGSQL.5432", "see the message")
    told = failure.recorded(stopped, error, keep_going=True)  # type: ignore[arg-type]
    assert told == "no server on socket the cluster's folder/.s.PGSQL.5432"


def test_a_failure_of_the_client_is_told_by_its_first_line(stopped: Stopped) -> None:
    error = psycopg.OperationalError("server closed the connection\n\tbefore it answered")
    assert failure.recorded(stopped, error, keep_going=True) == "server closed the connection"  # type: ignore[arg-type]


def test_without_keep_going_a_failure_ends_the_run(stopped: Stopped) -> None:
    with pytest.raises(MachineError, match="a trial failed: it died"):
        failure.recorded(stopped, MachineError("it died", "see"), keep_going=False)  # type: ignore[arg-type]


def test_a_full_disk_ends_the_run_though_it_shall_go_on(stopped: Stopped) -> None:
    error = psycopg.OperationalError("could not extend file: No space left on device")
    with pytest.raises(MachineError, match="is full") as caught:
        failure.recorded(stopped, error, keep_going=True)  # type: ignore[arg-type]
    assert "BENCHBOOK_SCRATCH" in str(caught.value.mend)
