"""A chapter with answers and checks and no other part, and sessions of it on two processors, for tests of judging."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from benchbook import store
from benchbook.model import Configuration, Run
from benchbook.numbers.answers import Answers
from benchbook.numbers.metrics import Metrics
from benchbook.numbers.summary import OfChapter, Summary
from benchbook.pages.page import Front
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.kinds import Kind

NAME = "noise_floor"
"""Whose claims it has."""
Asked = Summary[ExperimentParameters]
ARMS = ("base", "again", "changed")
AMD = {"processor": "AMD EPYC", "processor_model": "25-17-1-1024 KB", "system": "Linux 6.18-a"}
INTEL = {"processor": "Intel(R) Xeon(R) Processor", "processor_model": "6-167-1-491520 KB", "system": "Linux 6.18-b"}
AMD_NAME, INTEL_NAME = "AMD EPYC 25-17-1", "Intel Xeon 6-167-1"


@dataclass(frozen=True)
class Chapter:
    """arms: the configurations that its runs hold."""

    answers: Answers
    arms: Iterable[str] = ()
    name: str = NAME
    engine: str = "made up"
    device: bool = False
    reads: tuple[str, ...] = ()
    kind: Kind = Kind.MEASUREMENT
    METRICS: Metrics = field(default_factory=dict)

    def summarize(self, given: Run) -> Asked:
        chapter: OfChapter = self
        return Summary(chapter, given, ExperimentParameters(), {each: Configuration(each, each) for each in self.arms})


def front(**fields: Any) -> Front:
    """The head of a page. fields: what it has of its own."""
    return Front(**{"subject": "S", "question": "Q?", "ids": "fig-x", "figure": "", "title": "A", **fields})


def run_of(trials: pd.DataFrame, **fields: Any) -> Run:
    """A run with these trials. fields: what else it has."""
    nothing = pd.DataFrame(columns=["trial", "series", "latency_ns"])
    tables = {"trials": trials, "samples": nothing, "canary": pd.DataFrame()}
    plain = {"id": "r", "experiment": NAME, "measurement_version": 1, "parameters": {"size": 1}, "profile": "custom"}
    return Run(**{**plain, "seed": 1, "blocks": trials["block"].nunique(), "provenance": {}, **tables, **fields})


def session(
    hour: float, ratio: float = 0.35, *, host: dict[str, str] = AMD, blocks: int = 4, noise: float = 0.01, **also: Any
) -> Run:
    """Blocks of three arms, of which one takes so many times the others' time, from an hour of 20 November 2026 on.

    noise: of each block's log ratio, whose mean over the session is exactly that of the ratio. also: further columns.
    """
    start = datetime(2026, 11, 20, tzinfo=UTC) + timedelta(hours=hour)
    steps = noise * (np.resize([1.0, -1.0], blocks) if blocks % 2 == 0 else np.linspace(-1, 1, blocks))
    rows = [
        {
            "trial": 3 * block + place, "block": block, "configuration": arm, "session": 0, "duration_s": 5.0,
            "started_at": (start + timedelta(minutes=block, seconds=10 * place)).isoformat(),
            "time_ns": 1e3 * (ratio * np.exp(steps[block]) if arm == "changed" else 1.0), **also,
        }
        for block in range(blocks)
        for place, arm in enumerate(ARMS)
    ]  # fmt: skip
    provenance = {**host, "started_at": start.isoformat()}
    return run_of(pd.DataFrame(rows), id=f"k-{start:%Y%m%dT%H%M%S}", parameters={}, provenance=provenance)


def together(*sessions: Run) -> Run:
    """The sessions pooled."""
    return store.pooled(sessions)
