"""A private Redis: in memory alone, reached through its socket alone, and gone at the end."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from benchbook.engines import processes, redis
from benchbook.engines.redis.client import command, multi_get
from benchbook.engines.redis.program import FOLDER, NAMES
from benchbook.errors import BenchbookError, MachineError

try:
    redis.identity()
    pytestmark = pytest.mark.engine
except MachineError as missing:
    pytestmark = [pytest.mark.engine, pytest.mark.skip(reason=str(missing))]


def test_values_come_back_and_a_missing_one_is_an_error() -> None:
    with redis.private_server() as server, server.connect() as client:
        client.send_all(command(b"SET", b"a", b"first") + command(b"SET", b"b", b"other"), 2)
        assert client.size() == 2
        assert client.values(multi_get([b"b", b"a"]), 2, 5) == [b"other", b"first"]
        assert client.info("stats")["keyspace_hits"] == "2"
    with redis.private_server() as server, server.connect() as client:
        assert client.size() == 0, "nothing was kept"
        client._socket.settimeout(0.3)
        with pytest.raises(BenchbookError, match="instead of"):
            client.values(multi_get([b"a"]), 1, 5)


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose path leaves room for that of a socket, as pytest's own do not under several workers."""
    with tempfile.TemporaryDirectory(prefix="benchbook-test-", dir="/var/tmp") as folder:
        yield Path(folder)


def test_it_has_no_tcp_port_and_leaves_no_file_and_no_process(place: Path) -> None:
    with redis.private_server(place) as server:
        process = psutil.Process(server.pid)
        assert [each for each in process.net_connections("inet") if each.status == psutil.CONN_LISTEN] == []
        assert oct(server.socket.stat().st_mode & 0o777) == "0o700"
        assert processes.working_in(server.socket.parent, NAMES) == [process]
    assert not psutil.pid_exists(server.pid)
    assert list(place.iterdir()) == []


def test_a_folder_that_is_named_and_holds_no_redis_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with pytest.raises(MachineError, match="holds neither of"):
        redis.find()
