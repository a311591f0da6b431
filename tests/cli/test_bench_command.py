"""``bench`` on the command line."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from benchbook.bench.record import read


@pytest.mark.parametrize(
    ("part", "peer"), [("analysis", "pandas: Series.describe"), ("catalogue", "a plain loop over")]
)
def test_a_small_part_is_measured_and_stored(home: Path, benchbook: Any, tmp_path: Path, part: str, peer: str) -> None:
    out = tmp_path / "tried.json"
    result = benchbook("bench", "--small", "--only", part, "--out", str(out), code=0)
    assert f"{part}: round 2 of 2" in result.stderr
    assert peer in result.stdout
    found = read(out)
    assert found is not None
    assert [each.name for each in found.parts] == [part]
    assert found.parts[0].settings["small"] is True
    assert os.environ["BENCHBOOK_HOME"] == str(home)
    assert not (home / "runs").exists(), "the project is left alone"
    for name in ("/home/", "/tmp/", "/var/", str(home)):
        assert name not in json.dumps(found.model_dump(mode="json"))
