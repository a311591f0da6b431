"""``bench`` and ``drift`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchbook.bench.record import read


def test_numbers_of_little_work_are_not_published(home: Path, benchbook: Any) -> None:
    result = benchbook("bench", "--small")
    assert result.exit_code == 2
    assert not (home / "data" / "performance.json").exists()


def test_an_unknown_part_is_refused_before_anything_is_measured(home: Path, benchbook: Any) -> None:
    result = benchbook("bench", "--only", "analisys")
    assert result.exit_code == 1
    assert "there is no part 'analisys' (did you mean 'analysis'?)" in result.stderr
    assert not (home / "data" / "performance.json").exists()


def test_a_small_part_is_measured_told_and_stored(home: Path, benchbook: Any, tmp_path: Path) -> None:
    out = tmp_path / "tried.json"
    result = benchbook("bench", "--small", "--only", "analysis", "--out", str(out))
    assert result.exit_code == 0, result.stderr
    assert "analysis: round 2 of 2" in result.stderr
    assert "pandas: Series.describe" in result.stdout
    found = read(out)
    assert found is not None
    assert [part.name for part in found.parts] == ["analysis"]
    assert found.parts[0].settings["small"] is True
    for name in ("/home/", "/tmp/", "/var/", str(home)):
        assert name not in json.dumps(found.model_dump(mode="json"))


@pytest.mark.parametrize("arguments", [(), ("--profile", "standard")])
def test_without_runs_there_is_nothing_to_compare(home: Path, benchbook: Any, arguments: tuple[str, ...]) -> None:
    result = benchbook("drift", *arguments)
    assert result.exit_code == 5
    problem, mend = result.stderr.strip().splitlines()
    assert "no chapter has both" in problem
    assert f"--profile {arguments[-1] if arguments else 'quick'}" in mend


def test_a_profile_that_does_not_exist_is_refused(home: Path, benchbook: Any) -> None:
    assert "did you mean 'quick'?" in benchbook("drift", "--profile", "quik").stderr
