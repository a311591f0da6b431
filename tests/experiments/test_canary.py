"""The canary as a gate: its spread comes from the published noise floor, and a machine that moved fails it."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchbook import store
from benchbook.errors import StoredRunError
from benchbook.experiments import environment
from benchbook.model import Run

ROOT = Path(__file__).parents[2]
SOURCE = sorted((ROOT / "data" / "published" / "hot_cold_keys").iterdir())[-1]


def looks(blocks: int, spread: float, seed: int = 1) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    return pd.DataFrame(
        [
            {"block": block, "moment": moment, "read_p50_ns": 20_000 * np.exp(spread * generator.normal())}
            for block in range(blocks)
            for moment in ("start", "end")
        ]
    )


@pytest.fixture
def published_noise_floor(home: Path) -> float:
    """A published run whose canary moves by a few percent; returns its spread."""
    record = json.loads((SOURCE / "run.json").read_text())
    canary = looks(30, 0.03)
    record |= {"experiment": "noise_floor", "canary": canary.to_dict("records")}
    folder = home / "data" / "published" / "noise_floor" / record["id"]
    shutil.copytree(SOURCE, folder)
    (folder / "run.json").write_text(json.dumps(record))
    return environment.spreads(canary)["read_p50_ns"]


def run_with(canary: pd.DataFrame) -> Run:
    return replace(store.read_run(SOURCE, published=True), canary=canary, blocks=int(canary["block"].max()) + 1)


def test_without_a_published_noise_floor_there_is_no_gate(home: Path) -> None:
    assert environment.canary_gates(run_with(looks(8, 0.5))) == []


def test_a_machine_that_held_still_passes_and_one_that_moved_fails(published_noise_floor: float) -> None:
    assert 0.03 < published_noise_floor < 0.3
    (still,) = environment.canary_gates(run_with(looks(8, 0.01)))
    (moved,) = environment.canary_gates(run_with(looks(8, 0.5)))
    assert still.passed
    assert not moved.passed
    assert "direct 8 KiB reads" in moved.name


def test_the_last_look_at_a_block_that_was_resumed_counts(published_noise_floor: float) -> None:
    canary = looks(8, 0.0)
    early = canary.iloc[:1].assign(read_p50_ns=1e9)
    (gate,) = environment.canary_gates(run_with(pd.concat([early, canary])))
    assert gate.passed


def test_a_block_without_readings_is_refused(published_noise_floor: float) -> None:
    canary = looks(8, 0.01)
    with pytest.raises(StoredRunError, match="lacks canary readings"):
        environment.canary_gates(run_with(canary[canary["block"] != 3]))


def test_a_machine_that_cannot_take_a_reading_is_not_judged_by_it(published_noise_floor: float) -> None:
    assert environment.canary_gates(run_with(looks(8, 0.01).assign(read_p50_ns=None))) == []


def test_too_few_readings_give_no_spread() -> None:
    assert environment.spreads(looks(4, 0.03)) == {}
