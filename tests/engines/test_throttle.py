"""Rules are written where they hold for this process: in the root group of version 1, in a group above it in 2."""

from collections.abc import Callable
from pathlib import Path

import pytest

from benchbook.engines.storage import throttle
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.throttle import Throttle
from benchbook.errors import MachineError

CAP = Cap(read_iops=700, write_bytes_per_s=125_000_000)


def described(folder: Path, mounts: str, own: str) -> Path:
    proc = folder / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self/mounts").write_text(mounts.format(folder / "root"))
    (proc / "self/cgroup").write_text(own)
    return proc


def version_2(folder: Path, own: str) -> Path:
    (folder / "root/user.slice/scope").mkdir(parents=True)
    (folder / "root/cgroup.controllers").write_text("cpu io memory\n")
    (folder / "root/user.slice/io.max").write_text("")
    (folder / "root/user.slice/scope/io.max").write_text("")
    return described(folder, "cgroup2 {0} cgroup2 rw 0 0\n", f"0::{own}\n")


def version_1(folder: Path, own: str) -> Path:
    (folder / "root/below").mkdir(parents=True)
    (folder / "root/blkio.throttle.read_iops_device").write_text("")
    return described(folder, "cgroup {0} cgroup rw,blkio 0 0\n", f"7:blkio:{own}\n")


def no_controller(folder: Path, own: str) -> Path:
    return described(folder, "tmpfs {0} tmpfs rw 0 0\n", f"0::{own}\n")


def test_version_2_takes_the_topmost_group_that_can_hold_a_rule_and_version_1_the_root_group(tmp_path: Path) -> None:
    two, one = version_2(tmp_path / "two", "/user.slice/scope"), version_1(tmp_path / "one", "/")
    assert throttle.find(two) == Throttle(2, tmp_path / "two/root/user.slice")
    assert throttle.find(one) == Throttle(1, tmp_path / "one/root")


@pytest.mark.parametrize(
    ("machine", "own", "told"),
    [
        (version_2, "/", "not handed down"),
        (version_1, "/below", "blkio group /below"),
        (no_controller, "/", "blkio controller"),
    ],
)
def test_where_no_rule_can_hold_it_is_said_why(
    tmp_path: Path, machine: Callable[[Path, str], Path], own: str, told: str
) -> None:
    with pytest.raises(MachineError, match=told):
        throttle.find(machine(tmp_path, own))


def test_a_rule_of_version_2_is_one_line_and_read_back_by_device(tmp_path: Path) -> None:
    group = Throttle(2, tmp_path)
    group.put("7:0", CAP)
    assert (tmp_path / "io.max").read_text() == "7:0 riops=700 wiops=max rbps=max wbps=125000000"
    (tmp_path / "io.max").write_text("7:1 rbps=1 wbps=max\n7:0 rbps=max wbps=125000000 riops=700 wiops=max\n")
    assert group.rule("7:0") == CAP
    assert not group.rule("7:2")
    group.put("7:0", Cap())
    assert (tmp_path / "io.max").read_text() == "7:0 riops=max wiops=max rbps=max wbps=max"


def test_a_rule_of_version_1_is_a_line_in_each_of_four_files(tmp_path: Path) -> None:
    group = Throttle(1, tmp_path)
    group.put("7:0", CAP)
    written = {file.name.removeprefix("blkio.throttle."): file.read_text() for file in tmp_path.iterdir()}
    assert written == {
        "read_iops_device": "7:0 700",
        "write_iops_device": "7:0 0",
        "read_bps_device": "7:0 0",
        "write_bps_device": "7:0 125000000",
    }
    assert group.rule("7:0") == CAP
    assert not group.rule("7:1")
