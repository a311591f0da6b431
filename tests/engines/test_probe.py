"""The bridge to probes: what a probe says is believed only when it is whole, and nothing is left of one that fails."""

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from eventually import eventually, gone
from hypothesis import given
from hypothesis import strategies as st

from benchbook.engines import probe, probe_answer
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
    found = {name: values.tolist() for name, values in answer.series.items()}
    assert found == {"gets.service": [1, 2, 3], "gets.response": [40, 50]}
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


def test_a_program_that_does_not_exist_says_how_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"; .*make probes"):
        probe.ask(tmp_path / "badger", {}, timeout_s=1)


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
    assert eventually(lambda: gone(int(mark.read_text()))), "the child outlived its probe"
    assert list(where.iterdir()) == []


def test_the_probe_sees_no_secret_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "secret")
    text = "import os, sys\nprint(sorted(os.environ), file=sys.stderr)\nsys.exit(1)\n"
    with pytest.raises(BenchbookError) as caught:
        probe.ask(program(tmp_path, text), {}, timeout_s=20)
    assert "PATH" in caught.value.problem
    assert "PGPASSWORD" not in caught.value.problem
    assert os.environ["PGPASSWORD"] == "secret"


OF_EACH_KIND: list[Any] = ["1", 1, 1.0, True, None, [], {}]


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("", "0 lines"),
        (json.dumps(RECORD) + "\n" + json.dumps(RECORD), "2 lines"),
        ("{", "no JSON"),
        ("[]", "protocol None"),
        (json.dumps(RECORD | {"protocol": 1}), "protocol 1, this package 2"),
        (json.dumps({name: value for name, value in RECORD.items() if name != "counters"}), "counters: Field required"),
        (json.dumps(RECORD | {"series": "gets", "engine": 1}), "engine: Input .* string; series: Input .* list"),
        (json.dumps(RECORD | {"turns": [5]}), r"turns\.0: Input .* dictionary"),
        (json.dumps(RECORD | {"series": [{"name": "gets"}]}), r"series\.0\.count: Field required"),
        (json.dumps(RECORD | {"series": [{"name": "gets", "count": -1}]}), r"series\.0\.count: .* greater than"),
    ],
)
def test_an_answer_that_is_not_whole_is_refused_with_its_place_and_a_mend(output: str, text: str) -> None:
    with pytest.raises(BenchbookError, match=f"{text}.*; .*make probes"):
        probe_answer.parse(output)


@given(st.sampled_from(list(RECORD)), st.sampled_from(OF_EACH_KIND))
def test_a_field_is_taken_as_it_is_or_refused_and_never_turned_into_its_type(name: str, value: Any) -> None:
    output = json.dumps(RECORD | {name: value, "timer_ns": 20})
    if type(value) is type(RECORD[name]) and (name != "protocol" or value == 2):
        assert probe_answer.parse(output) == RECORD | {name: value, "timer_ns": 20}, "what more it says is kept"
    else:
        with pytest.raises(BenchbookError, match=name):
            probe_answer.parse(output)


@given(st.dictionaries(st.text(), st.lists(st.integers(0, 2**63 - 1), max_size=5), max_size=4))
def test_samples_come_back_by_series_and_one_more_or_less_is_refused(written: dict[str, list[int]]) -> None:
    series = [{"name": name, "count": len(values)} for name, values in written.items()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples"
        np.array([value for values in written.values() for value in values], dtype="<u8").tofile(path)
        found = probe_answer.read_samples(path, series)
        assert {name: values.tolist() for name, values in found.items()} == written
        with pytest.raises(BenchbookError, match="announced"):
            probe_answer.read_samples(path, [*series, {"name": "more", "count": 1}])


def test_a_latency_that_cannot_be_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "samples"
    np.array([1, 2**63], dtype="<u8").tofile(path)
    with pytest.raises(BenchbookError, match="292 years"):
        probe_answer.read_samples(path, [{"name": "gets", "count": 2}])
