"""A memory bound: it holds for what is started inside, counts the page cache, and is gone afterwards."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from eventually import eventually, gone

from benchbook.engines import bounds
from benchbook.engines.bounds import groups
from benchbook.engines.bounds.groups import Hierarchy
from benchbook.errors import BenchbookError

pytestmark = [pytest.mark.engine, pytest.mark.machine]

LIMIT = 128 * 2**20


def own_groups() -> list[Path]:
    return [path for path in groups.hierarchy().root.rglob(f"{groups.PREFIX}{os.getpid()}-*") if path.is_dir()]


@pytest.fixture
def bounded() -> None:
    with bounds.memory(LIMIT) as bound:
        if not bound.bounded:
            pytest.skip(bound.label)


@pytest.mark.parametrize("limit", [0, -1, 2**20])
def test_a_limit_in_which_no_server_starts_is_refused(limit: int) -> None:
    with pytest.raises(BenchbookError, match="below"), bounds.memory(limit):
        pass


def test_without_a_limit_everything_passes_and_the_label_says_so() -> None:
    with bounds.memory(None) as bound, bound.inside():
        assert not bound.bounded
        assert bound.label.startswith("not bounded")
        assert bound.reading() is None


def test_where_no_group_may_be_made_it_is_a_label_and_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for found in (Hierarchy(2, tmp_path, tmp_path), None):
        monkeypatch.setattr(groups, "hierarchy", lambda found=found: found)
        with bounds.memory(LIMIT) as bound, bound.inside():
            assert bound.label.startswith("not bounded")
    assert not list(tmp_path.iterdir())


def test_version_2_makes_its_group_where_memory_is_handed_down(tmp_path: Path) -> None:
    own = tmp_path / "slice" / "scope"
    own.mkdir(parents=True)
    (tmp_path / "cgroup.subtree_control").write_text("cpu memory\n")
    (tmp_path / "slice" / "cgroup.subtree_control").write_text("cpu memory\n")
    (own / "cgroup.subtree_control").write_text("\n")
    assert list(groups.parents(Hierarchy(2, tmp_path, own))) == [tmp_path / "slice", tmp_path]
    assert list(groups.parents(Hierarchy(1, tmp_path, own))) == [own, tmp_path / "slice", tmp_path]


def test_version_2_is_read_from_its_own_files(tmp_path: Path) -> None:
    from benchbook.engines.bounds.memory import _read_v2

    (tmp_path / "memory.stat").write_text("anon 5\nfile 100\nshmem 40\nfile_dirty 7\nfile_writeback 3\n")
    (tmp_path / "memory.events").write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\n")
    (tmp_path / "memory.current").write_text("120\n")
    (tmp_path / "memory.swap.current").write_text("0\n")
    read = _read_v2(tmp_path, 200)
    assert (read.cache_bytes, read.shared_bytes, read.dirty_bytes, read.writeback_bytes) == (60, 40, 7, 3)
    assert (read.killed, read.peak_bytes, read.available_bytes) == (1, None, 80)


@pytest.mark.parametrize(
    ("mounts", "own", "expected"),
    [
        ("cgroup {0} cgroup rw,memory 0 0\n", "4:memory:/a\n0::/\n", (1, "a")),
        ("cgroup2 {0} cgroup2 rw 0 0\n", "0::/a\n", (2, "a")),
        ("cgroup2 {0} cgroup2 rw 0 0\n", "0::/elsewhere/on/the/host\n", (2, "")),
        ("tmpfs {0} tmpfs rw 0 0\n", "0::/\n", None),
    ],
)
def test_the_hierarchy_is_found_from_what_is_mounted(
    tmp_path: Path, mounts: str, own: str, expected: tuple[int, str] | None
) -> None:
    root, proc = tmp_path / "root", tmp_path / "proc" / "self"
    (root / "a").mkdir(parents=True)
    (root / "cgroup.controllers").write_text("cpu memory\n")
    proc.mkdir(parents=True)
    (proc / "mounts").write_text(mounts.format(root))
    (proc / "cgroup").write_text(own)
    assert groups.hierarchy(tmp_path / "proc") == (expected and Hierarchy(expected[0], root, root / expected[1]))


@pytest.mark.usefixtures("bounded")
def test_page_cache_counts_and_stays_below_the_limit(tmp_path: Path) -> None:
    with bounds.memory(LIMIT) as bound:
        with bound.inside():
            subprocess.run(
                ["dd", "if=/dev/zero", f"of={tmp_path / 'large'}", "bs=1M", f"count={2 * LIMIT // 2**20}"],
                check=True, capture_output=True,
            )  # fmt: skip
        read = bound.reading()
        assert LIMIT / 2 < read.cache_bytes <= LIMIT
        assert read.peak_bytes <= LIMIT
        assert read.killed == 0
        assert 0 <= read.available_bytes < LIMIT / 2


def greedy() -> subprocess.Popen[str]:
    """It takes twice the limit as soon as it is told to."""
    code = f"input(); bytearray(b'x') * {2 * LIMIT}"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, text=True)


@pytest.mark.usefixtures("bounded")
def test_a_process_that_wants_more_is_ended_and_counted_and_we_are_not() -> None:
    with bounds.memory(LIMIT) as bound:
        with bound.inside():
            inside = greedy()
        inside.communicate("now\n")
        assert inside.returncode == -signal.SIGKILL
        assert bound.reading().killed == 1
        outside = greedy()
        outside.communicate("now\n")
        assert outside.returncode == 0


@pytest.mark.usefixtures("bounded")
def test_nothing_is_left_and_our_own_group_is_as_before() -> None:
    before, member = own_groups(), Path("/proc/self/cgroup").read_text()
    with bounds.memory(LIMIT) as bound:
        with bound.inside():
            left = subprocess.Popen(["sleep", "600"])
            assert Path("/proc/thread-self/cgroup").read_text() != member
        assert Path("/proc/thread-self/cgroup").read_text() == member
        assert own_groups() != before
    assert left.wait(timeout=20) == -signal.SIGKILL
    assert own_groups() == before


@pytest.mark.usefixtures("bounded")
def test_what_a_killed_owner_left_is_removed_by_the_next_and_a_living_owners_is_not() -> None:
    code = (
        "import subprocess, time\nfrom benchbook.engines import bounds\n"
        f"with bounds.memory({LIMIT}) as bound, bound.inside():\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        "    print(bound.group, child.pid, flush=True)\n    time.sleep(600)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    name, child = owner.stdout.readline().split()
    group = Path(name)
    assert group not in bounds.remove_leftovers()
    assert group.exists()
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert eventually(lambda: group in bounds.remove_leftovers())
    assert not group.exists()
    assert eventually(lambda: gone(int(child)))


def test_version_2_ends_all_members_by_its_own_means(tmp_path: Path) -> None:
    (tmp_path / "cgroup.procs").write_text("0\n0\n")
    (tmp_path / "cgroup.kill").write_text("")
    assert not groups.remove(tmp_path, patience_s=0)
    assert (tmp_path / "cgroup.kill").read_text() == "1"


@pytest.mark.usefixtures("bounded")
def test_a_group_that_is_taken_for_a_leftover_before_it_is_locked_is_made_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, early = fcntl.flock, []

    def late(descriptor: int, operation: int) -> None:
        if not early:
            early.append(True)
            monkeypatch.setattr(fcntl, "flock", real)
            assert bounds.remove_leftovers(), "it has no lock yet"
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    with bounds.memory(LIMIT) as bound:
        assert early
        assert bound.bounded
        assert bound.group.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a group away")
@pytest.mark.usefixtures("bounded")
def test_a_group_of_another_account_or_of_an_older_release_stays() -> None:
    tree = groups.hierarchy()
    others = [tree.own / f"{groups.PREFIX}1-1-0", tree.own / f"{groups.PREFIX}1-{'0' * 16}"]
    for group in others:
        group.mkdir()
    try:
        os.chown(others[1], 12345, 12345)
        assert not set(others) & set(bounds.remove_leftovers())
        os.chown(others[1], os.geteuid(), os.getegid())
        assert others[1] in bounds.remove_leftovers()
        assert others[0].is_dir()
    finally:
        for group in others:
            with contextlib.suppress(FileNotFoundError):
                group.rmdir()
