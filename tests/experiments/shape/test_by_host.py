"""A number where kinds of host lie apart: one for each with its name, none of all together, and one side for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import sessions

from benchbook.experiments.alex_rocksdb import chapter
from benchbook.experiments.alex_rocksdb.arms import LOOP, NO_INDEX, Parameters
from benchbook.experiments.shape import by_host
from benchbook.experiments.shape.claim_sides import Side, side
from benchbook.experiments.shape.estimands import saved
from benchbook.model import Estimate, Run

pytestmark = pytest.mark.usefixtures("still_machine")


def planted(processor: str, without: float, seed: int) -> Run:
    """Three blocks on this processor in which leaving the index out leaves so much of a query's 1,000 ns."""
    p, generator, rows = Parameters(blocks=3), np.random.default_rng(seed), []
    for trial in chapter.plan(p).trials:
        mean = without if trial.configuration.name == NO_INDEX else 1000.0
        rows.append(
            {
                "trial": trial.index, "session": 0, "block": trial.block, "configuration": trial.configuration.name,
                "mean_ns": mean * float(np.exp(generator.normal(0, 1e-3))), "lookups": 10.0, "checked_reads": 10.0,
                "rows_in": "memtable", "files": 0.0, "memtable_rows": 10.0,
            }
        )  # fmt: skip
    return Run(
        f"x-2026112{seed}T000000", "alex_rocksdb", 1, p.model_dump(mode="json"), "custom", p.seed, 3,
        {"engine_version": "0", "processor": processor}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def pooled(*without: float) -> Any:
    """Two sessions on each of two processors."""
    each = zip(("One", "One", "Other", "Other"), without, strict=True)
    return chapter.summarize(sessions(*(planted(name, left, seed) for seed, (name, left) in enumerate(each, start=1))))


def removed(summary: Any) -> Estimate:
    return saved(NO_INDEX, LOOP, "mean_ns").compute(summary)


def test_kinds_that_lie_apart_are_told_by_name_and_kinds_that_do_not_are_told_together() -> None:
    apart = by_host.in_words(pooled(800, 801, 900, 901), removed, 100, " %")
    assert apart.count(" % on ") == 2
    assert " % on One and " in apart
    assert apart.endswith(" % on Other")
    assert " on " not in by_host.in_words(pooled(800, 801, 800, 801), removed, 100, " %")


def test_one_session_that_is_unlike_the_others_is_no_host() -> None:
    assert by_host.apart(pooled(800, 900, 850, 950), removed) == ()


def test_a_title_may_say_what_all_kinds_of_host_say() -> None:
    found = {each.claim_id: each for each in chapter.judge(pooled(800, 801, 900, 901))}["O085"]
    assert found.estimate is None
    assert [side(found, at) for at in (0.0, 0.15, 0.5)] == [Side.ABOVE, Side.OPEN, Side.BELOW]
