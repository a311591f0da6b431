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


def found(groups: Path) -> tuple[float, int | None]:
    """Cores and bytes of memory of a process in these groups."""
    own = groups.parent / "self"
    return limits.cores(groups, own), limits.memory_bytes(groups, own)


def test_without_groups_nothing_bounds(groups: Path) -> None:
    assert found(groups) == (WHOLE, None)


def test_a_container_sees_its_own_group_as_the_root(groups: Path) -> None:
    written(groups.parent, self="0::/\n")
    written(groups, cpu__max="50000 100000\n", memory__max="1073741824\n")
    assert found(groups) == (0.5, 2**30)


def test_the_tightest_group_around_a_process_counts(groups: Path) -> None:
    written(groups.parent, self="0::/job/step\n")
    written(groups / "job", cpu__max="25000 100000", memory__max="2147483648")
    written(groups / "job" / "step", cpu__max="max 100000", memory__max="max")
    assert found(groups) == (0.25, 2**31)


def test_version_1_has_a_folder_for_each_controller(groups: Path) -> None:
    written(groups.parent, self="5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n1:name=systemd:/docker/x\n")
    processor, memory = groups / "cpu,cpuacct" / "docker" / "x", groups / "memory" / "docker" / "x"
    written(processor, cpu__cfs_quota_us="-1", cpu__cfs_period_us="100000")
    written(memory, memory__limit_in_bytes="9223372036854771712")
    assert found(groups) == (WHOLE, None)
    written(processor, cpu__cfs_quota_us="50000")
    written(memory, memory__limit_in_bytes="536870912")
    assert found(groups) == (0.5, 2**29)


def test_a_scheduler_is_known_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in limits._SCHEDULERS:
        monkeypatch.delenv(name, raising=False)
    assert limits.scheduler() == ""
    monkeypatch.setenv("SLURM_JOB_ID", "4711")
    assert limits.scheduler() == "Slurm"
