"""Limits of processors and memory, read from control groups of both versions as containers make them."""

import os
from pathlib import Path

import pytest

from benchbook import limits

WHOLE = float(len(os.sched_getaffinity(0)))


def written(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)


@pytest.fixture
def groups(tmp_path: Path) -> Path:
    return tmp_path / "cgroup"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "self"


def test_without_groups_nothing_bounds(groups: Path, own: Path) -> None:
    assert limits.cores(groups, own) == WHOLE
    assert limits.memory_bytes(groups, own) is None


def test_a_container_sees_its_own_group_as_the_root(groups: Path, own: Path) -> None:
    own.write_text("0::/\n")
    written(groups, cpu__max="50000 100000\n", memory__max="1073741824\n")
    assert limits.cores(groups, own) == 0.5
    assert limits.memory_bytes(groups, own) == 2**30


def test_the_tightest_group_around_a_process_counts(groups: Path, own: Path) -> None:
    own.write_text("0::/job/step\n")
    written(groups / "job", cpu__max="25000 100000", memory__max="2147483648")
    written(groups / "job" / "step", cpu__max="max 100000", memory__max="max")
    assert limits.cores(groups, own) == 0.25
    assert limits.memory_bytes(groups, own) == 2**31


def test_version_1_has_a_folder_for_each_controller(groups: Path, own: Path) -> None:
    own.write_text("5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n1:name=systemd:/docker/x\n")
    written(groups / "cpu,cpuacct" / "docker" / "x", cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    written(groups / "memory" / "docker" / "x", memory__limit_in_bytes="9223372036854771712")
    assert limits.cores(groups, own) == WHOLE
    assert limits.memory_bytes(groups, own) is None
    (groups / "cpu,cpuacct" / "docker" / "x" / "cpu.cfs_quota_us").write_text("50000")
    (groups / "memory" / "docker" / "x" / "memory.limit_in_bytes").write_text("536870912")
    assert limits.cores(groups, own) == 0.5
    assert limits.memory_bytes(groups, own) == 2**29


def test_a_scheduler_is_known_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in limits._SCHEDULERS:
        monkeypatch.delenv(name, raising=False)
    assert limits.scheduler() == ""
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    assert limits.scheduler() == "Slurm"
