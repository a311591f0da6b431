"""Whether a kernel that drops idle pages of the page cache is recognised, by files like its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchbook import provenance
from benchbook.provenance.page_cache import dropped_after_s


def daemon(
    admin: Path, *, state: str = "on", action: str = "pageout", age: str = "12", step_us: str = "5000000"
) -> None:
    scheme = admin / "0/contexts/0/schemes/0"
    for path, text in (
        (admin / "0/state", state),
        (admin / "0/contexts/0/monitoring_attrs/intervals/aggr_us", step_us),
        (scheme / "action", action),
        (scheme / "access_pattern/age/min", age),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    (admin / "nr_kdamonds").write_text("1\n")


def test_a_daemon_that_pages_out_what_was_idle_for_a_minute(tmp_path: Path) -> None:
    daemon(tmp_path)
    assert dropped_after_s(tmp_path) == 60.0


@pytest.mark.parametrize("changed", [{"state": "off"}, {"action": "stat"}, {"age": ""}, {"step_us": "?"}])
def test_one_that_is_off_does_something_else_or_says_nothing(tmp_path: Path, changed: dict[str, str]) -> None:
    daemon(tmp_path, **changed)
    assert dropped_after_s(tmp_path) is None


def test_a_kernel_without_one(tmp_path: Path) -> None:
    assert dropped_after_s(tmp_path / "nothing") is None
    assert "idle_page_cache_dropped_after_s" in provenance.host(tmp_path)
