"""What the opening page says of each note: whole sentences with numbers from the published runs, or nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from asking import Made

from benchbook import lab
from benchbook.experiments import chosen_runs
from benchbook.figures import Headline
from benchbook.figures.lesson import FAILED, HEADINGS
from benchbook.model import Run

TAUGHT = {
    "hot_cold_keys": {"000"}, "cache_sizing": {"001"}, "label_order": set(), "shared_buffers": {"002", "003"},
    "scale": {"004"},
}  # fmt: skip
"""Chapters that have a headline, and the notes whose finding it is."""
NUMBERS = ("trial", "block", "seed", "session", "duration_s")
"""Columns of a run's trials that are not metrics."""


@cache
def shown(name: str) -> Run | None:
    """The run that the edition shows, its sessions pooled; None while none of the chapter's version is published."""
    return chosen_runs.run(lab.experiment(name))


def published(name: str) -> Run:
    """The same; a test of a chapter without one is skipped."""
    run = shown(name)
    if run is None:
        pytest.skip(f"no run of this version of {name} is published yet")
    return run


def headlines(name: str, run: Run) -> tuple[Headline, ...]:
    module: Any = lab.experiment(name)
    found: tuple[Headline, ...] = module.lesson(module.summarize(run)).headlines
    return found


@pytest.fixture(scope="module")
def told(of: Callable[[str], Made]) -> dict[str, tuple[Headline, ...]]:
    return {name: of(name).lesson.headlines for name in TAUGHT if shown(name) is not None}


def test_every_note_has_one_finding_with_a_number(told: dict[str, tuple[Headline, ...]]) -> None:
    every = [each for found in told.values() for each in found]
    notes = {note for name in told for note in TAUGHT[name]}
    assert Counter(each.note for each in every if not each.heading) == dict.fromkeys(notes, 1)
    for each in every:
        assert each.heading in ("", *HEADINGS)
        assert re.search(r"\d", each.text), each.text
        assert re.match(r"[A-Z].*\.$", each.text), "a whole sentence"
        assert not re.search(r"\bnan\b|\binf\b|[{}]", each.text)


@pytest.mark.parametrize("chapter", TAUGHT)
def test_a_run_that_lacks_the_numbers_says_nothing_of_them(chapter: str) -> None:
    """What stands there without a run comes from the notes' own numbers."""
    run = published(chapter)
    trials = run.trials.copy()
    metrics = [each for each in trials.select_dtypes("number").columns if each not in NUMBERS]
    trials[metrics] = np.nan
    assert all(each.heading == FAILED for each in headlines(chapter, replace(run, trials=trials)))


def changed(chapter: str, metric: str, factor: float = 1.0, more: float = 0.0) -> list[str]:
    """The findings of the published run with a metric changed in all of its trials."""
    run = published(chapter)
    trials = run.trials.assign(**{metric: run.trials[metric] * factor + more})
    return [each.text for each in headlines(chapter, replace(run, trials=trials)) if not each.heading]


def test_numbers_that_say_something_else_leave_no_sentence(told: dict[str, tuple[Headline, ...]]) -> None:
    assert changed("hot_cold_keys", "p99_ns") == [each.text for each in told["hot_cold_keys"]]
    assert changed("cache_sizing", "cost_per_key_bytes", 1e-4) == [], "blocks charged by their length"
    assert changed("scale", "memtable_rows", 0.9) == [], "rows in files"


def test_pools_that_evict_otherwise_and_checkpoints_that_evict_leave_no_sentence() -> None:
    (only,) = changed("shared_buffers", "resident_after_checkpoint", 0.9)
    assert "CHECKPOINT" not in only, "pages were evicted"
    (only,) = changed("shared_buffers", "evictions", 0.0)
    assert "CHECKPOINT" in only, "the pools evicted nothing"
