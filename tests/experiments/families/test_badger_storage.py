"""Badger's stores on a capped volume: certified, bounded, and the machine as before, also after a kill."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import busy
import pytest
from tiny_runs import needing

from benchbook import lab
from benchbook.chapters import cache_sizing, label_order
from benchbook.engines import badger
from benchbook.engines.storage import devices, refusals
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.certificates import Certificate
from benchbook.errors import MachineError
from benchbook.measuring.badger import storage

chapter = lab.experiment("cache_sizing")
ordering = lab.experiment("label_order")

pytestmark = [*needing(badger.versions), pytest.mark.machine]

TINY: dict[str, Any] = {
    "blocks": 2, "events": 500, "lookup_rows": 200_000, "lookup_memory_mib": 64, "lookup_warm_s": 0.2, "lookup_s": 0.5,
}  # fmt: skip
ORDER: dict[str, Any] = {
    "blocks": 2, "events": 500, "bursts": 5, "burst_spread_ms": 1, "burst_quiet_ms": 1, "mem_table_mib": 2,
    "base_table_mib": 2, "rest_s": 0, "pause_s": 0, "storage_iops": 1_000,
}  # fmt: skip
KEPT = Certificate(32, 100, 200, 3000, 125e6, 100, 200, 3000, 125e6)


@pytest.fixture
def scratch(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A scratch disk of our own, on which nothing may be left; other volumes may come and go meanwhile."""
    why = refusals.refusal(allowed=True)
    if why is not None:
        pytest.skip(str(why))
    monkeypatch.setenv("BENCHBOOK_SCRATCH", str(tmp_path))
    yield tmp_path
    assert not [device.number for device, file in devices.attached() if file.is_relative_to(tmp_path)]
    assert not list(tmp_path.glob("benchbook-*"))
    assert devices.mounted_below(tmp_path) == []


def test_look_ups_on_a_capped_disk_are_bounded_certified_and_wait(scratch: Path) -> None:
    p = cache_sizing.Parameters.given(TINY)
    planned = next(each for each in chapter.plan(p).trials if each.configuration.name == "slow_stated")
    with busy.allowed(), cache_sizing.session(p, lambda *_: None) as found:
        trial = found.measure(planned)
        assert found.provenance()["storage"] == "a volume of their own"
        assert found.stores.volume is not None
        ahead = devices.SYSTEM / found.stores.volume.device.name / "queue/read_ahead_kb"
        assert int(ahead.read_text()) == storage.READ_AHEAD_KIB
    metrics = {name: value for name, value in trial.metrics.items() if value is not None}
    assert metrics["storage_read_iops"] < 3_000 * busy.AT_MOST
    assert metrics["storage_read_bytes_per_s"] < 125e6 * busy.AT_MOST
    assert metrics["memory_peak_bytes"] <= 1.01 * 64 * 2**20
    assert metrics["lookup_waits"] > 0
    assert metrics["lookup_read_bytes"] > 0
    assert trial.labels["storage"] == str(p.cap)


def test_labels_keep_their_stores_until_the_block_ends_and_begin_it_without_any(scratch: Path) -> None:
    p = label_order.Parameters.given(ORDER)
    with busy.allowed(), label_order.session(p, lambda *_: None) as found:
        for planned in ordering.plan(p).trials[: len(label_order.LABELS) + 1]:
            trial = found.measure(planned)
            assert trial.metrics["backlog_start_bytes"] is not None
            writes = trial.metrics["storage_write_iops"]
            assert writes is not None
            assert writes < 1_000 * busy.AT_MOST, "none at all within a short look happens on a busy disk"
            stores = sorted(each.name for each in found.stores.iterdir())
            assert stores == sorted(
                each.configuration.name
                for each in ordering.plan(p).trials[: planned.index + 1]
                if each.block == planned.block
            )


def test_a_short_look_that_is_off_is_taken_again_and_a_long_one_fails_the_trial(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    off = replace(KEPT, write_iops=4_000.0)
    given: list[Certificate] = []
    monkeypatch.setattr(storage.certificates, "certify", lambda made, *, duration_s: given.pop(0))
    cap = Cap.of(3_000, 125_000_000)
    made: Any = None
    given[:] = [off, KEPT]
    assert storage.certified(made, cap)["storage_write_iops"] == 3_000
    assert given == []
    given[:] = [off, off]
    with pytest.raises(MachineError, match="does not keep its cap"):
        storage.certified(made, cap)
