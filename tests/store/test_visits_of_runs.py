"""Which visit each block is of, by its trials' times and its session's processor model; clocks that go back."""

from dataclasses import replace

import pytest
from test_sessions_of_runs import hours, run_at

from benchbook.model import Run
from benchbook.store import clocks_back, model_known, model_of, pooled, visits_of, without

AMD = {"processor": "AMD EPYC", "processor_model": "25-17-1-1024 KB"}
LATER = {"processor": "AMD EPYC", "processor_model": "26-2-1-1024 KB"}
INTEL = {"processor": "Intel(R) Xeon(R) Processor", "processor_model": "6-167-1-491520 KB"}


def on(provenance: dict[str, str], *at_hours: float) -> Run:
    run = run_at(*hours(*at_hours), name=str(at_hours))
    return replace(run, provenance={**run.provenance, **provenance})


@pytest.mark.parametrize(
    ("provenance", "name", "known"),
    [
        (AMD, "AMD EPYC 25-17-1", True), (INTEL, "Intel Xeon 6-167-1", True),  # the cache is no part of it
        ({"processor": "AMD EPYC"}, "AMD EPYC", False), ({}, "", False),
        ({"processor": "AMD EPYC", "processor_model": "1024 KB"}, "AMD EPYC", False),
    ],
)  # fmt: skip
def test_a_processor_is_known_by_model_and_stepping(provenance: dict[str, str], name: str, known: bool) -> None:
    assert (model_of(provenance), model_known(provenance)) == (name, known)


def test_sessions_across_midnight_are_one_visit_and_another_model_is_another() -> None:
    near = pooled([on(AMD, 23.5, 23.6), on(AMD, 24.2), on(AMD, 36.1)])
    assert visits_of(near).tolist() == [0, 0, 0, 0]
    assert visits_of(pooled([on(AMD, 0), on(AMD, 12), on(AMD, 24.1)])).tolist() == [0, 0, 1]
    both = pooled([on(AMD, 0), on(INTEL, 0.5), on(AMD, 1), on(LATER, 2)])
    assert visits_of(both).tolist() == [0, 1, 0, 2]
    assert visits_of(without(both, {0, 2})).tolist() == [0, 1]


def test_one_run_that_halted_for_half_a_day_is_two_visits_and_its_end_counts() -> None:
    assert visits_of(on(AMD, 0, 1, 13.5)).tolist() == [0, 0, 1]
    assert visits_of(on(AMD, 0, 11.9, 23.8)).tolist() == [0, 0, 0]


def test_a_run_that_does_not_say_when_is_one_visit_for_each_processor() -> None:
    run = pooled([on(AMD, 0), on(INTEL, 20), on(AMD, 40)])
    silent = replace(run, trials=run.trials.drop(columns="started_at"))
    assert visits_of(silent).tolist() == [0, 1, 0]
    assert not clocks_back(silent)


def test_a_block_that_began_before_the_one_before_it_tells_that_the_clock_went_back() -> None:
    assert not clocks_back(on(AMD, 0, 1, 30))
    assert clocks_back(on(AMD, 0, 2, 1))
    assert not any(map(clocks_back, (on(AMD, 0, 2), on(AMD, 1)))), "a run that began later may lie between"
