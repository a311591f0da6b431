"""The published performance measurement: whole, of enough repeats, small, and without places of the machine."""

from pathlib import Path

import pytest

from benchbook.bench.parts import PARTS
from benchbook.bench.record import FILE, read

REPEATS = 5
LARGEST_BYTES = 100_000


def test_the_published_measurement_is_one_to_rely_on_and_names_no_folder_of_the_machine(root: Path) -> None:
    found = read(root / FILE)
    if found is None:
        pytest.skip("nothing is published yet")
    text = (root / FILE).read_text("utf-8")
    assert len(text.encode()) <= LARGEST_BYTES
    for name in ("/home/", "/root", "/tmp/", "/var/", str(root)):
        assert name not in text
    assert found.parts
    assert [part.name for part in found.parts] == [name for name in PARTS if name in {p.name for p in found.parts}]
    for part in found.parts:
        assert not part.settings.get("small"), f"{part.name} was only tried"
        assert part.commit, part.name
        assert all(len(timing.seconds) >= REPEATS for timing in part.timings), part.name
