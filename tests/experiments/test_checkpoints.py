"""Arms, numbers and words of checkpoints, on planted trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import visits

from benchbook import lab
from benchbook.chapters.checkpoints import arms
from benchbook.chapters.checkpoints.arms import Parameters, configurations
from benchbook.chapters.checkpoints.measure import reduce
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench.spent import PARTS
from benchbook.model import Outcome, Run, Verdict
from benchbook.parameters.profiles import profile

chapter = lab.experiment("checkpoints")

pytestmark = pytest.mark.usefixtures("still_machine")
TIMED = {arms.OFTEN: 2.0, arms.MINUTE: 1.0, arms.NO_IMAGES: 2.0, arms.SMALL_LOG: 12.0, arms.OFTEN_FREE: 2.0}
SLOWER = {arms.OFTEN: 0.75, arms.MINUTE: 0.85, arms.NO_IMAGES: 0.97, arms.SMALL_LOG: 0.5, arms.OFTEN_FREE: 0.9}


def planted(seed: int = 4, given: dict[str, Any] | None = None, **metrics: Any) -> Run:
    """A run in which checkpoints cost throughput, as many a trial as TIMED says."""
    parameters = Parameters.given({"blocks": 6} | (given or {}))
    generator = np.random.default_rng(seed)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        tps = 3_000 * metrics.get("factors", SLOWER).get(name, 1.0) * generator.lognormal(0, 0.01)
        kept = np.full(50, 4_000_000, dtype=np.int64)
        begun = metrics.get("checkpoints", TIMED).get(name, 0.0)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": name, "seed": trial.seed, "session": 0,
                "started_at": "2026-11-27T10:00:00+00:00", "duration_s": 100.0, "state": "measured",
                "memory": "bounded to 0.88 GiB (control group v1)", "tps": tps, "transactions": tps * 60,
                "server_transactions": tps * 60, "latency_mean_ns": 4e6, "latency_p99_ns": 2e7,
                "checkpoints": begun, "full_images_per_transaction": 0.1 + 0.2 * begun,
                "wal_bytes_per_transaction": 900 + 1_500 * begun, "disk_writes_per_transaction": 0.05 + 0.2 * begun,
                "owed_pages": 33_000.0 - 900 * begun, "ready_s": 30.0 - 2 * begun, "redo_s": 3.0 - 0.2 * begun,
                "recovery_checkpoint_s": 20.0, "recovery_pages": 33_000.0,
                "lost_transactions": metrics.get("lost", 0.0), "storage_write_iops": 1_000.0,
                **{f"part_{part + 1:03}_tps": tps for part in range(PARTS)}, **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261127T100000", "checkpoints", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, {"data_bytes": 315_000_000, "engine_version": "18.6"}, pd.DataFrame(rows),
        pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def judged(run: Run) -> dict[str, Verdict]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(chapter.summarize(run))}


def test_what_costs_throughput_makes_putting_it_off_harmless_and_the_reverse_contradicts() -> None:
    found = judged(visits(planted(), planted(seed=5)))
    assert found["R067"].outcome is found["R068"].outcome is Outcome.REPRODUCED
    turned = {arms.OFTEN: 1.3, arms.SMALL_LOG: 1.3}
    against = judged(visits(planted(factors=turned), planted(seed=5, factors=turned)))
    assert against["R067"].outcome is against["R068"].outcome is Outcome.CONTRADICTED


def test_without_a_checkpoint_nothing_was_compared() -> None:
    found = judged(planted(checkpoints={}))
    for claim in ("R067", "R068"):
        assert found[claim].outcome is Outcome.DESIGN
        assert "had no checkpoint" in found[claim].reason


def test_checkpoints_where_none_was_meant_to_be_leave_the_claims_open() -> None:
    found = judged(planted(checkpoints=TIMED | {arms.HOUR: 1.0}))
    assert "had a checkpoint" in found["R068"].reason


def test_a_recovery_that_lost_transactions_voids_the_verdict() -> None:
    found = judged(planted(lost=3.0))
    assert found["R068"].outcome is Outcome.CHECK
    assert "3 transactions more or fewer" in found["R068"].reason


def test_more_or_fewer_transactions_per_page_than_named_leave_the_claim_open() -> None:
    found = judged(planted(checkpoints=TIMED | {arms.OFTEN: 20.0}))
    assert "transactions per page between two checkpoints where the claim names 1 to 4" in found["R068"].reason
    assert "per page" not in found["R067"].reason


def test_arms_differ_in_what_they_name_alone() -> None:
    every = {arm.name: arm.settings for arm in configurations(Parameters())}
    for name, setting in ((arms.OFTEN, "checkpoint_timeout_s"), (arms.SMALL_LOG, "max_wal_size_mb")):
        assert {key for key in every[name] if every[name][key] != every[arms.HOUR][key]} == {setting}
    assert every[arms.AGAIN] == every[arms.HOUR]
    assert {k for k in every[arms.NO_IMAGES] if every[arms.NO_IMAGES][k] != every[arms.OFTEN][k]} == {
        "full_page_writes"
    }


def test_without_capped_storage_the_rest_is_measured_with_its_own_pair() -> None:
    free = Parameters.given(profile("checkpoints", "quick"))
    names = [arm.name for arm in configurations(free)]
    assert names == [arms.HOUR_FREE, arms.FREE_AGAIN, arms.OFTEN_FREE]
    with pytest.raises(BenchbookError, match="would have no delay"):
        Parameters.given({"storage_latency_ms": 1.0})


def test_the_page_tells_the_gain_with_its_price() -> None:
    summary = chapter.summarize(visits(planted(), planted(seed=5)))
    lesson = chapter.lesson(summary)
    assert "give 1.3 times the throughput" in lesson.title or "1.33" in lesson.title
    assert "after a kill" in {each.claim_id: each.seen for each in lesson.findings}["R068"]
    for name in ("design", "why", "noise", "owed"):
        assert chapter.say(summary, name).text.strip(), name
    assert "none lost a transaction" in chapter.say(summary, "design").text
