"""Whoever delays is killed: proxy and echo end with it, and the next command of any kind removes their folder."""

import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import parts_at_work as parts
import psutil
import pytest

from benchbook.engines import delay
from benchbook.errors import NoEngineError

pytestmark = pytest.mark.faults

OWNER = """
import sys
from pathlib import Path
from benchbook.engines import delay
with delay.proxied(Path(sys.argv[1]), round_trip_ms=1) as proxy:
    print(proxy.folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def server(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a socket on which somebody listens, where no other test's command looks for leftovers."""
    scratch = Path(tempfile.mkdtemp(prefix="benchbook-test-", dir="/tmp"))
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(scratch))
    folder = scratch / "server"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / ".s.PGSQL.5432"))
        listener.listen()
        yield folder
    shutil.rmtree(scratch)


def test_a_proxy_ends_with_its_killed_owner_and_the_next_command_removes_its_folder(server: Path) -> None:
    try:
        delay.find()
    except NoEngineError as missing:
        pytest.skip(str(missing))
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", OWNER, server], stdin=pipe, stdout=pipe, text=True) as owner:
        folder = Path(owner.stdout.readline().strip())
        assert folder.parent == server.parent
        assert (folder / ".s.PGSQL.5432").is_socket()
        started = psutil.Process(owner.pid).children()
        assert sorted(process.cmdline()[1] for process in started) == ["echo", "proxy"]
        owner.kill()
    assert parts.eventually(lambda: not any(map(parts.working, started)))
    assert folder.is_dir()
    parts.any_command()
    assert not folder.exists()
