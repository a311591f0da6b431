"""Whoever measures is killed: what it had started ends with it, and the next command of any kind removes the rest.

Kills: nine owners, two of them at recorded random moments, four guardians, and twice a server with all its processes.
"""

import logging
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import parts_at_work as parts
import psutil
import pytest

from benchbook import temporary
from benchbook.engines import leftovers
from benchbook.engines.postgres import leftovers as of_servers
from benchbook.errors import BenchbookError
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock

pytestmark = pytest.mark.faults

SEED = 20261123
DEBIAN = Path("/usr/lib/postgresql/15/bin")
WITH_A_QUERY = """
from benchbook.engines.postgres import find, private_cluster
with private_cluster(find(), bytes_needed=100_000_000) as cluster:
    cluster.start({"shared_buffers": "8MB", "min_dynamic_shared_memory": 0})
    with cluster.connect() as connection:
        name = "debug_parallel_query" if cluster.binaries.major >= 16 else "force_parallel_mode"
        connection.execute(f"SET {name} = on")
        connection.execute("SELECT pg_sleep(600)")
"""
HOLD = """
import os, sys
from benchbook import children
from benchbook.runner import Progress
from benchbook.runner.lock import host_lock
with host_lock(Progress()):
    children.start([sys.executable, "-c", {program!r}])
    sys.stdin.read()
"""
OUTLIVES = "import subprocess, time; subprocess.Popen(['sleep', '600'], close_fds=False); time.sleep(600)"
"""What a program of ours starts is not tied to us; it holds what it inherited."""
FOLDER = """
import sys
from benchbook import temporary
with temporary.folder("kernel") as made:
    (made / "connection.json").write_text("{}")
    print(made, flush=True)
    sys.stdin.read()
"""


