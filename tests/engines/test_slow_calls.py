"""A program whose system calls are counted and made longer, tried on a small one of our own."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchbook.engines.slow_calls import KINDS, slowed

PROGRAM = """#!{python}
import ctypes, os, sys
library = ctypes.CDLL(None)
descriptor = os.open(os.devnull, os.O_RDONLY)
for _ in range(int(sys.argv[1])):
    assert library.fcntl(descriptor, 1, 0) >= 0
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "asks kernel"
    path.write_text(PROGRAM.format(python=sys.executable), "utf-8")
    path.chmod(0o755)
    return path


def test_calls_are_counted_and_each_is_lengthened_by_at_least_what_was_asked(program: Path, tmp_path: Path) -> None:
    few, many = (slowed(program, tmp_path, name, 100_000) for name in ("few", "many"))
    for each, times in ((few, 100), (many, 1_100)):
        begun = time.monotonic_ns()
        subprocess.run([each.program, str(times)], check=True)
        calls, added_ns = each.counted()
        assert added_ns >= 100_000 * sum(calls.values())
        assert time.monotonic_ns() - begun > added_ns
    assert many.counted()[0]["locks"] - few.counted()[0]["locks"] == 1_000


def test_with_nothing_added_they_are_only_counted(program: Path, tmp_path: Path) -> None:
    counting = slowed(program, tmp_path, "counting", 0)
    assert counting.counted() == (dict.fromkeys(KINDS, 0), 0)
    subprocess.run([counting.program, "500"], check=True)
    calls, added_ns = counting.counted()
    assert calls["locks"] >= 500
    assert added_ns == 0
    again = slowed(program, tmp_path, "counting", 0)
    assert sum(again.counted()[0].values()) == 0, "made again, it begins to count anew"
