"""Hot keys over a network on planted numbers: the trips that the note's own run allows decide, and no others."""

from typing import Any

import numpy as np
import planting
import pytest
from planting import of_block

from benchbook import lab
from benchbook.chapters import networked_keys as keys
from benchbook.chapters.networked_keys import Parameters, Place, Summary, at
from benchbook.errors import BenchbookError
from benchbook.measuring.features.keys import requests
from benchbook.model import PlannedTrial

chapter = lab.experiment("networked_keys")
BLOCKS = 12
P50 = (("same_keys", "note_p50_ns"), ("disjoint", "note_p50_ns"))


def planted(arms: dict[str, dict[str, Any]] | None = None, *, blocks: int = BLOCKS, **own: Any) -> Summary:
    """Requests that wait for 30 trips and cold ones for 60 reads, but where ``arms`` says otherwise by block."""

    def values(trial: PlannedTrial) -> dict[str, Any]:
        name, settings = trial.configuration.name, trial.configuration.settings
        reads = 60 * (settings["draw"] == "disjoint")
        waited_ms = 30 * float(settings["trip_ms"] or 0) + reads * (float(settings["read_ms"] or 0) + 0.1)
        took = 1e6 * (1 + waited_ms)
        times = {"mean_ns": took, "note_p50_ns": took, "pool_misses_per_request": float(reads)}
        return times | of_block((arms or {}).get(name, {}), trial)

    parameters = Parameters.given({"blocks": blocks, **own})
    found: Summary = planting.summary("networked_keys", parameters, values)
    return found


def test_only_a_trip_that_the_notes_own_fastest_request_allows_judges() -> None:
    """Thirty tables one by one in 9.08 ms."""
    assert [*keys.allowed(*P50, planted())] == ["+1 ms a read, +0.25 ms a trip", "+0.5 ms a read, +0.25 ms a trip"]
    assert [*keys.allowed(*P50, planted(trip_ms=0.31))] == []


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"other_read_ms": (0.0, 0.25)}, "other latencies than those that the claims name"),
        ({"other_trip_ms": 0.0}, "other latencies"),
        ({"read_ms": 0.6}, "other latencies"),
        ({"requests": 500}, "500 measured requests of 30 tables instead of 1,000 of 30"),
        ({"blocks": 9}, "a P99 needs"),
    ],
)
def test_a_run_with_other_latencies_or_fewer_requests_departs_from_the_claims(own: dict[str, Any], words: str) -> None:
    summary = planted(**own)
    assert words in keys.departing(True, summary)
    assert bool(keys.departing(False, summary)) is ("blocks" not in own), "other quantiles need fewer requests"


@pytest.mark.parametrize(
    ("same", "words"),
    [({"mean_ns": 17.5e6}, "an uncached block costs 0.15 ms, and over a network 0.25 ms or more"),
     ({"pool_misses_per_request": 0.5}, "at the central latencies, cold keys read 0.5 blocks per request more"),
     ({"pool_misses_per_request": 0.0}, "at the central latencies, cold keys read 0 blocks per request more")],
)  # fmt: skip
def test_where_a_block_costs_what_a_local_disk_takes_nothing_is_decided(same: dict[str, float], words: str) -> None:
    summary = planted({"disjoint": same})
    assert words in keys.no_network("disjoint", summary)
    assert keys.no_network("disjoint", planted()) == ""


def test_a_trial_whose_network_was_not_as_asked_is_in_no_number() -> None:
    place, failed = Place(0.5, 0.25), {"note_p50_ns": [None, *[50e6] * (BLOCKS - 1)]}
    summary = planted({at("disjoint", place, Parameters()): failed, "disjoint": {"mean_ns": [90e6, *[None] * 11]}})
    assert keys.of("disjoint", "note_p50_ns", place)(summary).n == BLOCKS - 1
    assert keys.over(*P50)(summary).n == BLOCKS
    with pytest.raises(BenchbookError, match="in two blocks"):
        keys.block_ms("disjoint")(summary)


def test_trials_of_a_block_ask_for_the_same_keys_under_every_condition() -> None:
    p = Parameters()
    asked = {name: requests(p, each, 7).measured for name, each in chapter.configurations(p).items()}
    for draw in ("disjoint", "by_chance"):
        assert len(asked[draw]) == p.requests
        for name in (name for name in asked if name.startswith(draw)):
            assert np.array_equal(asked[name], asked[draw][: len(asked[name])]), name


def test_shares_of_the_time_are_delays_as_measured_by_the_mean() -> None:
    made: Any = object.__new__(keys.Bench)
    object.__setattr__(made, "parameters", Parameters())
    seen = {"mean_ns": 80e6, "delayed_reads_per_request": 60.0, "measured_read_ms": 0.5, "measured_trip_ms": 1.0}
    assert made.derived(seen) == {"reads_time_share": 30 / 80, "trips_time_share": 30 / 80}
    assert made.derived({"mean_ns": 80e6, "measured_read_ms": None}) == dict.fromkeys(made.derived(seen), 0.0)
