"""A part of a measurement is killed, as the system does without memory: one message, nothing left, and it goes on.

Seven kills: of server and backend in two chapters, of pgbench, of two probes. That a run goes on: test_killed_runs.
"""

import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import parts_at_work as parts
import psutil
import pytest

from benchbook.runner import Progress
from benchbook.runner.lock import host_lock

pytestmark = pytest.mark.faults

FEATURES = parts.FEATURES | {"rows_per_table": 30_000, "measured_requests": 20_000, "window_requests": 20_000}


@pytest.fixture
def measuring(started: list[subprocess.Popen[str]], tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Starts commands that are ended with the test."""

    def begin(experiment: str, given: dict[str, object]) -> subprocess.Popen[str]:
        started.append(parts.start(tmp_path, experiment, given))
        return started[-1]

    return begin


def check_told(owner: subprocess.Popen[str], *words: str) -> None:
    """The command ended by itself, with one message, and left nothing behind."""
    _, told = owner.communicate(timeout=parts.PATIENCE_S)
    assert owner.returncode == 3, told
    error, mend = parts.complaint(told)
    assert "\n" not in error
    assert told.count("error") == 1, told
    assert "warning" not in told.lower(), told
    for word in words:
        assert word in error, told
    assert "memory" in mend
    assert "goes on where it stopped" in mend
    assert parts.nothing_left(), (parts.at_work(), list(parts.scratch().iterdir()))
    with host_lock(Progress(), wait=False):
        pass


def kill(owner: subprocess.Popen[str], choose: Callable[[int], list[psutil.Process]]) -> None:
    """Kill such processes until the command ends: one that had just done its work is missed by nobody.

    Backends only once a server: one that loses each of its connections again would never be done with starting.
    """
    hit: set[int] = set()

    def ended() -> bool:
        found = []
        for process in choose(owner.pid):
            with suppress(psutil.NoSuchProcess):
                found.append((process, process.ppid() if choose is parts.backends else process.pid))
        for process, _ in [each for each in found if each[1] not in hit]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        hit.update(number for _, number in found)
        return owner.poll() is not None

    assert parts.eventually(ended)


SERVER, BACKEND = (parts.postmasters, "the PostgreSQL server was killed"), (parts.backends, "PostgreSQL's ")


@pytest.mark.parametrize(
    ("chapter", "choose", "words"),
    [
        pytest.param("noise_floor", *SERVER, id="server-noise_floor"),
        pytest.param("noise_floor", *BACKEND, id="backend-noise_floor", marks=pytest.mark.long),
        pytest.param("hot_cold_keys", *SERVER, id="server-hot_cold_keys", marks=pytest.mark.long),
        pytest.param("hot_cold_keys", *BACKEND, id="backend-hot_cold_keys", marks=pytest.mark.long),
    ],
)
def test_a_killed_server_ends_the_command_with_one_message(
    measuring: Callable[..., subprocess.Popen[str]],
    chapter: str,
    choose: Callable[[int], list[psutil.Process]],
    words: str,
) -> None:
    owner = measuring(chapter, FEATURES if chapter == "hot_cold_keys" else parts.PGBENCH | {"duration_s": 20})
    if chapter == "hot_cold_keys":
        assert parts.eventually(lambda: parts.stored() or owner.poll() is not None)
    else:
        parts.one(owner, lambda: parts.below(owner.pid, "pgbench"))
    server = parts.one(owner, lambda: parts.postmasters(owner.pid) if parts.backends(owner.pid) else [])
    segment, files = parts.shared_memory(server)
    kill(owner, choose)
    check_told(owner, words, "killed by signal 9 (SIGKILL)")
    assert segment not in parts.system_v_segments()
    assert files
    assert not [path for path in files if path.exists()]


def test_a_killed_pgbench_ends_the_command_with_one_message(
    measuring: Callable[..., subprocess.Popen[str]],
) -> None:
    owner = measuring("noise_floor", parts.PGBENCH)
    parts.one(owner, lambda: parts.at_it(owner.pid, "pgbench", "--time")).kill()
    check_told(owner, "pgbench was killed by signal 9 (SIGKILL)")


@pytest.mark.parametrize("place", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_killed_probe_ends_the_command_with_one_message(
    measuring: Callable[..., subprocess.Popen[str]], place: int
) -> None:
    parts.need_kv()
    owner = measuring("read_path", parts.PROBE)
    seen: set[int] = set()

    def late_enough() -> list[psutil.Process]:
        found = parts.at_it(owner.pid, "kv")
        seen.update(each.pid for each in found)
        return found if len(seen) >= place else []

    parts.one(owner, late_enough)
    kill(owner, lambda number: late_enough())
    check_told(owner, "kv was killed by signal 9 (SIGKILL)")
