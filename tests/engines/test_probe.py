"""The bridge to probes: what a probe says is believed only when it is whole, and nothing is left of one that fails."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from benchbook.engines import probe
from benchbook.errors import BenchbookError, MachineError

RECORD: dict[str, Any] = {
    "protocol": 2,
    "probe": "made up",
    "engine": "None",
    "engine_version": "v0",
    "settings": {},
    "series": [{"name": "gets.service", "count": 3}, {"name": "gets.response", "count": 2}],
    "seconds": {},
    "counters": {},
    "timeline": [],
    "memory": {},
    "checked_reads": 3,
}
WRITES = """
import json, struct, sys
asked = json.load(sys.stdin)
open(asked["samples"], "wb").write(struct.pack("<5Q", 1, 2, 3, 40, 50))
print(json.dumps({record!r}))
"""


def program(folder: Path, text: str) -> Path:
    path = folder / "probe"
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def test_the_series_come_back_by_name_and_nothing_is_left(tmp_path: Path) -> None:
    where = tmp_path / "scratch"
    where.mkdir()
    answer = probe.ask(program(tmp_path, WRITES.format(record=RECORD)), {}, timeout_s=20, folder=where)
    assert answer.series["gets.service"].tolist() == [1, 2, 3]
    assert answer.series["gets.response"].tolist() == [40, 50]
    assert answer.series["gets.service"].dtype == np.int64
    assert answer.record == RECORD
    assert list(where.iterdir()) == []


def test_the_request_holds_the_protocol_an_empty_folder_and_a_free_name(tmp_path: Path) -> None:
    text = """
import json, os, sys
asked = json.load(sys.stdin)
assert asked["protocol"] == 2 and asked["seed"] == 7
assert os.listdir(asked["folder"]) == [] and not os.path.exists(asked["samples"])
print("seen", file=sys.stderr)
sys.exit(4)
"""
    with pytest.raises(BenchbookError, match="the request was refused: seen"):
        probe.ask(program(tmp_path, text), {"seed": 7}, timeout_s=20)


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (1, BenchbookError, "read a wrong value"),
        (2, MachineError, "it crashed"),
        (3, MachineError, "could not be written"),
        (4, BenchbookError, "refused"),
    ],
)
def test_no_failed_probe_gives_a_result(tmp_path: Path, code: int, kind: type[BenchbookError], text: str) -> None:
    body = WRITES.format(record=RECORD) + f"\nprint('the cause', file=sys.stderr)\nsys.exit({code})\n"
    with pytest.raises(kind, match=f"{text}.*the cause"):
        probe.ask(program(tmp_path, body), {}, timeout_s=20)


def test_a_crash_is_told_by_its_first_line_and_a_full_disk_by_its_mend(tmp_path: Path) -> None:
    text = "import sys\nsys.stderr.write('panic: {}\\n\\ngoroutine 1\\n')\nsys.exit({})\n"
    with pytest.raises(MachineError, match="it crashed: panic: lost;"):
        probe.ask(program(tmp_path, text.format("lost", 2)), {}, timeout_s=20)
    for code in (1, 2):
        with pytest.raises(MachineError) as caught:
            probe.ask(program(tmp_path, text.format("write x: no space left on device", code)), {}, timeout_s=20)
        assert caught.value.mend == "free disk space"


def test_samples_that_are_cut_short_are_refused(tmp_path: Path) -> None:
    body = WRITES.format(record=RECORD).replace("<5Q", "<4Q").replace(", 50)", ")")
    with pytest.raises(BenchbookError, match="announced 5 samples and wrote 32 bytes"):
        probe.ask(program(tmp_path, body), {}, timeout_s=20)


def test_a_program_that_does_not_exist_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(MachineError) as caught:
        probe.ask(tmp_path / "badger", {}, timeout_s=1)
    assert "make probes" in caught.value.mend


def test_a_probe_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    text = f"""
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(mark)!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    where = tmp_path / "scratch"
    where.mkdir()
    with pytest.raises(MachineError, match="did not end within"):
        probe.ask(program(tmp_path, text), {}, timeout_s=3, folder=where)
    child = int(mark.read_text())
    deadline = time.monotonic() + 30
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the child outlived its probe"
        time.sleep(0.05)
    assert list(where.iterdir()) == []


def test_the_probe_sees_no_secret_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    text = "import os, sys\nprint(sorted(os.environ), file=sys.stderr)\nsys.exit(1)\n"
    with pytest.raises(BenchbookError) as caught:
        probe.ask(program(tmp_path, text), {}, timeout_s=20)
    assert "PATH" in caught.value.problem
    assert "PGPASSWORD" not in caught.value.problem
    assert os.environ["PGPASSWORD"] == "secret"
