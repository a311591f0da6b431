"""Chapters that were published twice: which runs are compared, what is counted, and what the page shows of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from docutils import nodes
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benchbook import lab
from benchbook.book.assembly import own_repeats
from benchbook.book.pages.repeats import repeats_nodes
from benchbook.book.records.repeats import Repeat, Twice, alike, compared, read, sentence
from benchbook.model import Configuration, Estimate, Outcome, PlannedTrial, Run, Trial, Verdict

NAME = "hot_cold_keys"


def number(point: float, low: float, high: float) -> Estimate:
    return Estimate(point, low, high, 6, "t")


def verdict(claim: str, point: float, low: float, high: float) -> Verdict:
    return Verdict(claim, Outcome.INCONCLUSIVE, "r", number(point, low, high))


def test_numbers_with_an_interval_in_both_runs_are_compared_and_counts_are_not() -> None:
    first = [verdict("L1", 2, 1, 3), verdict("L2", 5, 5, 5), Verdict("L3", Outcome.INCONCLUSIVE, "r"),
             verdict("L4", 1, 0, 2), verdict("L5", 1, 0, 2)]  # fmt: skip
    later = [verdict("L1", 4, 2.5, 6), verdict("L2", 6, 5, 7), verdict("L3", 1, 0, 2), verdict("L5", 9, 8, 10)]
    one, five = compared(first, later)
    assert one == Twice("L1", number(2, 1, 3), number(4, 2.5, 6))
    assert (one.overlap, one.inside) == (True, False)
    assert (five.claim_id, five.overlap, five.inside) == ("L5", False, False)


@given(st.lists(st.floats(-1e6, 1e6), min_size=6, max_size=6))
def test_a_later_value_inside_means_overlap_and_overlap_knows_no_order(ends: list[float]) -> None:
    a, b = (tuple(sorted(part)) for part in (ends[:3], ends[3:]))
    first, later = (number(each[1], each[0], each[2]) for each in (a, b))
    two = Twice("L1", first, later)
    assert two.overlap == Twice("L1", later, first).overlap
    assert two.overlap or not two.inside


@pytest.mark.parametrize("n", [2, 6, 20])
def test_how_often_a_second_value_lies_in_the_first_interval_by_chance(n: int) -> None:
    """Drawn: of two samples of one law, how often the second mean lies in the first one's Student t interval."""
    first, second = np.random.default_rng(n).normal(size=(2, 20_000, n))
    half = stats.t.isf(0.025, n - 1) * first.std(axis=1, ddof=1) / np.sqrt(n)
    seen = float(np.mean(np.abs(second.mean(axis=1) - first.mean(axis=1)) < half))
    one = Twice("L1", Estimate(0, -1, 1, n, "t"), Estimate(0, -1, 1, n, "t"))
    assert alike([one, one]) == pytest.approx(2 * seen, abs=0.02)


REPEAT = Repeat(
    "io_cliff",
    "aaa-1",
    "aaa-2",
    (
        Twice("C1", number(2, 1, 3), number(2.5, 2, 4)),
        Twice("C2", number(2, 1, 3), number(3.5, 2.9, 4)),
        Twice("C3", number(0.7174, 0.717, 0.731), number(0.762, 0.754, 0.77)),
    ),
)


def test_the_sentence_counts_what_overlaps_and_says_what_chance_would_give() -> None:
    assert sentence([REPEAT]).startswith(
        "Once a chapter was published again with the same parameters. Of 3 numbers, the two intervals overlap in 2, "
        "and the later value lies in the first interval in 1; if the days were alike, it would in about 3."
    )
    assert "the later interval is 1.00 times as wide" in sentence([REPEAT])
    assert sentence([]).endswith("yet.")


def test_the_page_names_both_runs_and_only_the_numbers_that_lie_apart() -> None:
    made = nodes.container("", *repeats_nodes([REPEAT]))
    counts, apart = made.findall(nodes.table)
    assert "aaa-1" in counts.astext()
    assert "aaa-2" in counts.astext()
    assert "C3" in apart.astext()
    assert "0.762 [0.754, 0.770]" in apart.astext()
    assert "C1" not in apart.astext()
    assert not list(nodes.container("", *repeats_nodes([])).findall(nodes.table))


# from stored runs


class Judge:
    """Stands for an experiment: one claim, whose number a run's metric gives."""

    def __init__(self) -> None:
        real: Any = lab.experiment(NAME)
        self.calls = 0
        self.module = SimpleNamespace(
            name=NAME, title="t", version=real.version, kind=real.kind, Parameters=real.Parameters,
            summarize=lambda run: run, judge=self.judge,
        )  # fmt: skip

    def judge(self, run: Run) -> list[Verdict]:
        self.calls += 1
        value = float(run.trials["x"].iloc[0])
        return [verdict("L001", value, value - 1, value + 1)]


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge()
    monkeypatch.setattr(lab, "names", lambda: [NAME])
    monkeypatch.setattr(lab, "experiment", lambda name: made.module)
    return made


@pytest.fixture
def publish(judge: Judge, store_run: Any) -> Any:
    """A complete published run with the metric x."""

    def published(x: float, *, version: int = 0, **parameters: Any) -> str:
        planned = PlannedTrial(0, 0, Configuration("only", "only"), 1)
        trial = Trial(planned, "2026-01-17T10:00:00+00:00", 1.0, {"x": x}, {}, {"r": np.array([5, 6])})
        made: str = store_run(judge.module, parameters, trial, published=True, version=version)
        return made

    return published


def test_only_runs_with_equal_parameters_and_version_are_compared_in_their_order(home: Path, publish: Any) -> None:
    publish(1.0, version=-1)
    first = publish(2.0)
    publish(3.0, n_tables=3)
    second, third = publish(5.0), publish(5.5)
    own_repeats.write(home)
    found = read(home)
    assert [(each.chapter, each.first, each.later) for each in found] == [
        (NAME, first, second),
        (NAME, second, third),
    ]
    assert [each.numbers[0].overlap for each in found] == [False, True]


def test_the_record_is_made_again_only_when_a_run_comes_or_goes(home: Path, judge: Judge, publish: Any) -> None:
    publish(2.0)
    own_repeats.write(home)
    assert read(home) == []
    publish(2.5)
    own_repeats.write(home)
    assert [each.numbers[0].inside for each in read(home)] == [True]
    calls = judge.calls
    own_repeats.write(home)
    assert judge.calls == calls
