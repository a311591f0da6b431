"""What is timed: contestants in rounds, in an order that is drawn; commands whose surroundings decide nothing."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from eventually import eventually, gone

from benchbook.bench import programs
from benchbook.bench.measured import interleaved, timed
from benchbook.errors import BenchbookError


def contestants(log: list[str]) -> dict[str, Callable[[], float]]:
    def of(name: str) -> Callable[[], float]:
        def run() -> float:
            log.append(name)
            return float(len(log))

        return run

    return {name: of(name) for name in "abc"}


def test_every_round_runs_each_contestant_once_in_an_order_of_its_own() -> None:
    log: list[str] = []
    found = interleaved(contestants(log), 8, seed=1, say=lambda line: None, warm_ups=1)
    rounds = ["".join(log[start : start + 3]) for start in range(0, len(log), 3)]
    assert len(rounds) == 9
    assert {"".join(sorted(each)) for each in rounds} == {"abc"}
    assert len(set(rounds)) > 1, "the order is drawn anew"
    for name in "abc":
        places = [place + 1 for place, each in enumerate(log) if each == name]
        assert found[name] == [float(place) for place in places[1:]], "the first round only warms"


def test_the_same_seed_gives_the_same_order() -> None:
    first: list[str] = []
    second: list[str] = []
    for log in (first, second):
        interleaved(contestants(log), 5, seed=7, say=lambda line: None)
    assert first == second


def test_it_says_how_far_it_is() -> None:
    said: list[str] = []
    interleaved(contestants([]), 2, seed=1, say=said.append, warm_ups=1)
    assert said == ["warming up, 1 to go", "round 1 of 2", "round 2 of 2"]


def test_a_timed_call_takes_time() -> None:
    calls: list[int] = []
    assert timed(lambda: calls.append(1))() > 0
    assert calls == [1]


def test_a_command_that_fails_is_told_in_its_last_words(tmp_path: Path) -> None:
    failing = [sys.executable, "-c", "import sys; print('first'); sys.exit('no disk left')"]
    with pytest.raises(BenchbookError, match="no disk left"):
        programs.seconds(failing, tmp_path, {}, timeout_s=60)


def test_a_command_that_does_not_end_is_given_up_and_nothing_stays_behind(tmp_path: Path) -> None:
    script = "sleep 300 & echo $! >child; exec sleep 300"
    with pytest.raises(BenchbookError, match="did not end"):
        programs.seconds(["sh", "-c", script], tmp_path, {}, timeout_s=1.0)
    child = int((tmp_path / "child").read_text())
    assert eventually(lambda: gone(child))


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
