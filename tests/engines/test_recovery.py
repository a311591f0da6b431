"""What a server's log says of its recovery, and a server that is killed with changes that nobody has written."""

from pathlib import Path

import pytest

from benchbook.engines import bounds
from benchbook.engines.postgres import find, private_cluster, recovery
from benchbook.errors import MachineError

LOG = """\
2026-11-27 06:00:00.1 UTC [7] LOG:  database system was interrupted; last known up at 2026-11-27 05:59:00 UTC
2026-11-27 06:00:00.2 UTC [7] LOG:  database system was not properly shut down; automatic recovery in progress
2026-11-27 06:00:00.3 UTC [7] LOG:  redo starts at 0/1A2B3C8
2026-11-27 06:00:03.1 UTC [7] LOG:  redo done at 0/9A2B3C8 system usage: CPU: user: 1.10 s, system: 0.92 s, elapsed: 2.81 s
2026-11-27 06:00:03.2 UTC [5] LOG:  checkpoint starting: end-of-recovery immediate wait
2026-11-27 06:00:33.9 UTC [5] LOG:  checkpoint complete: wrote 33120 buffers (78.1%), wrote 3 SLRU buffers; 0 WAL \
file(s) added, 0 removed, 9 recycled; write=0.301 s, sync=30.2 s, total=30.711 s; sync files=12, longest=29.1 s
2026-11-27 06:00:34.0 UTC [1] LOG:  database system is ready to accept connections
"""  # noqa: E501


def test_redo_which_may_be_none_and_the_checkpoint_after_it_are_read_from_the_log() -> None:
    assert recovery.read(LOG, 34.0) == recovery.Recovery(34.0, 2.81, 30.711, 33_120)
    quiet = LOG.replace("redo starts at 0/1A2B3C8", "redo is not required")
    quiet = "\n".join(line for line in quiet.splitlines() if "redo done" not in line)
    assert recovery.read(quiet, 34.0) == recovery.Recovery(34.0, 0, 30.711, 33_120)


@pytest.mark.parametrize(
    "log", ["", LOG.replace("not properly shut down", "shut down"), LOG.split("checkpoint complete")[0]]
)
def test_a_log_without_a_crash_or_without_its_end_says_nothing(log: str) -> None:
    with pytest.raises(MachineError, match="does not say how it recovered"):
        recovery.read(log, 1.0)


@pytest.mark.engine
def test_what_was_committed_is_there_after_a_kill_and_was_written_by_the_recovery(tmp_path: Path) -> None:
    with private_cluster(find(), bytes_needed=300_000_000) as cluster, bounds.memory(None) as bound:
        cluster.start({})
        with cluster.connect() as connection:
            connection.execute("CREATE TABLE kept (g integer, words text)")
            connection.execute("INSERT INTO kept SELECT g, repeat('x', 100) FROM generate_series(1, 20000) AS g")
        found = recovery.after_crash(cluster, bound, {})
        with cluster.connect() as connection:
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (20_000,)
        cluster.stop()
    assert found.pages > 100
    assert 0 <= found.redo_s <= found.ready_s
    assert found.checkpoint_s <= found.ready_s
