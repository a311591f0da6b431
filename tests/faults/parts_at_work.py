"""Commands that measure, the parts of them that can be killed, and a look at whether anything of them is left."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import yaml
from eventually import PATIENCE_S as PATIENCE_S
from eventually import eventually as eventually
from eventually import working_in

from benchbook import project
from benchbook.engines import kv
from benchbook.errors import MachineError

COMMAND = [sys.executable, "-c", "from benchbook.cli import main; main()"]
PGBENCH = {"blocks": 2, "scale": 1, "shared_buffers_mib": 6, "clients": 2, "warm_up_s": 0, "duration_s": 60}
PROBE = {
    "blocks": 2, "rows": 1_000_000, "operations": 1_000_000, "existence_keys": 2_000, "durable_rows": 3_000,
    "durable_batch_rows": 300, "scans": 400, "scan_rows": 20, "option_a_cache_mib": 16, "kept_samples": 500,
}  # fmt: skip
FEATURES = {
    "n_tables": 1, "rows_per_table": 1_000, "hot_set_keys": 50, "warmup_requests": 50, "measured_requests": 200,
    "window_requests": 200, "shared_buffers_mib": 2, "large_pool_mib": 8, "blocks": 2, "hot_shares_percent": [],
    "zipf_exponents": [], "added_read_ms": [],
}  # fmt: skip
"""Parameters of noise_floor, read_path and hot_cold_keys with which they are soon at work."""
SERVER, GUARDIAN = "postgres", "benchbook.engines.postgres.leftovers"


def start(folder: Path, experiment: str, given: Mapping[str, Any]) -> subprocess.Popen[str]:
    """``benchbook run`` with these parameters, in a process of its own."""
    file = folder / f"{experiment}.yaml"
    file.write_text(yaml.safe_dump(dict(given)))
    return subprocess.Popen(
        [*COMMAND, "run", experiment, "--file", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def any_command() -> None:
    """One that has nothing to do with measuring."""
    subprocess.run([*COMMAND, "list"], check=True, capture_output=True)


def complaint(told: str) -> tuple[str, str]:
    """The problem and the fix with which a command ended; news of what it did may stand before them."""
    assert "Traceback" not in told, told
    assert "unforeseen" not in told, told
    lines = told.strip().splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("error: "))
    assert lines[-1].startswith("fix: "), told
    return "\n".join(lines[place:-1]), lines[-1]


def need_kv() -> None:
    """Skips where the key-value probe is not built."""
    try:
        kv.find()
    except MachineError as missing:
        pytest.skip(str(missing))


def isolated(*options: str) -> list[str]:
    """What begins a command in namespaces of its own; nothing without options. Skips where none can be made."""
    if not options:
        return []
    if os.geteuid() != 0:
        pytest.skip("only root can make namespaces of every kind")
    try:
        subprocess.run(["unshare", *options, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as refused:
        pytest.skip(f"namespaces cannot be made here: {refused}")
    return ["unshare", *options, "--"]


@contextmanager
def small_disk(folder: Path, options: str) -> Iterator[Path]:
    """A new folder on a file system in memory of its own. options: of mount."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=False).returncode:
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def scratch() -> Path:
    return Path(os.environ["BENCHBOOK_SCRATCH"])


def working(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False


def line(process: psutil.Process) -> list[str]:
    """Its words; none if it ended meanwhile."""
    with suppress(psutil.Error):
        return process.cmdline()
    return []


def below(owner: int, name: str, *, directly: bool = False) -> list[psutil.Process]:
    """Processes of this name that a command started, also through others unless ``directly``."""
    found = []
    with suppress(psutil.Error):
        for process in psutil.Process(owner).children(recursive=not directly):
            with suppress(psutil.Error):
                if process.name() == name and working(process):
                    found.append(process)
    return found


def at_it(owner: int, name: str, argument: str = "") -> list[psutil.Process]:
    """Those of this name whose command line has the argument, and that do more than tell their version."""
    lines = [(each, line(each)) for each in below(owner, name)]
    return [each for each, words in lines if words and "--version" not in words and argument in " ".join(words)]


def one(owner: subprocess.Popen[str], choose: Callable[[], list[psutil.Process]]) -> psutil.Process:
    """The first process that ``choose`` finds while the owner lives."""
    found: list[psutil.Process] = []

    def seen() -> bool:
        found.extend(choose())
        return bool(found) or owner.poll() is not None

    assert eventually(seen)
    assert found, owner.communicate()
    return found[0]


def postmasters(owner: int) -> list[psutil.Process]:
    return below(owner, SERVER, directly=True)


def backends(owner: int) -> list[psutil.Process]:
    """Those that serve a connection: PostgreSQL writes role and database into their names."""
    theirs = [each for server in postmasters(owner) for each in below(server.pid, SERVER, directly=True)]
    return [each for each in theirs if "benchbook" in " ".join(line(each))]


def guardian(owner: int) -> psutil.Process:
    [found] = [each for each in psutil.Process(owner).children() if GUARDIAN in line(each)]
    return found


def stored() -> set[str]:
    """Names of the trials that are durable."""
    return {path.name for path in project.runs().glob("*/*/parts/*.json") if not path.name.startswith(".")}


def at_work() -> list[str]:
    """Command lines of everything that works on the scratch disk."""
    return [" ".join(each.info["cmdline"] or []) for each in working_in(scratch())]


def nothing_left() -> bool:
    """Whether nobody works on the scratch disk, and neither it nor the folder for temporary files holds one of ours."""
    temporary = [path for path in Path(os.environ["TMPDIR"]).glob("benchbook-*") if path.is_dir()]
    return not at_work() and not list(scratch().iterdir()) and not temporary


def system_v_segments() -> set[int]:
    """Numbers of all System V segments of the machine."""
    return {int(line.split()[1]) for line in Path("/proc/sysvipc/shm").read_text().splitlines()[1:]}


def shared_memory(server: psutil.Process) -> tuple[int, set[Path]]:
    """The System V segment of a server, and the files in /dev/shm that its processes have mapped."""
    note = Path(server.cwd()) / "postmaster.pid"
    files = set()
    for process in [server, *server.children()]:
        with suppress(OSError):
            for line in Path(f"/proc/{process.pid}/maps").read_text().splitlines():
                if "/dev/shm/PostgreSQL." in line and not line.endswith("(deleted)"):
                    files.add(Path(line.split()[-1]))
    return int(note.read_text().splitlines()[6].split()[1]), files


def with_a_parallel_query(owner: int) -> list[psutil.Process]:
    """Servers of which a second process works on a query, and shares memory for it."""
    found = []
    for server in postmasters(owner):
        with suppress(OSError, IndexError, psutil.Error):
            helpers = [each for each in server.children() if "parallel worker" in " ".join(line(each))]
            if helpers and len(shared_memory(server)[1]) >= 2:
                found.append(server)
    return found
