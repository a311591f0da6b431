"""Arms, causes and refusals of memory_pressure, and what it reads of a control group."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters import memory_pressure as chapter
from benchbook.chapters.memory_pressure import Parameters, configurations
from benchbook.parameters.profiles import profile

ARMS = {arm.name: arm for arm in configurations(Parameters())}


def summary(values: Mapping[str, float], **given: Any) -> Any:
    """A run of two blocks whose trials have these metrics."""
    return SimpleNamespace(
        parameters=Parameters.given(given),
        values=lambda arm, metric: np.full(2, values[metric]),
        mean=lambda arm, metric: values[metric],
        having=lambda arms, metric: arms,
    )


def test_without_slow_storage_nothing_is_capped_or_measured_twice() -> None:
    quick = Parameters.given(profile("memory_pressure", "quick"))
    assert [arm.settings["capped"] for arm in configurations(quick)] == [False] * 3
    names = [arm.name for arm in configurations(Parameters.given({"allow_slow_storage": False}))]
    assert not any("not_capped" in name for name in names)


def test_causes_and_departures_are_told_where_they_are_missing() -> None:
    assert "evicted nothing in 2 of 2 trials" in chapter.evicts(summary({"evictions": 0.0}))
    assert chapter.evicts(summary({"evictions": 1.0})) == ""
    assert "read as few as 0 pages" in chapter.presses(summary({"disk_reads_per_transaction": 0.0}))
    assert chapter.presses(summary({"disk_reads_per_transaction": 0.1})) == ""
    enough = {"transactions_per_account_page": 1.5}
    assert chapter.departs(summary(enough)) == ""
    assert "where the claim names a cap" in chapter.departs(summary(enough, allow_slow_storage=False))
    assert "reads capped at 9,000 a second" in chapter.departs(summary(enough, storage_iops=9_000))
    assert "0.10 transactions per page" in chapter.departs(summary({"transactions_per_account_page": 0.1}))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("workingset_refault_file 3\ntotal_workingset_refault_file 5\n", 5.0),
        ("workingset_refault_anon 1\nworkingset_refault_file 7\n", 7.0),
        ("cache 4\n", np.nan),
    ],
)
def test_refaults_are_read_of_both_versions_of_control_groups(tmp_path: Path, text: str, found: float) -> None:
    (tmp_path / "memory.stat").write_text(text)
    assert chapter.refaults(tmp_path / "memory.stat") == pytest.approx(found, nan_ok=True)
    assert np.isnan(chapter.refaults(tmp_path / "none"))
    assert np.isnan(chapter.refaults(None))
