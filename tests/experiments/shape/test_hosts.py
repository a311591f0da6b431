"""Numbers by kind of host: a row for each where they lie apart, none where one session is unlike the others."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchbook import statistics
from benchbook.experiments.shape import hosts
from benchbook.model import Estimate, Part, Run

RNG = np.random.default_rng(20261126)
INTEL, AMD = "Intel", "AMD"


def measured(levels: dict[str, list[float]], blocks: int = 4, spread: float = 0.02, **told: float) -> Any:
    """A run of which each kind of host has sessions with these mean log ratios, and its log ratios by block."""
    parts, logs, labels = [], [], []
    for kind, sessions in levels.items():
        for level in sessions:
            provenance = {"processor": kind, "system": f"Linux build-{len(parts)}", "cores": 2, **told}
            parts.append(Part(f"r{len(parts)}", blocks, provenance))
            logs += (level + spread * RNG.standard_normal(blocks)).tolist()
            labels += [len(labels) // blocks] * blocks
    nothing = pd.DataFrame()
    run = Run("r", "x", 1, {}, "custom", 1, len(logs), {}, nothing, nothing, nothing, pool=tuple(parts))
    return SimpleNamespace(run=run, sessions=np.asarray(labels), logs=np.asarray(logs), blocks=blocks)


def found(summary: Any) -> tuple[Any, ...]:
    def compute(left_out: frozenset[int]) -> tuple[Estimate, Estimate]:
        own = [block for block in range(summary.run.blocks) if block not in left_out]
        values = np.exp(summary.logs[own])
        wide, narrow = (statistics.ratio(values, np.ones(len(own)), confidence=each) for each in (0.95, 0.90))
        return wide, narrow

    def points() -> dict[int, float]:
        return {place: float(each.mean()) for place, each in enumerate(np.split(summary.logs, len(summary.run.parts)))}

    return hosts.apart(summary, compute, points)


def test_two_kinds_with_two_clean_answers_have_a_row_each_with_what_is_known_of_them() -> None:
    rows = found(measured({INTEL: [-0.04, -0.03], AMD: [0.80, 0.81]}, system_call_ns=300.0))
    assert [row.name for row in rows] == [INTEL, AMD]
    assert [(row.blocks, row.sessions) for row in rows] == [(8, 2), (8, 2)]
    assert rows[0].told == "kernel build-0, build-1, a system call costs 300 ns"
    wide, narrow = rows[1].estimates
    assert wide.low < narrow.low < 2.24 < narrow.high < wide.high


def test_one_kind_or_equal_kinds_have_no_rows() -> None:
    assert found(measured({INTEL: [0.1, 0.5, 0.9]})) == ()
    assert found(measured({INTEL: [0.0, 0.0], AMD: [0.0, 0.0]}, spread=0.2)) == ()


def test_sessions_that_differ_by_themselves_are_not_taken_for_hosts() -> None:
    """Their blocks agree so well that intervals over them lie apart; sessions of one kind differ as much."""
    assert found(measured({INTEL: [-0.2, 0.3], AMD: [0.5, 0.1]}, spread=0.01)) == ()
    assert found(measured({INTEL: [0.0], AMD: [0.5]}, spread=0.01)) == (), "one session each tells nothing"


@pytest.mark.parametrize("sessions", [2, 4])
def test_equal_hosts_are_seldom_told_apart_although_sessions_differ(sessions: int) -> None:
    runs = 200
    told = 0
    for _ in range(runs):
        drawn = 0.1 * RNG.standard_normal((2, sessions))
        told += bool(found(measured({INTEL: drawn[0].tolist(), AMD: drawn[1].tolist()})))
    assert told / runs <= 0.08, "the F test lets 5 % through"


def test_a_kind_with_a_single_block_is_left_out() -> None:
    summary = measured({INTEL: [0.0, 0.0], AMD: [0.8]})
    short = replace(summary.run.pool[-1], blocks=1)
    keep = summary.run.blocks - 3
    summary.run = replace(summary.run, blocks=keep, pool=(*summary.run.pool[:-1], short))
    summary.sessions, summary.logs = summary.sessions[:keep], summary.logs[:keep]
    assert found(summary) == ()
