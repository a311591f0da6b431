"""``bench`` on the command line."""

import json
from pathlib import Path
from typing import Any

from benchbook.bench.record import read


def test_numbers_of_little_work_are_not_published(home: Path, benchbook: Any) -> None:
    result = benchbook("bench", "--small")
    assert result.exit_code == 2
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
