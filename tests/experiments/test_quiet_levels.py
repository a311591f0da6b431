"""The quiet level of single readings and of blocks' means: what a still machine's noisy canary must not be charged."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from benchbook.experiments import environment
from benchbook.statistics import session_movement
from benchbook.store import Entry

HOST = {"processor": "P", "cores": 2}
SESSIONS, BLOCKS, LOOKS = 4, 6, 20
NAME = ("P 2", environment.READING)


def records(monkeypatch: pytest.MonkeyPatch, folder: Path, logs: np.ndarray) -> None:
    """Published runs with these readings, logarithms of shape (runs, blocks, looks)."""
    entries = {}
    for run, blocks in enumerate(logs):
        looks = [
            {"block": block, "moment": "before", environment.READING: 50_000 * math.exp(value)}
            for block, values in enumerate(blocks)
            for value in values
        ]
        path = folder / str(run)
        entries[path] = Entry(path, True, {"experiment": "made_up", "canary": looks, "provenance": HOST})
    monkeypatch.setattr(environment, "_records", lambda *, local: ((path, True, 0) for path in entries))
    monkeypatch.setattr(environment, "read_entry", lambda path, *, published, known: entries[path])


def test_a_still_machines_noisy_canary_is_no_shift_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = np.random.default_rng(20)
    logs = 0.15 * rng.standard_normal((SESSIONS, BLOCKS, LOOKS))
    records(monkeypatch, tmp_path, logs)
    single, block = (levels(local=False)[NAME] for levels in (environment.quiet_levels, environment.quiet_block_levels))
    sessions = np.repeat(np.arange(SESSIONS), BLOCKS)

    def w(level: float) -> float:
        means = logs.mean(axis=2).ravel() - math.log(level / 50_000)
        return session_movement(0.01 * rng.standard_normal(means.size), means, sessions, 0.5).w

    assert w(single) == pytest.approx(1.645 * 0.15, rel=0.1), "the readings' own noise and nothing else"
    assert w(block) == pytest.approx(1.645 * 0.15 / math.sqrt(LOOKS), rel=0.3)


def test_a_machine_that_stood_higher_in_one_session_is_charged_with_that(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    logs = 0.05 * np.random.default_rng(21).standard_normal((SESSIONS, BLOCKS, LOOKS))
    logs[2] += 0.4
    records(monkeypatch, tmp_path, logs)
    level = math.log(environment.quiet_block_levels(local=False)[NAME] / 50_000)
    assert logs.mean() - level == pytest.approx(0.1, abs=0.03)


def test_few_blocks_have_no_level_of_their_own_and_a_block_counts_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    records(monkeypatch, tmp_path / "few", np.zeros((1, 19, 2)))
    assert NAME in environment.quiet_levels(local=False)
    assert NAME not in environment.quiet_block_levels(local=False)
    records(monkeypatch, tmp_path / "enough", np.tile([math.log(1), math.log(4)], (2, 10, 1)))
    assert environment.quiet_block_levels(local=False)[NAME] == pytest.approx(100_000), "the geometric mean of 1 and 4"


def test_the_levels_of_blocks_are_not_below_those_of_readings_in_the_published_runs() -> None:
    single, block = environment.quiet_levels(local=False), environment.quiet_block_levels(local=False)
    assert block
    assert block.keys() <= single.keys()
    assert all(block[name] >= single[name] for name in block)
