"""Commands that are timed: their time, their failure in their own words, and surroundings that decide nothing."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from benchbook.bench import programs
from benchbook.errors import BenchbookError


def test_a_command_that_fails_is_told_in_its_last_words(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", "import sys; print('first'); sys.exit('no disk left')"]
    with pytest.raises(BenchbookError, match="no disk left"):
        programs.seconds(failing, tmp_path, {}, timeout_s=60)


def test_a_command_that_does_not_end_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(BenchbookError, match="did not end"):
        programs.seconds([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, {}, timeout_s=0.5)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_nothing_that_it_started_stays_behind(tmp_path: Path) -> None:
    script = "sleep 300 & echo $! >child; exec sleep 300"
    with pytest.raises(BenchbookError, match="did not end"):
        programs.seconds(["sh", "-c", script], tmp_path, {}, timeout_s=1.0)
    child = int((tmp_path / "child").read_text())
    deadline = time.monotonic() + 10
    while lives(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not lives(child)


def test_only_what_is_given_steers_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BENCHBOOK_HOME", "MAKEFLAGS", "PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.setenv(name, "elsewhere")
    monkeypatch.setenv("HARMLESS", "kept")
    found = programs.environment({"BENCHBOOK_HOME": "here"})
    assert found["BENCHBOOK_HOME"] == "here"
    assert found["HARMLESS"] == "kept"
    assert not {"MAKEFLAGS", "PYTHONPATH", "VIRTUAL_ENV"} & set(found)
    writing = [sys.executable, "-c", "import os, pathlib; pathlib.Path('said').write_text(os.environ['X'])"]
    assert programs.seconds(writing, tmp_path, {"X": "there"}, timeout_s=60) > 0
    assert (tmp_path / "said").read_text() == "there"
