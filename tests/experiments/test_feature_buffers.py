"""A larger pool for feature look-ups, without a server: what is refused, which keys are asked for, what decides."""

from typing import Any

import numpy as np
import pytest
from chapters import planted_numbers
from hypothesis import given, settings
from hypothesis import strategies as st

from benchbook.chapters import feature_buffers as chapter
from benchbook.chapters.feature_buffers import Parameters, asked, configurations
from benchbook.measuring import features

SMALL = Parameters.given(
    {
        "rows_per_table": 20_000, "hot_set_keys": 500, "measured_requests": 1_000, "fill_requests": 2_000,
        "ram_percent": 900,
    }
)  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_measured_keys_outside_the_hot_set_were_never_asked_for(seed: int) -> None:
    for arm in configurations(SMALL):
        keys = asked(SMALL, arm, seed)
        before, measured = {*keys.fill.tolist(), *keys.warm.tolist()}, keys.measured.tolist()
        if arm.settings["draw"] == "disjoint":
            assert len({*measured}) == len(measured)
            assert not before & {*measured}
            continue
        assert len({*measured} - before) >= SMALL.measured_requests // 5
        assert np.isin(keys.measured, list(before)).mean() == pytest.approx(0.8, abs=0.05)


def test_trials_of_a_block_measure_the_same_keys_and_those_after_a_start_fill_nothing() -> None:
    arms = {arm.name: arm for arm in configurations(SMALL)}
    found = [asked(SMALL, arms[f"disjoint_{each}"], 5).measured for each in (23, 46, 92)]
    assert all((each == found[0]).all() for each in found)
    start = asked(SMALL, arms["unfilled_46"], 5)
    assert len(start.fill) == 0
    assert len(start.warm) == SMALL.warmup_requests


def test_the_base_and_what_decides_follow_the_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is not said is 1 in every trial."""
    values: dict[Any, Any] = {("disjoint_23", "heap_hit_ratio"): 0.4, "memory": "bounded to 98 bytes"}
    made = planted_numbers.even(monkeypatch, "feature_buffers", values)
    made.run.provenance.update({"heap_bytes": 60, "index_bytes": 40, "ram_bytes": 98})
    assert made.base == 23
    assert [why(made) for why in (chapter.far, chapter.free, chapter.past, chapter.fits, chapter.not_full)] == [""] * 5
    assert "base pool of 0 MiB holds all" not in chapter.large(made)
    assert "did the same work" in features.same_reads(chapter.one, chapter.two)(made)

    values |= {("disjoint_23", "heap_hit_ratio"): 0.2, ("disjoint_46", "heap_hit_ratio"): 0.25}
    values |= {("disjoint_46", "pool_bytes"): 2.0, ("mix_46", "pool_bytes"): 8192.0, "memory": "", "index_scans": 10}
    values |= {"killed_processes": 0, ("mix_46", "killed_processes"): 1, "requests": 1, "loop_share_in_requests": 1}
    other = planted_numbers.even(monkeypatch, "feature_buffers", values)
    other.run.provenance.update({"heap_bytes": 60, "index_bytes": 40, "ram_bytes": 200, "direct_io": True})
    assert other.base == 46
    assert "ratio is 0.25, too far from the note's 0.44" in chapter.far(other)
    assert chapter.free(other) == "memory was not bounded in 84 of 84 trials"
    assert "past the OS page cache" in chapter.past(other)
    assert "the data take 50% of the memory" in chapter.fits(other)
    assert "took 50% of the base pool" in chapter.not_full(other)
    assert "holds all 0 MiB that are needed" in chapter.large(other)
    gates = [*chapter.checks(other, other.chapter.answers.by_claim()["L070"])]
    assert "the kernel ended processes in 6 trials" in str(gates)
