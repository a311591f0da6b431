"""Small finished and unfinished runs on disk, without any engine."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sealing import PROVENANCE, know

from benchbook import project
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.store import RunWriter


@pytest.fixture
def make_trial() -> Any:
    """The trial of an index: two configurations per block, two series of samples, one metric that is missing."""

    def make(index: int) -> Trial:
        generator = np.random.default_rng(index)
        planned = PlannedTrial(index, index // 2, Configuration(f"c{index % 2}", "a label"), seed=100 + index // 2)
        samples = {"request": generator.integers(1, 10**6, 300), "look-up": generator.integers(1, 10**6, 20)}
        metrics = {"p50_ns": float(np.median(samples["request"])), "p999_ns": None, "requests": 300.0}
        return Trial(planned, "2026-01-17T10:00:00+00:00", 0.25, metrics, {"cache_state": "hot"}, samples)

    return make


@pytest.fixture
def new_writer(home: Path) -> Any:
    """Begin a run in the project copy."""

    know(home, "made_up")

    def begin(key: str = "0123456789ab", experiment: str = "made_up") -> RunWriter:
        record = {
            "key": key,
            "experiment": experiment,
            "measurement_version": 1,
            "parameters": {"size": 3, "shares": [1, 2]},
            "profile": "custom",
            "seed": 7,
            "blocks": 2,
            "provenance": {},
        }
        writer = RunWriter.create(project.runs(), record)
        writer.begin_session({"processor": "x"})
        return writer

    return begin


@pytest.fixture
def make_run(new_writer: Any, make_trial: Any) -> Any:
    """A complete run of four trials; returns its folder."""

    def make(key: str = "0123456789ab", experiment: str = "made_up") -> Path:
        writer = new_writer(key, experiment)
        for index in range(4):
            writer.append(make_trial(index), 0)
        writer.add_canary({"block": 0, "moment": "start", "read_p50_ns": None, "hash_p50_ns": 5.0})
        return writer.finish(PROVENANCE)

    return make
