"""Rounds: every contestant once in each, in an order that is drawn, warm-ups dropped."""

from __future__ import annotations

from collections.abc import Callable

from benchbook.bench.interleaving import interleaved, timed


def contestants(log: list[str]) -> dict[str, Callable[[], float]]:
    def of(name: str) -> Callable[[], float]:
        def run() -> float:
            log.append(name)
            return float(len(log))

        return run

    return {name: of(name) for name in "abc"}


def test_every_round_runs_each_contestant_once_in_an_order_of_its_own() -> None:
    log: list[str] = []
    found = interleaved(contestants(log), 8, seed=1, say=lambda line: None, warm_ups=1)
    rounds = ["".join(log[start : start + 3]) for start in range(0, len(log), 3)]
    assert len(rounds) == 9
    assert {"".join(sorted(each)) for each in rounds} == {"abc"}
    assert len(set(rounds)) > 1, "the order is drawn anew"
    for name in "abc":
        places = [place + 1 for place, each in enumerate(log) if each == name]
        assert found[name] == [float(place) for place in places[1:]], "the first round only warms"


def test_the_same_seed_gives_the_same_order() -> None:
    first: list[str] = []
    second: list[str] = []
    for log in (first, second):
        interleaved(contestants(log), 5, seed=7, say=lambda line: None)
    assert first == second


def test_it_says_how_far_it_is() -> None:
    said: list[str] = []
    interleaved(contestants([]), 2, seed=1, say=said.append, warm_ups=1)
    assert said == ["warming up, 1 to go", "round 1 of 2", "round 2 of 2"]


def test_a_timed_call_takes_time() -> None:
    calls: list[int] = []
    assert timed(lambda: calls.append(1))() > 0
    assert calls == [1]
