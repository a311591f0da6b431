"""Event stores without an engine: what the probe's answer becomes."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook.chapters.event_stores import TESTS, Parameters, configurations, metrics, request_of
from benchbook.errors import MachineError

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
