"""Which tests share a worker: whatever starts an engine runs one after the other, and so does the browser."""

from __future__ import annotations

import pytest

GROUPS = {"engine": "engine", "faults": "engine", "browser": "browser"}


def pytest_itemcollected(item: pytest.Item) -> None:
    for marker, group in GROUPS.items():
        if item.get_closest_marker(marker):
            item.add_marker(pytest.mark.xdist_group(group))
            return
