"""Arms, falls and words of dirty_dose, on planted trials."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import lab
from benchbook.chapters.dirty_dose import arms, watched
from benchbook.chapters.dirty_dose.arms import LIMITS, Parameters, configurations
from benchbook.chapters.dirty_dose.measure import reduce
from benchbook.engines.pgbench.kernel_waits import Seen
from benchbook.measuring.pgbench.spent import course
from benchbook.model import Run
from benchbook.parameters.profiles import profile

chapter = lab.experiment("dirty_dose")

pytestmark = pytest.mark.usefixtures("still_machine")
SECONDS = 25
MIB = 2**20
FALLS = {"90": 4.0, "225": 7.5, "450": 12.5}


def ends(fell: float | None, tps: int = 4_000) -> np.ndarray:
    """When transactions end, of a trial that falls to a seventh of its throughput, or does not."""
    if fell is None:
        return np.linspace(0, SECONDS, tps * SECONDS, endpoint=False)
    before = np.linspace(0, fell, int(tps * fell), endpoint=False)
    return np.concatenate([before, np.linspace(fell, SECONDS, int(tps / 7 * (SECONDS - fell)), endpoint=False)])


def seen(slows_mib: float, fell: float | None) -> Seen:
    """Dirty data that grow to the point that slows writers and stay there; backends wait for a file's lock after it."""
    at = np.arange(0, SECONDS, 0.1)
    grown = slows_mib * MIB * np.minimum(1.0, at / fell) if fell else np.full(at.size, 10.0 * MIB)
    queued = np.where(at > fell, 15.0, 0.0) if fell else np.zeros(at.size)
    within = {watched.FILE_LOCK: queued, watched.THROTTLED: np.minimum(queued, 1.0)}
    return Seen(at, grown, np.full(at.size, 20.0), within)


def planted(given: dict[str, Any] | None = None, same: bool = False) -> Run:
    parameters = Parameters.given({"blocks": 6} | (given or {}))
    generator = np.random.default_rng(2)
    rows, samples = [], []
    for trial in chapter.plan(parameters).trials:
        settings = trial.configuration.settings
        limit = str(settings["dirty_mib"])
        falls = settings["capped"] and float(settings["pool_over_data"] or 0) < 1
        fell = FALLS.get("90" if same else limit) if falls else None
        slows = sum(LIMITS[limit]) / 2
        kept = np.full(50, 5_000_000, dtype=np.int64)
        done = ends(fell)
        rows.append(
            {
                "trial": trial.index, "block": trial.block, "configuration": trial.configuration.name,
                "seed": trial.seed, "session": 0, "started_at": "2026-11-27T10:00:00+00:00", "duration_s": 30.0,
                "state": "measured", "memory": "not bounded: no limit was asked for",
                "tps": done.size / SECONDS * generator.lognormal(0, 0.01), "latency_mean_ns": 5e6,
                "latency_p99_ns": 2e7, "evictions": 5e4, "handed_bytes": 4e8, "storage_write_iops": 1_000.0,
                **course(done, SECONDS), **watched.metrics(seen(slows, fell), done, SECONDS, slows * MIB),
                **reduce(kept),
            }
        )  # fmt: skip
        samples.append(pd.DataFrame({"trial": trial.index, "series": "transaction", "latency_ns": kept}))
    return Run(
        "0123456789ab-20261127T100000", "dirty_dose", 1, parameters.model_dump(mode="json"), "standard",
        parameters.seed, parameters.blocks, {"data_bytes": 787_000_000, "engine_version": "18.6"}, pd.DataFrame(rows),
        pd.concat(samples), pd.DataFrame(),
    )  # fmt: skip


def test_a_fall_is_placed_to_half_a_second_and_a_steady_trial_has_none() -> None:
    for fell in FALLS.values():
        assert watched.fall_s(ends(fell), SECONDS) == fell
    assert watched.fall_s(ends(None), SECONDS) is None
    assert watched.fall_s(np.zeros(0), SECONDS) is None


def test_a_dip_of_less_than_a_second_is_no_fall() -> None:
    dip = np.concatenate([ends(None)[: 4_000 * 10], np.linspace(10.7, SECONDS, 4_000 * 14, endpoint=False)])
    assert watched.fall_s(dip, SECONDS) is None


def test_what_waits_at_the_fall_is_told_over_the_point_that_slows_writers() -> None:
    found = watched.metrics(seen(168.5, 7.5), ends(7.5), SECONDS, 168.5 * MIB)
    assert found["waiting_at_fall_over_slowing"] == pytest.approx(1.0, abs=0.02)
    assert found["reached_s"] == pytest.approx(0.95 * 7.5, abs=0.11)
    assert found["file_lock_share"] == pytest.approx(0.75, abs=0.02)
    assert found["throttled_share"] == pytest.approx(0.05, abs=0.01)
    assert (found["tps_after"] or 0) / (found["tps_before"] or 1) == pytest.approx(1 / 7, rel=0.01)


def test_without_a_limit_nothing_is_reached_and_without_a_fall_nothing_is_before_it() -> None:
    found = watched.metrics(seen(100, None), ends(None), SECONDS, None)
    assert found["reached"] is found["reached_s"] is found["tps_before"] is None
    assert found["fell"] == 0
    assert found["file_lock_share"] == 0


def test_a_kernel_that_says_nothing_leaves_what_it_would_say_missing() -> None:
    blind = Seen(np.arange(0, SECONDS, 0.1), np.full(250, np.nan), np.zeros(250), {})
    found = watched.metrics(blind, ends(4.0), SECONDS, 1e8)
    assert found["waiting_peak_bytes"] is found["file_lock_share"] is None
    assert found["waiting_001_mib"] is None
    assert found["fell_s"] == 4.0


def test_the_page_says_that_the_limit_makes_the_fall_where_it_does_and_not_where_it_does_not() -> None:
    summary = chapter.summarize(planted())
    assert chapter.opening(summary).title.startswith(
        "The kernel’s limit of dirty data makes the fall: with five times the limit it comes 3.1"
    )
    for name in ("design", "limits", "queue", "conditions", "noise"):
        assert chapter.say(summary, name).text.strip(), name
    assert len(chapter.figures(summary)["courses"].data) == 4 * 2 * 30
    assert "makes the fall" not in chapter.opening(chapter.summarize(planted(same=True))).title


def test_arms_of_a_dose_differ_in_their_limits_alone() -> None:
    every = {arm.name: arm.settings for arm in configurations(Parameters())}
    first = every[arms.DOSE[0]]
    for name in arms.DOSE[1:]:
        assert {key for key in first if first[key] != every[name][key]} == {"dirty_mib", "dirty_background_mib"}
    assert every[arms.AGAIN] == every[f"{arms.PLAIN}_{arms.MIDDLE}"]
    assert all(limit > background for limit, background in LIMITS.values())


def test_without_root_the_controls_are_left() -> None:
    quick = Parameters.given(profile("dirty_dose", "quick"))
    assert [arm.name for arm in configurations(quick)] == ["not_capped_again", "not_capped"]
    summary = chapter.summarize(planted({"allow_slow_storage": False, "allow_vm_settings": False}))
    assert "did not vary" in chapter.figures(summary)["courses"].caption
