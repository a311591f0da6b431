"""Settings switched on a running server, and pgbench in the background: what holds, what is refused, what is left."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from benchbook.engines import pgbench
from benchbook.engines.pgbench import Template, Workload
from benchbook.engines.pgbench.load import load
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.cluster import spelled
from benchbook.engines.postgres.switching import Switched
from benchbook.errors import MachineError

pytestmark = pytest.mark.engine


@pytest.fixture
def running(loaded: tuple[Cluster, Template]) -> Iterator[Cluster]:
    cluster, template = loaded
    template.restore()
    cluster.start({"shared_buffers": "16MB", "work_mem": "5MB"})
    yield cluster
    cluster.stop()


def in_force(cluster: Cluster, name: str) -> str:
    with cluster.connect() as connection:
        return connection.execute("SELECT current_setting(%s)", (name,)).fetchone()[0]


def test_a_value_is_spelled_as_the_server_reads_it() -> None:
    assert [spelled(value) for value in (True, False, 4.0, 10, "200ms")] == ["on", "off", "4.0", "10", "200ms"]


def test_every_process_has_a_setting_once_it_was_applied(running: Cluster) -> None:
    with running.connect() as observer, running.connect() as client:
        server = Switched(observer)
        for delay in (50, 0, 200):
            assert server.apply({"commit_delay": delay, "bgwriter_delay": "10ms"}) < 5
            row = client.execute("SELECT current_setting('commit_delay')").fetchone()
            assert row == (str(delay),)
        assert in_force(running, "bgwriter_delay") == "10ms"


def test_what_is_applied_already_is_not_written_again(running: Cluster) -> None:
    with running.connect() as observer:
        server = Switched(observer)
        server.apply({"commit_delay": 50})
        before = observer.execute("SELECT pg_conf_load_time()").fetchone()
        server.apply({"commit_delay": 50})
        assert observer.execute("SELECT pg_conf_load_time()").fetchone() == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shared_buffers": "32MB"}, "a reload does not change shared_buffers"),
        ({"work_mem": "4MB"}, "a reload does not change work_mem"),
        ({"commit_delay": "often"}, "the server refuses commit_delay=often"),
        ({"no_such_setting": 1}, "the server refuses no_such_setting=1"),
    ],
)
def test_a_setting_that_would_not_hold_is_refused(running: Cluster, settings: dict[str, str], said: str) -> None:
    with running.connect() as observer, pytest.raises(MachineError, match=said):
        Switched(observer).apply(settings)


def test_a_restored_server_knows_nothing_of_what_was_switched(loaded: tuple[Cluster, Template]) -> None:
    cluster, template = loaded
    for expected in ("77", "0"):
        template.restore()
        cluster.start({"shared_buffers": "16MB"})
        if expected != "0":
            with cluster.connect() as observer:
                Switched(observer).apply({"commit_delay": 77})
        assert in_force(cluster, "commit_delay") == expected
        cluster.stop()


def test_the_log_of_a_load_holds_each_transaction_at_its_wall_clock_time(running: Cluster) -> None:
    begun = time.time()
    with load(running, Workload(clients=3, threads=1, duration_s=20)) as made:
        connected = time.time()
        time.sleep(0.5)
        made.check()
        later = time.time()
    assert len(made.log.end_us) == made.processed
    assert made.log.completed.all()
    assert (np.diff(made.log.end_us) >= 0).all()
    assert begun <= made.log.end_us.min() / 1e6 <= made.log.end_us.max() / 1e6 <= time.time()
    inside = (made.log.end_us >= 1e6 * connected) & (made.log.end_us < 1e6 * later)
    assert inside.any()
    with pgbench.connect(running) as connection:
        assert connection.execute("SELECT count(*) FROM pgbench_history").fetchone() == (made.processed,)
    assert not list(running.folder.glob("pgbench-*")), "its log is gone"


def test_a_load_that_loses_its_server_says_so(running: Cluster) -> None:
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgbench'"

    def lose_clients() -> None:
        with load(running, Workload(clients=2, threads=1, duration_s=20)) as made, running.connect() as connection:
            connection.execute(ended)
            made.process.wait(timeout=20)
            made.check()

    with pytest.raises(MachineError):
        lose_clients()
    assert not list(running.folder.glob("pgbench-*"))


def test_a_load_ends_with_the_block_that_asked_for_it(running: Cluster) -> None:
    with pytest.raises(KeyboardInterrupt), load(running, Workload(clients=2, threads=1, duration_s=60)) as made:
        raise KeyboardInterrupt
    assert made.process.poll() is not None
    assert not list(running.folder.glob("pgbench-*"))
