"""What chapters share whose data may lie on slow storage."""

from __future__ import annotations

import os

import pytest

from benchbook.errors import MachineError
from benchbook.measuring.storage import check


def test_without_root_it_says_how_to_do_without_slow_storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(MachineError, match=r"needs root.*allow_slow_storage=false"):
        check(allowed=True)
    check(allowed=False)
