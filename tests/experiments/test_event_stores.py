"""Event stores without an engine: what the probe is asked for each configuration, and what its answer becomes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.event_stores import STORES, TESTS, Parameters, configurations, metrics, needs, request_of
from benchbook.errors import BenchbookError, MachineError

P = Parameters()
ARMS = {arm.name: arm for arm in configurations(P)}
ASKED = {name: request_of(P, arm, 1) for name, arm in ARMS.items()}
SERIES = ("alone", "peak", "burst", "mixed.save", "mixed.query", "query", "concurrent.save", "concurrent.query")


def answer(events: int, *, flushes: int | None = 0, cached: bool = False) -> Any:
    """As the probe would give it; each latency is 1 ms."""
    counts = dict.fromkeys(SERIES, events) | {"alone": P.alone_events}
    series = {
        f"round_1.{name}.{kind}": np.full(n, 10**6) for name, n in counts.items() for kind in ("service", "response")
    }

    def phase(number: int) -> dict[str, Any]:
        device = None if flushes is None else {"flushes": flushes * number * P.alone_events}
        found = {"memory": {"device_write_bytes": 1000 * number, "anonymous_bytes": 5}, "device": device}
        found |= {"store_bytes": 4000, "saved_events": 2 * events + P.alone_events, "most_under_way": 7}
        return found | ({"query_cache_hits": 3 * number, "query_cache_misses": number} if cached else {})

    phases = ["start", *(f"round_1.{test}" for test in TESTS)]
    record = {
        "counters": {name: phase(number) for number, name in enumerate(phases)}, "checked_reads": 9,
        "seconds": {f"round_1.{test}": 2.0 for test in TESTS},
    }  # fmt: skip
    return SimpleNamespace(record=record, series=series)


def test_the_arms_of_a_store_differ_in_the_sync_and_in_the_number_of_events_alone() -> None:
    for store in STORES:
        plain, held = ASKED[store], ASKED[f"{store}_synced"]
        assert {name for name in plain["load"] if plain["load"][name] != held["load"][name]} == {"events", "synced"}
        assert {**plain, "load": {}} == {**held, "load": {}}


def test_every_store_runs_the_same_tests_and_badger_alone_has_options() -> None:
    assert all(asked["run"] == ASKED["badger"]["run"] for asked in ASKED.values())
    assert ASKED["badger"]["options"]["block_cache_bytes"] == 64 << 20
    assert ASKED["badger"]["options"]["index_cache_bytes"] == 32 << 20
    assert not any(asked["options"] for asked in ASKED.values() if asked["load"]["engine"] != "badger")


def test_the_a_a_pair_is_asked_the_same_and_the_cache_of_answers_is_the_one_difference_of_its_arm() -> None:
    assert ASKED["badger_again"] == ASKED["badger"]
    assert ASKED["badger_query_cache"]["load"] == ASKED["badger"]["load"] | {"query_cache": True}
    assert ASKED["sqlite_journal"]["load"]["synced"]


def test_an_answer_becomes_metrics() -> None:
    found = metrics(answer(P.events, flushes=2), ASKED["badger"])
    assert found["saved_events"] == found["timed_saves"] == 2 * P.events + P.alone_events
    assert found["flushes_per_save"] == 2
    assert found["alone_mean_ns"] == found["burst_mean_ns"] == 1e6
    assert found["burst_events_per_s"] == P.events / 2
    assert found["written_bytes_per_event"] == pytest.approx(3000 / (2 * P.events + P.alone_events))
    assert "concurrent_cache_hit_ratio" not in found


def test_what_the_machine_does_not_count_is_missing_and_the_cache_of_answers_says_its_hits() -> None:
    found = metrics(answer(P.events, flushes=None, cached=True), ASKED["badger_query_cache"])
    assert (found["flushes_per_save"], found["concurrent_cache_hit_ratio"]) == (None, 0.75)


def test_a_machine_too_slow_for_the_bursts_is_told() -> None:
    with pytest.raises(MachineError, match="within their time"):
        metrics(answer(10), ASKED["badger"])


@pytest.mark.parametrize("given", [{"synced_events": 100}, {"events": 150}, {"bursts": 1000, "synced_events": 900}])
def test_contradictions_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match="must be at least"):
        Parameters.given(given)


def test_a_larger_run_needs_more() -> None:
    more = needs(Parameters(events=500_000))
    assert more.disk_bytes > needs(P).disk_bytes
    assert (more.minutes or 0) > (needs(P).minutes or 0)
