"""``run --all`` where the machine fails one experiment: the others are measured and shown, and it is said last."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchbook import lab
from benchbook.cli import report, request
from benchbook.errors import BenchbookError, FullDiskError, MachineError

NAMES = ("noise_floor", "lru", "cost")
Failing = Callable[[BenchbookError], None]


@pytest.fixture
def shown(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of a book of three chapters, those whose notebooks are executed; nothing is measured."""
    found: list[str] = []
    monkeypatch.setattr(lab, "names", lambda: NAMES)
    monkeypatch.setattr(request.Asked, "missing_engine", lambda asked: None)
    monkeypatch.setattr(request.Asked, "check", lambda asked: None)
    monkeypatch.setattr(report, "of_run", lambda asked: None)
    monkeypatch.setattr(report, "of_notebooks", lambda kept, **how: found.extend(each.name for each in kept))
    return found


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Let the first experiment end with an error, and the others be measured."""

    def let(error: BenchbookError) -> None:
        def obtain(asked: Any, *progress: object, **how: object) -> None:
            if asked.name == NAMES[0]:
                raise error

        monkeypatch.setattr(request.Asked, "obtain", obtain)

    return let


def test_what_a_busy_machine_cannot_measure_is_named_after_the_others_were(
    benchbook: Any, shown: list[str], failing: Failing
) -> None:
    failing(MachineError("a read was delayed too long", "measure on a less busy machine"))
    done = benchbook("run", "--all", "--profile", "quick")
    assert shown == ["lru", "cost"]
    assert done.exit_code == MachineError.code
    assert "noise_floor: not measured, a read was delayed too long; measure on a less busy machine" in done.stderr
    assert "1 of 2 experiments could not be measured here: noise_floor" in done.stderr.replace("\n", " ")


def test_what_a_busy_machine_could_not_measure_is_tried_once_more_at_the_end(
    benchbook: Any, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []

    def obtain(asked: Any, *progress: object, **how: object) -> None:
        tried.append(asked.name)
        if asked.name == NAMES[0] and len(tried) == 1:
            raise MachineError("a read was delayed too long", "measure on a less busy machine")

    monkeypatch.setattr(request.Asked, "obtain", obtain)
    done = benchbook("run", "--all", "--profile", "quick")
    assert tried == ["noise_floor", "lru", "noise_floor"]
    assert sorted(shown) == sorted(NAMES)
    assert done.exit_code == 0
    assert "once more, now that the others are done: noise_floor" in done.stderr


@pytest.mark.parametrize(
    "error", [FullDiskError("the disk is full", "free some"), BenchbookError("a wrong value was read", "report it")]
)
def test_a_full_disk_and_a_wrong_answer_end_all_of_it(
    benchbook: Any, shown: list[str], failing: Failing, error: BenchbookError
) -> None:
    failing(error)
    assert error.problem in benchbook("run", "--all", "--profile", "quick", code=error.code).stderr
    assert shown == []


def test_an_experiment_asked_for_by_name_fails_at_once(benchbook: Any, shown: list[str], failing: Failing) -> None:
    failing(MachineError("a read was delayed too long", "measure on a less busy machine"))
    assert "a read was delayed too long" in benchbook("run", NAMES[0], code=MachineError.code).stderr
    assert shown == []
