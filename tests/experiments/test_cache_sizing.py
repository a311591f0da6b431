"""Cache sizing without an engine: its parameters, arms, requests, and what is made of a probe's answer."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart, visits

from benchbook import lab
from benchbook.chapters.cache_sizing import computed
from benchbook.chapters.cache_sizing.arms import (
    AGAIN,
    BLOCK_ONLY,
    DROPPED,
    FREE,
    FREE_TUNED,
    MEDIUM,
    SLOW,
    SLOW_AGAIN,
    SLOW_BLOCK_ONLY,
    SLOW_MINIMAL,
    SLOW_TUNED,
    STATED,
    TUNED,
    Parameters,
    configurations,
    length,
    of_the_suite,
)
from benchbook.claims import chapter_claims
from benchbook.engines import badger, probe
from benchbook.engines.badger import Build
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError, MachineError
from benchbook.measuring.badger import lookups, notes
from benchbook.measuring.badger.metrics import metrics
from benchbook.measuring.badger.request import request_of
from benchbook.measuring.samples import subsample
from benchbook.model import Outcome, Run
from benchbook.numbers import inert

chapter = lab.experiment("cache_sizing")

pytestmark = pytest.mark.usefixtures("still_machine")

CACHE: dict[str, Any] = {
    "hits": 30, "misses": 70, "keys_added": 50, "keys_evicted": 45, "cost_added_bytes": 50_000,
    "sets_rejected": 8, "keys_updated": 4, "sets_dropped": 1,
    "life_bounds_s": [2, 4], "life_counts": [36, 9, 0],
}  # fmt: skip
END: dict[str, Any] = {
    "block_cache": CACHE, "index_cache": None, "saved_events": 20, "stored_keys": 180, "seeks": 40, "tables": 1,
    "tables_bytes": 1000, "largest_table_bytes": 1000, "index_bytes": 10,
    "memory": {"device_read_bytes": 8192, "major_faults": 3},
}  # fmt: skip
EMPTY = CACHE | {name: 0 for name in CACHE if not name.startswith("life")} | {"life_counts": [0, 0, 0]}


ASKED: dict[str, Any] = {"load": {"events": 10}, "run": {"tests": ["peak", "burst"], "bursts": 10, "rounds": 1}}


def answer(**changes: Any) -> Answer:
    counters = {
        "round_1.peak": END | {"block_cache": EMPTY, "memory": {"device_read_bytes": 0, "major_faults": 1}},
        "round_1.burst": copy.deepcopy(END) | changes,
    }
    times = np.arange(1, 11, dtype=np.int64)
    series = {"round_1.peak.service": times, "round_1.burst.service": times, "round_1.burst.response": 2 * times}
    record = {"counters": counters, "seconds": {"round_1.peak": 2.0, "round_1.burst": 5.0}, "checked_reads": 7}
    return Answer(series, record)


def test_the_counters_become_shares_of_what_they_are_shares_of() -> None:
    found = metrics(answer(), ASKED)
    assert found["hit_ratio"] == 0.3
    assert found["misses_per_hit"] == pytest.approx(7 / 3)
    assert found["keys_added_per_miss"] == pytest.approx(5 / 7)
    assert found["evicted_share"] == 0.9
    assert found["evicted_within_2s_share"] == 0.8
    assert found["cost_per_key_bytes"] == 1000
    assert found["resident_blocks"] == 5
    assert found["turned_away_share"] == pytest.approx(7 / 70)
    assert found["device_reads_per_miss"] == pytest.approx(2 / 70)
    assert found["burst_major_faults"] == 2
    assert found["burst_mean_ns"] == 5.5
    assert found["response_mean_ns"] == 11
    assert found["peak_test_events_per_s"] == 5
    assert found["timed_saves"] == found["saved_events"] == 20
    assert found["burst_p95_ns"] is None, "ten saves say nothing of a tail"


def test_a_cache_that_is_not_there_or_was_never_asked_gives_no_number_and_no_zero() -> None:
    assert "hit_ratio" not in metrics(answer(block_cache=None), ASKED)
    unasked = metrics(answer(block_cache=EMPTY), ASKED)
    for name in ("hit_ratio", "misses_per_hit", "evicted_share", "cost_per_key_bytes", "device_reads_per_miss"):
        assert unasked[name] is None, name
    assert unasked["accesses"] == 0


def test_a_kernel_that_counts_no_device_reads_gives_none() -> None:
    found = metrics(answer(memory={}), ASKED)
    assert found["burst_device_reads"] is None
    assert found["device_reads_per_miss"] is None


def test_a_histogram_with_other_bounds_says_nothing_of_two_seconds() -> None:
    found = metrics(answer(block_cache=CACHE | {"life_bounds_s": [1, 2]}), ASKED)
    assert found["evicted_within_2s_share"] is None


def test_a_burst_that_ran_out_of_time_is_no_trial() -> None:
    with pytest.raises(MachineError, match="saved 10 of 40 events"):
        metrics(answer(), ASKED | {"load": {"events": 40}})


def test_every_setting_that_an_estimand_names_is_a_configuration() -> None:
    arms = {
        (a.settings["block_mib"], a.settings["index_mib"], a.settings["scope"]) for a in configurations(Parameters())
    }
    for named in ((64, 32, "query"), (2048, 32, "query"), (2048, 1024, "suite"), (1024, 512, "suite")):
        assert named in arms
    assert (384, 128, "suite") in arms
    assert (0, 1024, "suite") in arms
    builds = {a.settings["build"] for a in configurations(Parameters())}
    assert builds == {str(build) for build in Build}


def test_arms_differ_from_the_stated_one_in_what_their_names_say_and_in_nothing_else() -> None:
    p = Parameters()
    requests = {a.name: request_of(p, a, 1) for a in of_the_suite(configurations(p))}
    stated = requests[STATED]
    for name, options in {
        "snappy": {"compression"}, "zstd": {"compression"}, "stated_again": set(), length(64): set(),
        "block_cache_alone": {"block_cache_bytes"}, "tuned": {"block_cache_bytes", "index_cache_bytes"},
        "small_tables": {"mem_table_bytes", "base_table_bytes"},
    }.items():  # fmt: skip
        asked = requests[name]
        assert {key for key in asked["options"] if asked["options"][key] != stated["options"][key]} == options, name
        assert asked["load"] == stated["load"]
    assert requests["fewer_events"]["load"]["events"] == p.fewer_events


def test_the_arms_of_a_block_share_their_events() -> None:
    for block in range(2):
        assert len({t.seed for t in chapter.plan(Parameters(blocks=2)).trials if t.block == block}) == 1


@pytest.mark.parametrize(
    "values",
    [
        {"events": 0}, {"events": -1}, {"events": 5}, {"events": 20, "bursts": 30}, {"workers": 0}, {"rounds": 0},
        {"length_ladder_mib": [64]}, {"length_ladder_mib": [1, 2]}, {"length_ladder_mib": [64, 64]},
        {"length_ladder_mib": [0, 64]}, {"query_s": 0}, {"query_s": float("nan")}, {"burst_quiet_ms": float("inf")},
        {"small_mem_table_mib": 64}, {"kept_samples": 0}, {"block_cache_mib": 64},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(values)


def test_a_cache_larger_than_memory_is_refused_before_anything_starts() -> None:
    wanted = chapter.needs(Parameters.given({"length_ladder_mib": [64, 100_000_000]}))
    wanted = type(wanted)(wanted.disk_bytes, wanted.memory_bytes, dict)  # the probe is another question
    with pytest.raises(MachineError, match="of memory"):
        wanted.check()


def test_without_the_probe_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    with pytest.raises(MachineError) as caught:
        chapter.needs(Parameters()).check()
    assert "not built" in caught.value.problem
    assert "make probes" in caught.value.mend


def test_a_probe_that_does_not_say_its_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(probe.FOLDER, str(tmp_path))
    for build in Build:
        (tmp_path / build).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / build).chmod(0o755)
    with pytest.raises(MachineError, match="does not say its version"):
        badger.versions()


def test_kept_samples_run_from_the_first_to_the_last() -> None:
    latencies = np.arange(1001, dtype=np.int64)
    assert subsample(latencies, 2000) is latencies
    few = subsample(latencies, 101)
    assert few.tolist() == list(range(0, 1001, 10))


BLOCKS = 6


def planted(
    values: dict[str, list[float]], arms: dict[str, dict[str, list[float]]] | None = None, **others: Any
) -> Run:
    """A run of six blocks in which every arm has ``values``, and some arms their own, in turn. others: parameters."""
    p = Parameters(**{"blocks": BLOCKS} | others)
    rows = []
    for trial in chapter.plan(p).trials:
        own = values | (arms or {}).get(trial.configuration.name, {})
        rows.append(
            {"trial": trial.index, "block": trial.block, "configuration": trial.configuration.name, "session": 0}
            | {name: each[trial.block % len(each)] for name, each in own.items()}
        )
    where = {
        "engine_version": "0",
        "settings": {"default_block_cache_bytes": 256 << 20, "default_index_cache_bytes": 0},
    }
    return Run(
        "x", "cache_sizing", 1, p.model_dump(mode="json"), "custom", p.seed, p.blocks, where, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def made(values: dict[str, list[float]], arms: dict[str, dict[str, list[float]]] | None = None, **others: Any) -> Any:
    """The summary of such a run."""
    return chapter.summarize(planted(values, arms, **others))


def ladder_of(rungs: dict[int, tuple[list[float], list[float]]]) -> dict[str, dict[str, list[float]]]:
    """Size of the cache in MiB to hit ratios and resident blocks."""
    return {length(mib): {"hit_ratio": ratios, "resident_blocks": held} for mib, (ratios, held) in rungs.items()}


RUNGS = {
    1: ([0.3, 0.96], [10.0, 11.0]),
    2: ([0.94, 0.97], [40.0, 41.0]),
    4: ([0.96, 0.98], [160.0, 161.0]),
    64: ([0.99, 0.99], [600.0, 601.0]),
    2048: ([0.98, 0.99], [600.0, 601.0]),
}


def test_the_blocks_to_hold_lie_between_the_last_rung_that_misses_the_plateau_and_the_first_at_it() -> None:
    below, enough = computed.around_plateau(made({"hit_ratio": [0.5, 0.5]}, ladder_of(RUNGS), blocks=2))
    assert below.tolist() == [10.0, 0.0], "where the first rung is enough, between nothing and that one"
    assert enough.tolist() == [40.0, 11.0]


def test_the_interval_of_the_blocks_to_hold_reaches_from_one_rung_to_the_next() -> None:
    rungs = RUNGS | {1: ([0.3, 0.3], [9.9e4, 1.01e5]), 2: ([0.97, 0.98], [4.0e5, 4.1e5])}
    summary = made({"hit_ratio": [0.5, 0.5]}, ladder_of(rungs))
    found = computed.blocks_to_hold(summary)
    assert found.low < 1e5 < 4e5 < found.point < found.high
    assert verdicts(summary)["B019"].outcome is Outcome.DESIGN, "100,000 to 200,000 lie in the gap of the rungs"
    high = made({}, ladder_of(rungs | {1: ([0.3, 0.3], [3.0e5, 3.1e5])}))
    assert verdicts(high)["B019"].outcome is Outcome.CONTRADICTED
    empty = made({}, ladder_of(RUNGS | {1: ([0.99, 0.99], [11.0, 11.0])}))
    assert computed.blocks_to_hold(empty).low == 0


def verdicts(summary: Any) -> dict[str, Any]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(summary)}


def test_an_index_cache_that_is_never_asked_is_reported_as_0() -> None:
    found = verdicts(made({"query_index_cache_lookups": [0.0]}))
    assert found["B042"].estimate.point == 0
    assert found["B042"].outcome is Outcome.CONTRADICTED


def test_missing_numbers_leave_claims_open_and_never_decide_them() -> None:
    found = verdicts(made({"burst_mean_ns": [float("nan"), 1.0]}))
    for identity in ("B002", "B007", "B019", "B023", "B034", "B045"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert found[identity].estimate is None
    assert found["B014"].outcome is Outcome.CONTRADICTED
    assert found["B013"].outcome is Outcome.NOT_TESTABLE


@pytest.mark.parametrize(
    ("enough", "less", "outcome"),
    [
        (0.92, 0.4, Outcome.REPRODUCED), (0.36, 0.3, Outcome.CONTRADICTED), (0.95, 0.92, Outcome.CONTRADICTED),
        (0.92, 0.85, Outcome.DESIGN),
    ],
)  # fmt: skip
def test_a_size_is_needed_if_it_reaches_the_target_and_the_next_smaller_does_not(
    enough: float, less: float, outcome: Outcome
) -> None:
    def around(share: float) -> dict[str, list[float]]:
        return {"hit_ratio": [share - 0.01, share + 0.01], "accesses": [1e5]}

    found = verdicts(made({"keys_added": [50.0]}, {TUNED: around(enough), MEDIUM: around(less)}))["B045"]
    assert found.outcome is outcome, found.reason
    assert f"hit on {100 * enough:.1f} % and {100 * less:.1f} % of the look-ups, and the target is 85 %" in found.reason


@pytest.mark.parametrize(("share", "outcome"), [(0.9, Outcome.REPRODUCED), (0.36, Outcome.CONTRADICTED)])
def test_a_cache_is_too_small_if_a_larger_one_brings_the_hits_that_the_note_wants(
    share: float, outcome: Outcome
) -> None:
    larger = {BLOCK_ONLY: {"hit_ratio": [share, share + 0.01], "accesses": [1e5]}}
    assert verdicts(made({"keys_added": [50.0]}, larger))["B007"].outcome is outcome
    idle = {BLOCK_ONLY: larger[BLOCK_ONLY] | {"keys_added": [0.0]}}
    assert verdicts(made({"keys_added": [50.0]}, idle))["B007"].outcome is Outcome.DESIGN


def test_a_level_in_time_takes_two_visits() -> None:
    early = {"evicted_within_2s_share": [0.99, 0.98, 0.985], "lives": [1e5]}
    late = {"evicted_within_2s_share": [0.5, 0.51], "lives": [1e5]}
    alone = verdicts(made(early))["B006"]
    assert alone.outcome is Outcome.ONE_VISIT
    assert "a level of one configuration needs two visits that agree, and this is one" in alone.reason
    assert verdicts(chapter.summarize(visits(planted(early), planted(early))))["B006"].outcome is Outcome.REPRODUCED
    assert verdicts(chapter.summarize(visits(planted(late), planted(late))))["B006"].outcome is Outcome.CONTRADICTED
    unlike = [early] * 4 + [early | {"evicted_within_2s_share": [0.88, 0.885, 0.875]}]
    left = verdicts(chapter.summarize(visits(*(planted(each) for each in unlike))))["B006"]
    assert left.outcome is Outcome.INCONCLUSIVE, left.reason
    assert "these say: holds, holds, holds, holds, wrong" in left.reason


def test_counts_that_disagree_void_every_verdict() -> None:
    sound = {"saved_events": [10.0], "cost_per_key_bytes": [15e3, 15.1e3]}
    assert verdicts(made(sound | {"timed_saves": [10.0]}))["B020"].outcome is Outcome.REPRODUCED
    assert verdicts(made(sound | {"timed_saves": [10.0, 9.0]}))["B020"].outcome is Outcome.CHECK


TIMES = {
    "lookup_mean_ns": [10.0, 10.1, 10.05], "lookup_p95_ns": [30.0, 30.3, 30.15], "lookup_hit_ratio": [0.05],
    "lookup_waits": [0.4], "lookup_charged_bytes": [1e9], "lookup_index_lookups": [0.0], "keys_added": [50.0],
    "query_index_cache_lookups": [0.0], "query_mean_ns": [5.0, 5.1], "cost_per_key_bytes": [15e3, 15.1e3],
    "burst_mean_ns": [10.0, 10.1, 10.05], "burst_p95_ns": [30.0, 30.3, 30.15],
}  # fmt: skip
FASTER = {
    SLOW_BLOCK_ONLY: {"lookup_mean_ns": [2.0, 2.02, 2.01], "lookup_hit_ratio": [0.45]},
    SLOW_TUNED: {"lookup_mean_ns": [2.0, 2.02, 2.01], "lookup_hit_ratio": [0.45]},
    TUNED: {"burst_mean_ns": [2.0, 2.02, 2.01]},
}


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_voids_the_times(how: str, outcome: Outcome) -> None:
    run = planted(TIMES, FASTER)
    sound = verdicts(chapter.summarize(run))
    assert sound["B023"].outcome is sound["B026"].outcome is Outcome.REPRODUCED
    of_lookups = verdicts(chapter.summarize(set_apart(run, SLOW_AGAIN, SLOW, "lookup_mean_ns", how)))
    assert of_lookups["B023"].outcome is outcome
    assert of_lookups["B026"].outcome is Outcome.REPRODUCED, "another metric"
    of_saves = verdicts(chapter.summarize(set_apart(planted(TIMES, FASTER), AGAIN, STATED, "burst_mean_ns", how)))
    assert of_saves["B026"].outcome is outcome
    assert of_saves["B023"].outcome is of_saves["B020"].outcome is Outcome.REPRODUCED, "another metric, and a count"


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_decides_what_is_far_apart_and_every_count() -> None:
    found = verdicts(made(TIMES, FASTER))
    assert found["B026"].outcome is Outcome.REPRODUCED
    assert found["B020"].outcome is Outcome.REPRODUCED
    assert found["B020"].carried is None
    near = verdicts(made(TIMES, {TUNED: {"burst_mean_ns": [5.0, 5.02, 5.01]}}))["B026"]
    assert near.outcome in (Outcome.ONE_VISIT, Outcome.DESIGN)
    assert "[0.4" in near.reason


def test_a_store_of_another_size_decides_nothing_about_the_size_that_a_claim_names() -> None:
    whole = {"saved_events": [10.0], "timed_saves": [10.0], "cost_per_key_bytes": [15e3, 15.1e3]}
    assert verdicts(made(whole))["B020"].outcome is Outcome.REPRODUCED
    small = verdicts(made(whole, events=3_000))
    assert small["B020"].outcome is Outcome.OPEN_CONDITION
    assert "departs from the claim: events of 3,000 where the claim names 50,000." in small["B020"].reason
    assert small["B014"].outcome is Outcome.CONTRADICTED, "what the library sets does not depend on a store"


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = verdicts(made({"cost_per_key_bytes": [15e3, 15.1e3]}, blocks=5))["B020"]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "5 blocks instead of at least 6" in found.reason


def test_the_claims_that_name_a_size_are_those_whose_estimand_does() -> None:
    claims = chapter_claims("cache_sizing")
    every = chapter.answers.given
    departing = [each for each in every if each.estimand.departs]
    of_a_store, of_lookups = (
        [each for each in departing if each.estimand.departs(made({}, **other))]
        for other in ({"events": 3_000}, {"lookup_rows": 20_000})
    )
    sizeless = [each for each in every if not each.estimand.departs]
    assert len(sizeless) + len(of_a_store) + len(of_lookups) == len(every)
    for answer in sizeless:
        assert "50,000 events" not in claims[answer.claim].estimand
    for answer in of_a_store:
        assert "50,000 events" in claims[answer.claim].estimand
        assert "64 MB tables, 4 KB blocks" in claims[answer.claim].estimand
    p = Parameters()
    for answer in of_lookups:
        asked = claims[answer.claim].estimand
        for said in (
            f"{p.lookup_rows:,} rows", f"bounded to {p.lookup_memory_mib} MiB", f"{p.workers} closed-loop workers",
            f"{p.storage_iops:,} operations and {p.storage_mb_per_s} MB a second", "64 MB tables, 4 KB blocks",
        ):  # fmt: skip
            assert said in asked, (answer.claim, said)


def test_caches_of_look_ups_are_to_the_store_what_the_notes_are_to_its_own() -> None:
    p = Parameters()
    arms = {arm.name: arm for arm in configurations(p)}
    sizes = {name: lookups.request_of(p, arms[name], 1)["options"] for name in (SLOW, SLOW_TUNED, SLOW_BLOCK_ONLY)}
    store = lookups.size_bytes(p.lookup_rows)
    assert sizes[SLOW]["block_cache_bytes"] == pytest.approx(64 / 324 * store, abs=1)
    assert sizes[SLOW_TUNED]["block_cache_bytes"] == pytest.approx(32 * sizes[SLOW]["block_cache_bytes"], abs=32)
    assert sizes[SLOW_BLOCK_ONLY]["index_cache_bytes"] == sizes[SLOW]["index_cache_bytes"]
    assert lookups.request_of(p, arms["slow_snappy"], 1)["options"]["block_cache_bytes"] == 64 << 20
    for name, arm in arms.items():
        if name not in {each.name for each in of_the_suite([*arms.values()])}:
            assert lookups.request_of(p, arm, 1)["options"]["read_only"], name


def test_without_slow_storage_its_configurations_are_left_out_and_the_claims_on_them_stay_open() -> None:
    arms = {arm.name for arm in configurations(Parameters.given({"allow_slow_storage": False}))}
    assert {arm for arm in arms if arm.startswith("slow_")} == set()
    assert {DROPPED, FREE, FREE_TUNED} <= arms
    summary = made(TIMES, FASTER, allow_slow_storage=False)
    assert "no look-ups on a capped disk (allow_slow_storage=false)" in summary.departures()
    assert {verdicts(summary)[claim].outcome for claim in ("B023", "B040")} == {Outcome.INCONCLUSIVE}


@pytest.mark.parametrize(("name", "iops", "mb"), [("gp3_3000", 3_000, 125), ("gp3_16000", 16_000, 1_000)])
def test_a_volume_of_the_notes_is_asked_for_by_its_name(name: str, iops: int, mb: int) -> None:
    p = Parameters.given({"storage_iops": name, "storage_mb_per_s": name})
    assert (p.storage_iops, p.storage_mb_per_s) == (iops, mb)
    assert p.cap.read_iops == p.cap.write_iops == iops
    assert p.cap.read_bytes_per_s == mb * 1_000_000


@pytest.mark.parametrize(
    ("tuned", "said"),
    [
        ({"lookup_hit_ratio": [0.05]}, "the hit ratios differ by 0.0 percentage points"),
        ({"lookup_charged_bytes": [0.0]}, "charged nothing"),
    ],
)
def test_caches_that_hit_alike_decide_nothing(tuned: dict[str, list[float]], said: str) -> None:
    found = verdicts(made(TIMES, {SLOW_BLOCK_ONLY: FASTER[SLOW_BLOCK_ONLY] | tuned}))["B023"]
    assert found.outcome is Outcome.DESIGN
    assert said in found.reason


def test_look_ups_that_wait_for_no_device_decide_nothing() -> None:
    found = verdicts(made(TIMES | {"lookup_waits": [0.02]}, FASTER))
    assert found["B023"].outcome is Outcome.DESIGN
    assert "2.0 % of the look-ups waited for the device" in found["B023"].reason


def test_a_larger_cache_that_saves_no_wait_contradicts_the_note() -> None:
    """Hits differ and misses cost: that the reads stay is what the claim is about, not a treatment that is missing."""
    slower = {"lookup_mean_ns": [11.5, 11.6], "lookup_p95_ns": [33.0], "lookup_hit_ratio": [0.45]}
    arms = {SLOW_TUNED: slower, SLOW_BLOCK_ONLY: slower, SLOW_MINIMAL: {"lookup_hit_ratio": [0.15]}}
    found = verdicts(made(TIMES, arms | {TUNED: {"burst_mean_ns": [10.9, 11.0]}}))
    assert {found[claim].outcome for claim in ("B023", "B026", "B027", "B040")} == {Outcome.CONTRADICTED}


@pytest.mark.parametrize(
    ("control", "advised", "expected"),
    [((), Outcome.DESIGN, Outcome.DESIGN), ((9.0, 8.0), Outcome.NO_EFFECT, Outcome.CONTRADICTED)],
)
def test_an_index_cache_that_nobody_asks_cannot_act_where_a_control_shows_that_it_can_be_asked(
    control: tuple[float, ...], advised: Outcome, expected: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting that is advised without a number is not wrong for it; a gain that is expected is."""
    monkeypatch.setattr(inert, "published", lambda *asked: control)
    found = verdicts(made(TIMES, FASTER))
    for claim, outcome in (("B024", advised), ("B028", expected)):
        assert found[claim].outcome is outcome
        assert "the index cache was not asked once" in found[claim].reason
    asked = verdicts(made(TIMES, {SLOW_TUNED: FASTER[SLOW_TUNED] | {"lookup_index_lookups": [9.0]}}))["B024"]
    assert asked.outcome is not Outcome.DESIGN


def test_the_notes_own_numbers_divide_to_55_megabytes_a_key() -> None:
    assert notes.cost_per_key_bytes() == pytest.approx(54.8e6, rel=1e-3)
    assert notes.hit_ratio() == pytest.approx(0.33, abs=0.005)
    assert notes.keys_left() * notes.cost_per_key_bytes() == pytest.approx(1.04e9, rel=0.01)
