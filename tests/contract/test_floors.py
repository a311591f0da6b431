"""The picture of the package is that of its contract of imports."""

from __future__ import annotations

import floors


def test_the_picture_of_the_floors_is_of_today() -> None:
    text = floors.PAGE.read_text()
    assert floors.BEGIN in text
    assert text == floors.written(text), "run `.venv/bin/python -m tests.floors`"
    assert len(floors.floors()) >= 10
