"""Arms, numbers and words of memory_pressure, on planted trials."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import visits

from benchbook import lab
from benchbook.chapters.memory_pressure import arms, looks
from benchbook.chapters.memory_pressure.arms import (
    CLAIMED,
    POOLS,
    PRESSING,
    QUARTER,
    Parameters,
    configurations,
    name_of,
)
from benchbook.chapters.memory_pressure.measure import reduce
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Outcome, Run, Verdict
from benchbook.parameters.profiles import profile

chapter = lab.experiment("memory_pressure")

pytestmark = pytest.mark.usefixtures("still_machine")
SLOWER = {12.5: 0.93, 25.0: 1.0, 37.5: 0.9, 50.0: 0.8, 62.5: 0.97}
"""Throughput over that of a quarter where the data just fit: a valley between."""
RECORD = {"data_bytes": 630_000_000, "engine_version": "18.6", "storage_iops": 1_500}
READS = {12.5: 0.05, 25.0: 0.1, 37.5: 0.3, 50.0: 0.5, 62.5: 0.02}


def planted(
    seed: int = 4,
    *,
    gains: Mapping[float, float] = SLOWER,
    reads: Mapping[float, float] = READS,
    levels: Mapping[str, Mapping[str, float]] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Run:
    """A run in which the middle pools read most, and are slowest. levels: metrics of single configurations."""
    parameters = Parameters.given({"blocks": 6} | dict(given or {}))
    generator = np.random.default_rng(seed)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        own = trial.configuration.settings
        pool = round(100 * float(own["pool_over_ram"] or 0), 1)
        tps = 4_000 * gains[pool] * generator.lognormal(0, 0.01)
        kept = np.full(50, 4_000_000, dtype=np.int64)
        pressed = own["data_over_ram"] != CLAIMED
        row = {
            "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name, "seed": trial.seed,
            "session": 0, "started_at": "2026-11-27T10:00:00+00:00", "duration_s": 60.0, "state": "measured",
            "memory": "bounded to 1.08 GiB (control group v1)", "tps": tps, "transactions": tps * 30,
            "server_transactions": tps * 30, "latency_mean_ns": 4e6, "latency_p99_ns": 2e7,
            "transactions_per_account_page": 1.5, "evictions": 60_000.0,
            "reads_per_transaction": 2 * (1 - pool / 100),
            "disk_reads_per_transaction": reads[pool] if pressed else 0.0,
            "disk_read_bytes_per_transaction": 8_192 * reads[pool], "bytes_per_read": 8_192.0,
            "refaults_per_transaction": 2 * reads[pool], "disk_writes_per_transaction": 0.4,
            "disk_written_bytes_per_transaction": 4_096.0, "own_bytes": 5e7, "least_available_share": 0.3,
            "pool_used_share": min(1.0, 1 / float(own["pool_over_data"] or 1)),
            "data_in_pool_end": 0.4, "data_in_os_cache_end": 0.6, "resident_share_end": 0.9,
            "held_twice_share_end": 0.1,
            "os_share_of_requests": 0.04, "device_share_of_requests": 0.01, "user_s_per_transaction": 2e-4,
            "system_s_per_transaction": 1e-4, "wait_read_share": 0.2, "storage_read_iops": 3_000.0,
            **{f"part_{part + 1:03}_tps": tps for part in range(PARTS)}, **reduce(kept),
        }  # fmt: skip
        rows.append(row | dict((levels or {}).get(trial.configuration.name, {})))
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261127T100000", "memory_pressure", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, RECORD, pd.DataFrame(rows),
        pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def test_a_quarter_is_best_where_no_other_pool_is_better_by_the_margin() -> None:
    valley = judged(visits(planted(), planted(seed=5)))
    assert valley["R046"].outcome is Outcome.REPRODUCED
    assert valley["R031"].outcome is Outcome.REPRODUCED, "the pool itself misses less, whatever that gives"
    alike = dict.fromkeys(POOLS, 1.0)
    assert judged(visits(planted(gains=alike), planted(seed=5, gains=alike)))["R046"].outcome is Outcome.NO_EFFECT
    large = SLOWER | {62.5: 1.8}
    better = judged(visits(planted(gains=large), planted(seed=5, gains=large)))
    assert better["R046"].outcome is Outcome.CONTRADICTED
    assert better["R046"].estimate is not None
    assert better["R046"].estimate.point == pytest.approx(1.8, rel=0.02)


def test_where_no_pool_reads_from_the_device_nothing_pressed() -> None:
    found = judged(planted(reads=dict.fromkeys(POOLS, 0.0)))
    assert found["R046"].outcome is Outcome.DESIGN
    assert "read as few as 0 pages from the device" in found["R046"].reason
    assert found["R031"].outcome is not Outcome.DESIGN, "its pools evicted all the same"


def test_a_quarter_that_evicts_nothing_leaves_no_block_to_save() -> None:
    found = judged(planted(levels={QUARTER: {"evictions": 0.0}}))
    assert found["R031"].outcome is Outcome.DESIGN
    assert "evicted nothing in 6 of 6 trials" in found["R031"].reason


def test_a_volume_without_a_cap_and_short_trials_depart_from_the_claims() -> None:
    free = judged(planted(given={"allow_slow_storage": False}))
    assert "where the claim names a cap" in free["R046"].reason
    faster = judged(planted(given={"storage_iops": 9_000}))
    assert "reads capped at 9,000 a second where the claim names half of a pilot's" in faster["R046"].reason
    short = {name_of(data, 25): {"transactions_per_account_page": 0.1} for data in (CLAIMED, PRESSING)}
    assert "0.10 transactions per page of the accounts" in judged(planted(levels=short))["R031"].reason


def test_memory_that_nothing_bounds_voids_a_verdict() -> None:
    run = planted()
    run.trials["memory"] = "not bounded: no control group may be made here"
    assert "memory was not bounded" in judged(run)["R046"].reason


def test_memory_varies_and_pools_are_shares_of_it() -> None:
    every = {arm.name: arm for arm in configurations(Parameters())}
    assert len(every) == 20
    assert every[arms.AGAIN].settings == every[QUARTER].settings
    for data, pools in arms.POOLS_BY_DATA.items():
        for pool in pools:
            own = every[name_of(data, pool)].settings
            assert own["pool_over_data"] == pytest.approx(pool / 100 / data)
            assert own["capped"]
    free = every[name_of(1.2, 62.5, "_not_capped")]
    same = every[name_of(1.2, 62.5)]
    assert {key for key in free.settings if free.settings[key] != same.settings[key]} == {"capped"}


def test_without_slow_storage_nothing_is_capped_or_measured_twice() -> None:
    quick = Parameters.given(profile("memory_pressure", "quick"))
    assert [arm.settings["capped"] for arm in configurations(quick)] == [False] * 3
    names = [arm.name for arm in configurations(Parameters.given({"allow_slow_storage": False}))]
    assert not any("not_capped" in name for name in names)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parts": ["map"]}, "must name pair"),
        ({"storage_latency_ms": 1.0}, "does not reach"),
        ({"scale": 1, "clients": 2}, "in which no server starts"),
    ],
)
def test_what_cannot_be_measured_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(given)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("workingset_refault_file 3\ntotal_workingset_refault_file 5\n", 5.0),
        ("workingset_refault_anon 1\nworkingset_refault_file 7\n", 7.0),
        ("cache 4\n", None),
    ],
)
def test_refaults_are_read_of_both_versions_of_control_groups(tmp_path: Path, text: str, found: float | None) -> None:
    (tmp_path / "memory.stat").write_text(text)
    assert looks.of_stat(tmp_path / "memory.stat") == found
    assert looks.of_stat(tmp_path / "none") is None


def test_the_page_tells_what_the_pools_did() -> None:
    summary = chapter.summarize(visits(planted(), planted(seed=5)))
    for name in ("design", "where_pages_lie", "larger", "cause", "noise"):
        assert chapter.say(summary, name).text.strip(), name
    assert "0.9 times the memory" in chapter.say(summary, "where_pages_lie").text
    for figure in chapter.figures(summary).values():
        assert len(figure.data), figure.id
    alt = chapter.figures(summary)["map"].alt
    assert "reads 0.05 at 12.5 %" in alt
