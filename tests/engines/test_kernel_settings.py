"""Kernel settings are as before: after the end, after an error, after kill -9, with and without the guardian."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from eventually import eventually

from benchbook.engines import dirty_limits, huge_pages, kernel_settings
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.errors import BenchbookError, MachineError

pytestmark = [pytest.mark.engine, pytest.mark.machine]
"""They change the whole machine, so no other test that does may run beside them."""

NAMES = [
    f"vm/dirty_{name}"
    for name in ("bytes", "background_bytes", "ratio", "background_ratio", "expire_centisecs", "writeback_centisecs")
]
LIMITS = DirtyLimits(400 * 2**20, 100 * 2**20, 2000, 400)
HOLD = f"""
import time
from benchbook.engines import dirty_limits
with dirty_limits.applied(dirty_limits.{LIMITS!r}):
    print("set", flush=True)
    time.sleep(600)
"""


def state() -> dict[str, int | None]:
    return {name: kernel_settings.read(name) for name in NAMES}


@pytest.fixture
def before() -> Iterator[dict[str, int | None]]:
    why = kernel_settings.refusal()
    if why is not None:
        pytest.skip(why)
    wait_for_no_note()  # another checkout on this machine may be measuring
    found = state()
    yield found
    assert state() == found
    assert not kernel_settings.NOTE.exists()


def holding() -> subprocess.Popen[str]:
    owner = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert owner.stdout.readline() == "set\n"
    return owner


def wait_for_no_note() -> None:
    assert eventually(lambda: not kernel_settings.NOTE.exists())


def noted() -> dict[str, int]:
    return json.loads(kernel_settings.NOTE.read_text())["former"]


def test_limits_hold_inside_and_are_gone_outside_even_by_an_error(before: dict[str, int | None]) -> None:
    with dirty_limits.applied(LIMITS):
        assert dirty_limits.current() == LIMITS
        assert noted().items() <= before.items()
    assert state() == before
    with pytest.raises(RuntimeError), dirty_limits.applied(LIMITS):
        raise RuntimeError
    assert state() == before


def test_a_setting_that_the_kernel_refuses_leaves_nothing_changed(before: dict[str, int | None]) -> None:
    values = {"vm/dirty_expire_centisecs": 1234, "vm/dirty_background_ratio": 1000}
    with pytest.raises(OSError, match="Invalid argument"), kernel_settings.changed(values):
        pass
    with pytest.raises(MachineError, match="no setting"), kernel_settings.changed({"vm/no_such": 1}):
        pass
    assert state() == before


def test_who_comes_second_waits_for_the_first(before: dict[str, int | None]) -> None:
    owner = holding()
    threading.Timer(1, owner.terminate).start()
    with dirty_limits.applied(LIMITS):
        assert owner.poll() is not None
        assert noted().items() <= before.items()
    owner.wait()


@pytest.mark.faults
def test_the_guardian_puts_them_back_at_once_after_kill_9(before: dict[str, int | None]) -> None:
    owner = holding()
    assert state() != before
    owner.kill()
    owner.wait()
    wait_for_no_note()
    assert state() == before


@pytest.mark.faults
def test_the_next_command_puts_them_back_when_the_guardian_was_killed_too(
    before: dict[str, int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_settings, "PATIENCE_S", 0.0)
    owner = holding()
    for guardian in psutil.Process(owner.pid).children():
        guardian.kill()
    assert kernel_settings.restore_leftovers() == [], "its owner lives"
    with pytest.raises(MachineError, match="another process"), dirty_limits.applied(LIMITS):
        pass
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert state() != before
    assert kernel_settings.NOTE.exists()
    done = subprocess.run([Path(sys.executable).parent / "benchbook", "list"], capture_output=True, check=True)
    assert done.stdout
    assert state() == before


def test_without_the_right_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert kernel_settings.refusal() == "needs root"
    with pytest.raises(MachineError, match="needs root"), dirty_limits.applied(LIMITS):
        pass


def test_limits_are_shares_of_the_memory() -> None:
    limits = dirty_limits.of_memory(2 * 2**30, 10, 5)
    assert limits.limit_bytes == 2 * limits.background_bytes == int(2**31 * 0.1)
    assert limits.slows_from_bytes == 0.75 * limits.limit_bytes


@pytest.mark.parametrize("shares", [(0, 0), (5, 10), (10, 10), (101, 5), (-1, -2), (float("nan"), 1)])
def test_limits_that_are_none_are_refused(shares: tuple[float, float]) -> None:
    with pytest.raises(BenchbookError, match="dirty limits"):
        dirty_limits.of_memory(2**31, *shares)


@pytest.fixture
def size(before: dict[str, int | None]) -> Iterator[int]:
    """Bytes of a huge page, of which there must be as many reserved as before."""
    found = huge_pages.size_bytes()
    if found is None:
        pytest.skip("no huge pages")
    were = kernel_settings.read("vm/nr_hugepages")
    yield found
    assert kernel_settings.read("vm/nr_hugepages") == were


def test_huge_pages_are_reserved_and_given_back(size: int) -> None:
    wanted = huge_pages.free_bytes() + 4 * size
    assert "are needed" in (huge_pages.refusal(wanted, allowed=False) or "")
    assert huge_pages.refusal(wanted, allowed=True) is None
    with huge_pages.reserved(wanted) as got:
        assert got >= wanted
        assert huge_pages.free_bytes() >= wanted


def test_fewer_huge_pages_than_asked_for_are_refused_and_given_back(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huge_pages, "free_bytes", lambda: 0)  # as when memory is too fragmented to give any
    with pytest.raises(MachineError, match="the kernel found 0 of"), huge_pages.reserved(2 * size):
        pass
