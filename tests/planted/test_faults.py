"""The list of planted faults fits the code: what each replaces is there, and so are the tests that must notice."""

from typing import Any

import plant
import pytest

FAULTS = plant.read()


def test_there_are_forty() -> None:
    assert len(FAULTS) >= 40
    assert len({fault["fault"] for fault in FAULTS}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["fault"])
def test_each_can_be_planted(fault: dict[str, Any]) -> None:
    text = (plant.ROOT / fault["file"]).read_text("utf-8")
    assert fault["old"] in text, "correct faults.yaml"
    assert fault["old"] != fault["new"]
    for path in fault["tests"].split():
        assert (plant.ROOT / path).exists(), path
