"""pgbench in the background while its caller changes what it runs on; its transactions by the wall clock."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchbook import children, mishaps
from benchbook.engines.pgbench import transactions
from benchbook.engines.pgbench.log import Log, read_log
from benchbook.engines.pgbench.running import PATIENCE_S, failed, log_folder
from benchbook.engines.pgbench.workload import DATABASE, Workload
from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.cluster import ROLE
from benchbook.engines.printed import last_line
from benchbook.errors import MachineError

CONNECTING_S = 60.0
_LOOK_S = 0.02
_CONNECTED = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench' AND state IS NOT NULL"


@dataclass
class Load:
    """A pgbench that runs until its block ends; then there is what it logged, and how many it says it processed."""

    cluster: Cluster
    process: subprocess.Popen[str]
    folder: Path
    log: Log | None = None
    processed: int = 0

    def check(self) -> None:
        """Raise MachineError when it has ended by itself."""
        if self.process.poll() is not None:
            raise self._failed()

    def finish(self) -> None:
        """End it in order and read its log. Raises MachineError with its last line when it failed."""
        self.check()
        self.process.send_signal(signal.SIGALRM)  # what its own clock sends it when its time is up
        try:
            self.process.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise MachineError(
                f"pgbench did not end within {PATIENCE_S:.0f} s", "look for a stuck disk, or ask for less"
            ) from None
        if self.process.returncode < 0:
            raise mishaps.killed("pgbench", -self.process.returncode, self.cluster.folder.parent)
        if self.process.returncode:
            raise self._failed()
        said, told = ((self.folder / name).read_text(errors="replace") for name in ("said", "told"))
        _, self.processed = transactions.read_report(said, told)
        self.log = read_log(list((self.folder / "written").glob("log.*")))

    def _failed(self) -> MachineError:
        said = last_line((self.folder / "told").read_text(errors="replace"))
        return failed(self.cluster, self.process.returncode, said)


@contextmanager
def load(cluster: Cluster, workload: Workload, *, logs: Path | None = None) -> Iterator[Load]:
    """Run a closed-loop workload until the block ends, at most for its duration; all its clients are connected then.

    logs: a folder for its log meanwhile; by default the cluster's. Raises BenchbookError for a wrong setting,
    MachineError when it fails, or is not connected within a minute.
    """
    workload.check()
    with log_folder(cluster, logs) as (folder, written):
        program, identity = cluster.program("pgbench")
        command = [
            str(program), *workload.arguments(written / "log"),
            "--host", str(cluster.sockets), "--username", ROLE, DATABASE,
        ]  # fmt: skip
        with (folder / "said").open("w") as said, (folder / "told").open("w") as told:
            process = children.start(command, stdin=subprocess.DEVNULL, stdout=said, stderr=told, text=True, **identity)
        try:
            made = Load(cluster, process, folder)
            _wait(made, workload.clients)
            yield made
            made.finish()
        finally:
            children.end(process)


def _wait(made: Load, clients: int) -> None:
    deadline = time.monotonic() + CONNECTING_S
    with made.cluster.connect() as connection:
        while True:
            made.check()
            row = connection.execute(_CONNECTED).fetchone()
            if row is not None and int(row[0]) >= clients:
                return
            if time.monotonic() > deadline:
                raise MachineError(
                    f"pgbench's {clients} clients were not connected within {CONNECTING_S:.0f} s", "ask for fewer"
                )
            time.sleep(_LOOK_S)
