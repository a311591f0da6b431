"""Cache sizing without an engine: requests, its own numbers, idle causes."""

from typing import Any

import pytest
from planting import in_turn, summary

from benchbook import lab
from benchbook.chapters import cache_sizing as sizing
from benchbook.chapters.cache_sizing import Parameters, Summary, parted
from benchbook.claims import chapter_claims
from benchbook.measuring.badger import lookups, notes
from benchbook.model import PlannedTrial
from benchbook.numbers import inert

chapter = lab.experiment("cache_sizing")
P = Parameters()
Values = dict[str, list[float]]


def made(values: Values, arms: dict[str, Values] | None = None, **others: Any) -> Summary:
    """A run of two blocks in which every arm has ``values``, and some arms their own, in turn. others: parameters."""

    def of(trial: PlannedTrial) -> dict[str, Any]:
        return in_turn(values | (arms or {}).get(trial.configuration.name, {}), trial)

    found: Summary = summary("cache_sizing", Parameters(**{"blocks": 2} | others), of)
    return found


def test_caches_of_look_ups_are_to_the_store_what_the_notes_are_to_its_own() -> None:
    asked = {arm.name: lookups.request_of(P, arm, 1)["options"] for arm in parted(P)[1]}
    slow, tuned = asked["slow_stated"]["block_cache_bytes"], asked["slow_tuned"]["block_cache_bytes"]
    assert slow == pytest.approx(64 / 324 * lookups.size_bytes(P.lookup_rows), abs=1)
    assert tuned == pytest.approx(32 * slow, abs=32)
    assert asked["slow_snappy"]["block_cache_bytes"] == 64 << 20
    assert all(each["read_only"] for each in asked.values())
    local = Parameters(allow_slow_storage=False)
    assert {arm.name for arm in parted(local)[1]} == {"dropped_stated", "free_stated", "free_tuned"}


def test_the_blocks_to_hold_lie_between_the_last_rung_that_misses_the_plateau_and_the_first_at_it() -> None:
    rungs = {1: ([0.3, 0.96], [10.0, 11.0]), 2: ([0.94, 0.97], [40.0, 41.0]), 4: ([0.96, 0.98], [160.0, 161.0])}
    rungs |= dict.fromkeys((64, 2048), ([0.98, 0.99], [600.0, 601.0]))
    arms: dict[str, Values] = {
        f"own_length_{mib}": {"hit_ratio": ratios, "resident_blocks": held} for mib, (ratios, held) in rungs.items()
    }
    below, enough = sizing.around_plateau(made({}, arms))
    assert below.tolist() == [10.0, 0.0], "where the first rung is enough, between nothing and that one"
    assert enough.tolist() == [40.0, 11.0]
    assert sizing.blocks_to_hold(made({}, arms)).low == 0
    arms |= {"own_length_1": {"hit_ratio": [0.3], "resident_blocks": [9.9e4, 1.01e5]},
             "own_length_2": {"hit_ratio": [0.97], "resident_blocks": [4.0e5, 4.1e5]}}  # fmt: skip
    found = sizing.blocks_to_hold(made({}, arms))
    assert found.low < 1e5 < 4e5 < found.point < found.high


@pytest.mark.parametrize(("enough", "less", "point"), [(0.92, 0.4, 0.07), (0.36, 0.3, -0.49), (0.95, 0.92, -0.07)])
def test_a_size_is_needed_if_it_reaches_the_target_and_the_next_smaller_does_not(
    enough: float, less: float, point: float
) -> None:
    shares = {name: {"hit_ratio": [share], "accesses": [1e5]} for name, share in (("tuned", enough), ("medium", less))}
    assert sizing.needed(made({}, shares)).point == pytest.approx(point)


@pytest.mark.parametrize(
    ("stated", "tuned", "said"),
    [
        ({}, {}, ""),
        ({}, {"lookup_hit_ratio": [0.05]}, "the hit ratios differ by 0.0 percentage points"),
        ({}, {"lookup_charged_bytes": [0.0]}, "charged nothing"),
        ({"lookup_waits": [0.02]}, {}, "2.0 % of the look-ups waited for the device"),
    ],
)
def test_caches_that_hit_alike_or_spare_no_wait_did_the_same_work(stated: Values, tuned: Values, said: str) -> None:
    every = {"lookup_hit_ratio": [0.05], "lookup_waits": [0.4], "lookup_charged_bytes": [1e9]}
    summary = made(every | stated, {"slow_tuned": {"lookup_hit_ratio": [0.45]} | tuned})
    found = sizing.same_work(summary, "slow_tuned", "stated")
    assert said in found
    assert bool(found) is bool(said)


def test_an_idle_cache_and_another_store_than_the_claim_names_are_told() -> None:
    idle = made({"keys_added": [50.0]}, {"tuned": {"keys_added": [50.0, 0.0]}}, events=3_000)
    assert "2048 / 1024 (tuned) admitted no block" in sizing.admitted_nothing(idle, "tuned", "stated")
    assert sizing.admitted_nothing(idle, "stated") == ""
    assert sizing.other_sizes(idle, "events", "workers") == "events of 3,000 where the claim names 50,000"


def test_an_index_cache_that_is_never_asked_answers_nothing_and_cannot_act(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inert, "published", lambda *asked: (9.0, 8.0))
    times = {"query_mean_ns": [5.0, 5.1], "query_index_cache_lookups": [0.0]}
    assert sizing.index_answers(made(times)).point == 0
    estimand = next(each.estimand for each in chapter.answers.given if each.claim == "B028")
    assert estimand.inert is not None
    found = estimand.inert(made(times))
    assert found is not None
    assert "was asked at least 8 times a trial" in found.control
    assert estimand.inert(made(times, {"tuned": {"query_index_cache_lookups": [9.0]}})) is None


def test_the_claims_that_name_a_size_are_those_whose_estimand_does() -> None:
    claims = chapter_claims("cache_sizing")
    small, few = made({}, events=3_000), made({}, lookup_rows=20_000)
    for answer in chapter.answers.given:
        said, departs = claims[answer.claim].estimand, answer.estimand.departs
        assert ("50,000 events" in said) is bool(departs and departs(small)), answer.claim
        of_lookups = f"{P.lookup_rows:,} rows" in said and f"bounded to {P.lookup_memory_mib} MiB" in said
        assert of_lookups is bool(departs and departs(few)), answer.claim


def test_the_notes_own_numbers_divide_to_55_megabytes_a_key() -> None:
    assert notes.cost_per_key_bytes() == pytest.approx(54.8e6, rel=1e-3)
    assert notes.hit_ratio() == pytest.approx(0.33, abs=0.005)
    assert notes.keys_left() * notes.cost_per_key_bytes() == pytest.approx(1.04e9, rel=0.01)