def program(text: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", text], stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def kill_at_random(owner: subprocess.Popen[str], name: str) -> list[psutil.Process]:
    """Kill the owner up to a fifth of a second after what it has started came to work; what had started by then."""
    after_s = random.Random(f"{SEED} {name}").uniform(0, 0.2)
    logging.getLogger(__name__).warning("SIGKILL %.3f s after %s came to work (seed %d)", after_s, name, SEED)
    time.sleep(after_s)
    started = psutil.Process(owner.pid).children(recursive=True)
    owner.kill()
    owner.wait()
    return started


def kill(owner: subprocess.Popen[str], *others: psutil.Process) -> None:
    """It, its guardian and these."""
    for each in (*others, parts.guardian(owner.pid), psutil.Process(owner.pid)):
        each.kill()
    owner.wait()


def check_removed(segment: int, files: set[Path]) -> None:
    """Shared memory of a server."""
    assert segment not in parts.system_v_segments()
    assert not [path for path in files if path.exists()]


@pytest.fixture
def querying(started: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    """An owner whose server works on a query."""
    started.append(program(WITH_A_QUERY))
    return started[-1]


def serving(owner: subprocess.Popen[str]) -> psutil.Process:
    """The server of an owner, once it has a client."""
    return parts.one(owner, lambda: parts.postmasters(owner.pid) if parts.backends(owner.pid) else [])


def test_a_probe_ends_with_its_killed_owner_and_the_next_command_removes_its_folder(
    started: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    parts.need_kv()
    started.append(owner := parts.start(tmp_path, "read_path", parts.PROBE))
    probe = parts.one(owner, lambda: parts.at_it(owner.pid, "kv"))
    started_by_it = kill_at_random(owner, "the probe")  # several probes take turns
    assert parts.eventually(lambda: not any(map(parts.working, [probe, *started_by_it])))
    parts.any_command()
    for being_made in parts.scratch().iterdir():  # killed before its lock was there: nobody's for an hour
        assert not (being_made / temporary.OWNER_LOCK).exists()
        os.utime(being_made, (0, 0))
    parts.any_command()
    assert parts.nothing_left(), list(parts.scratch().iterdir())
    with host_lock(Progress(), wait=False):
        pass


def test_pgbench_and_its_server_end_with_their_killed_owner(
    started: list[subprocess.Popen[str]], tmp_path: Path
) -> None:
    started.append(owner := parts.start(tmp_path, "noise_floor", parts.PGBENCH))
    pgbench = parts.one(owner, lambda: parts.at_it(owner.pid, "pgbench", "--time"))
    [server] = parts.postmasters(owner.pid)
    everybody = [pgbench, server, *server.children()]
    segment, _ = parts.shared_memory(server)
    kill_at_random(owner, "pgbench")
    assert parts.eventually(lambda: not any(map(parts.working, everybody)))
    assert parts.eventually(parts.nothing_left), "its guardian removes the folder"
    assert segment not in parts.system_v_segments()


@pytest.mark.long
def test_a_server_whose_owner_and_guardian_were_killed_ends_and_the_next_command_removes_its_folder(
    querying: subprocess.Popen[str],
) -> None:
    server = serving(querying)
    everybody = [server, *server.children()]
    memory = parts.shared_memory(server)
    kill(querying)
    assert parts.eventually(lambda: not any(map(parts.working, everybody)))
    check_removed(*memory)  # by the server itself
    assert list(parts.scratch().iterdir())
    parts.any_command()
    assert parts.nothing_left()


@pytest.mark.parametrize("installation", [None, DEBIAN], ids=["embedded", "debian"])
def test_shared_memory_of_a_server_that_was_killed_with_everybody_is_removed_by_the_next_command(
    started: list[subprocess.Popen[str]], monkeypatch: pytest.MonkeyPatch, installation: Path | None
) -> None:
    if installation is not None:
        if not installation.is_dir():
            pytest.skip(f"no PostgreSQL in {installation}")
        monkeypatch.setenv("BENCHBOOK_PG_BIN", str(installation))
    started.append(owner := program(WITH_A_QUERY))
    server = parts.one(owner, lambda: parts.with_a_parallel_query(owner.pid))
    segment, files = parts.shared_memory(server)
    assert len(files) >= 2, "the list of segments, and that of the query's two processes"
    everybody = [server, *server.children()]
    for each in (*everybody, parts.guardian(owner.pid), psutil.Process(owner.pid)):
        each.suspend()  # none of them shall tidy up for another
    kill(owner, *everybody)
    assert parts.eventually(lambda: not any(map(parts.working, everybody)))
    assert segment in parts.system_v_segments()
    assert all(path.exists() for path in files)
    parts.any_command()
    check_removed(segment, files)
    assert parts.nothing_left()


def test_a_server_that_does_not_end_with_its_owner_and_guardian_is_ended_by_what_each_command_does_first(
    querying: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serving(querying)
    memory = parts.shared_memory(server)
    server.suspend()  # so that it heeds nothing but SIGKILL
    kill(querying)
    assert parts.working(server)
    monkeypatch.setattr(of_servers, "_PATIENCE_S", 3.0)
    leftovers.remove()
    assert parts.eventually(lambda: not parts.working(server))
    check_removed(*memory)
    assert parts.nothing_left()


def test_the_machine_is_busy_until_the_owner_ends_and_what_outlives_it_is_ended(
    started: list[subprocess.Popen[str]],
) -> None:
    started.append(owner := program(HOLD.format(program=OUTLIVES)))
    sleeper = parts.one(owner, lambda: parts.below(owner.pid, "sleep"))
    with pytest.raises(BenchbookError, match="another Benchbook run is measuring"), host_lock(Progress(), wait=False):
        pass
    assert parts.working(sleeper), "its owner lives"
    owner.kill()
    owner.wait()
    assert parts.working(sleeper)
    with host_lock(Progress(), wait=False):
        assert not parts.working(sleeper)


def test_the_folder_of_a_killed_owner_goes_with_the_next_command_and_that_of_a_living_one_stays(
    started: list[subprocess.Popen[str]],
) -> None:
    started += [program(FOLDER), program(FOLDER)]
    killed, living = (Path(owner.stdout.readline().strip()) for owner in started)
    started[0].kill()
    started[0].wait()
    assert killed.is_dir()
    parts.any_command()
    assert not killed.exists()
    assert (living / "connection.json").is_file()
    started[1].communicate("")
    assert not living.exists()


def test_looking_for_leftovers_loads_no_library_of_an_engine(home: Path) -> None:
    text = "import sys\nfrom benchbook.engines import leftovers\nassert leftovers.remove() == []\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    assert not {"psycopg", "psutil", "numpy", "pandas"} & set(done.stdout.split())


def test_a_program_is_what_it_would_be_without_its_launcher(home: Path) -> None:
    text = """
import json, os, sys, signal
from benchbook import children
show = "import json, os; print(json.dumps([sorted(os.listdir('/proc/self/fd')), open('/proc/self/environ').read(), " \\
       "[l for l in open('/proc/self/status') if l[:3] in ('Sig', 'Cpu', 'Uid', 'Gid') and l[:4] != 'SigQ'], " \\
       "os.getcwd()]))"
for start in (children.start, __import__("subprocess").Popen):
    with start([sys.executable, "-I", "-c", show], cwd="/", env={"A": "b=c"}, stdout=-1) as process:
        print(process.stdout.read().decode().strip())
"""
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True)
    ours, plain = done.stdout.splitlines()
    assert ours == plain


def test_the_signal_of_death_is_the_one_that_was_asked_for(started: list[subprocess.Popen[str]]) -> None:
    text = f"""
import sys, signal
from benchbook import children
waits = "import signal, sys; signal.signal(signal.SIGQUIT, lambda *_: (print('quit', flush=True), sys.exit())); " \\
        "print('ready', flush=True); signal.pause()"
children.start([sys.executable, "-c", waits], death=signal.Signals({int(signal.SIGQUIT)}))
sys.stdin.read()
"""
    started.append(owner := program(text))
    assert owner.stdout.readline() == "ready\n"
    owner.kill()
    assert owner.stdout.readline() == "quit\n"
