"""Arms, settings, metrics and verdicts of shared_buffers, on planted numbers."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart

from benchbook import lab
from benchbook.chapters.shared_buffers import AA_WARM, READS, REVERTED, SHARES, SWEEP, Parameters, configurations
from benchbook.engines.pgbench import Counters, Progress, Transactions, Workload
from benchbook.engines.postgres import Binaries, find
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import capped, pool_bench
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.pool_bench import Bench, along
from benchbook.measuring.pgbench.settings import Part
from benchbook.measuring.pgbench.tables import Tables
from benchbook.measuring.pgbench.tallies import Tally
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("shared_buffers")

DATA = 784_179_200
PARAMETERS = Parameters()
pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")


@pytest.fixture(scope="module")
def binaries() -> Binaries:
    return find()


def named(name: str) -> Any:
    return next(arm for arm in configurations(PARAMETERS) if arm.name == name)


def bench(binaries: Binaries | None = None, *, data: int = DATA) -> Bench:
    """A session that has loaded so many bytes, on a disk past whose cache can be read, without its server."""
    nothing: Any = None
    cluster: Any = SimpleNamespace(direct_io_possible=True)
    return Bench(PARAMETERS, Tables(binaries or nothing, cluster, nothing, [], data, 0, "pglz", {}), 800)


def of(binaries: Binaries, name: str) -> Mapping[str, Any]:
    return bench(binaries).settings(named(name))


def test_pools_are_the_shares_that_their_names_say() -> None:
    def share(name: str) -> float:
        return bench().pool_blocks(named(name)) * 8192 / DATA

    for percent in SWEEP:
        assert share(SWEEP[percent]) == pytest.approx(percent / 100, abs=1e-4)
    for percent in READS:
        assert share(READS[percent]) == pytest.approx(percent / 100, abs=1e-4)
    for percent in SHARES:
        assert share(SHARES[percent]) == pytest.approx(percent / 25 / 0.92, abs=1e-4)
    assert share("scenario_a") == pytest.approx(0.2, abs=1e-4), "what was in force, not what the note says"
    assert 1 / share("ram_25") == pytest.approx(0.92, rel=1e-3), "rounds 2 and 3: data 0.92 of the 25 % pool"
    assert 1 / share("round_1_ram_25") == pytest.approx(2.5, rel=1e-3), "round 1: data 2.5 times the 25 % pool"


def test_each_reverted_configuration_differs_from_round_3_in_one_setting_and_agrees_there_with_round_2(
    binaries: Binaries,
) -> None:
    second, third = of(binaries, "round_2"), of(binaries, "round_3")
    changed = {"shared_buffers", "wal_compression", "bgwriter_lru_multiplier", "autovacuum_naptime"}
    assert {name for name in third if third[name] != second[name]} == changed
    for name, (setting, _) in REVERTED.items():
        given = of(binaries, name)
        differing = {each for each in third if given[each] != third[each]}
        if setting == "vm.nr_hugepages":
            assert differing == {"huge_pages"}, "with fewer pages than its pool needs the server would not start"
            assert bench().huge(named(name))[1] == bench().huge(named("round_2"))[1]
        else:
            assert differing == {setting}
            assert given[setting] == second[setting]
            assert bench().huge(named(name))[1] == bench().huge(named("round_3"))[1]
    assert second["autovacuum_naptime"] == "10s", "a minute of the note's minute"
    assert third["autovacuum_naptime"] == "100s"


def test_idle_huge_pages_are_kept_from_the_trial_as_those_in_use_are() -> None:
    idle = bench().uncounted(ExitStack(), named("round_3_huge_pages"))
    assert idle == pytest.approx(1.07 * 0.25 * bench().ram_bytes(named("round_3")), rel=1e-6)
    assert bench().uncounted(ExitStack(), named("scenario_a")) == 0


def test_only_note_002s_trials_have_its_dirty_limits_and_only_capped_ones_a_cap() -> None:
    for arm in configurations(PARAMETERS):
        limits = bench().limits(arm)
        if arm.settings["part"] == Part.RESTART:
            assert limits is not None
            assert limits.limit_bytes == pytest.approx(0.04 * 3 * DATA, rel=1e-6)
            assert limits.background_bytes == pytest.approx(0.01 * 3 * DATA, rel=1e-6)
        else:
            assert limits is None
        slow = arm.settings.get("capped", False)
        assert (bench().slowness(arm).cap == Cap(write_iops=800)) is slow
        assert bool(bench().slowness(arm).cap) is slow
    own = replace(bench(), parameters=Parameters.given({"allow_vm_settings": False}))
    assert own.limits(named("scenario_a")) is None


def test_the_three_runs_differ_in_what_the_note_changed_and_in_nothing_else(binaries: Binaries) -> None:
    base, a, b = (of(binaries, name) for name in ("baseline", "scenario_a", "scenario_b"))
    assert {k for k in base if base[k] != a[k]} == {
        "max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather",
    }  # fmt: skip
    assert [a[k] for k in ("max_worker_processes", "max_parallel_workers_per_gather")] == [32, 8]
    assert [base[k] for k in ("max_worker_processes", "max_parallel_workers_per_gather")] == [8, 4]
    assert {k for k in a if a[k] != b[k]} == {"shared_buffers", "bgwriter_lru_maxpages"}
    assert (a["bgwriter_lru_maxpages"], b["bgwriter_lru_maxpages"]) == (1000, 1250)


def test_only_reads_bypass_the_os_cache_and_only_note_003_has_huge_pages_and_autovacuum(binaries: Binaries) -> None:
    for arm in configurations(PARAMETERS):
        given = of(binaries, arm.name)
        assert ("debug_io_direct" in given) == (arm.settings["part"] == Part.READS and binaries.has_direct_io)
        assert (given["huge_pages"] == "on") == bool(arm.settings.get("huge_pages"))
        assert given.get("autovacuum", False) == (arm.settings["part"] == Part.WARM)


def test_the_logs_buffers_shrink_with_the_memory_but_not_below_the_default(binaries: Binaries) -> None:
    assert of(binaries, "ram_25")["wal_buffers"] == "16MB"
    large = bench(binaries, data=20 * 2**30).settings(named("ram_25"))
    assert large["wal_buffers"] == "128MB", "the note's own at the note's size"


def test_without_huge_pages_the_pools_lie_in_ordinary_ones_and_what_needs_them_is_left_out() -> None:
    without = configurations(Parameters.given({"allow_vm_settings": False}))
    left = {arm.name for arm in configurations(PARAMETERS)} - {arm.name for arm in without}
    assert left == {"ram_25_ordinary_pages", "round_3_huge_pages"}
    assert not any(arm.settings.get("huge_pages") for arm in without)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_bench, "check", lambda *, allowed: None)


@pytest.mark.usefixtures("storage")
def test_huge_pages_that_cannot_be_reserved_are_refused_before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capped.kernel_settings, "refusal", lambda: None)
    monkeypatch.setattr(capped.huge_pages, "refusal", lambda wanted, *, allowed: "needs root")
    with pytest.raises(MachineError, match="huge pages reserved here: needs root") as caught:
        pool_bench.needs(PARAMETERS).check()
    assert "allow_vm_settings=false" in caught.value.mend
    pool_bench.needs(Parameters.given({"parts": ["three_runs"]})).check()
    pool_bench.needs(Parameters.given({"allow_vm_settings": False})).check()


@pytest.mark.usefixtures("storage")
def test_dirty_limits_that_cannot_be_set_are_refused_before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capped.kernel_settings, "refusal", lambda: "not root")
    with pytest.raises(MachineError, match="dirty limits cannot be set or huge pages reserved here: not root"):
        pool_bench.needs(Parameters.given({"parts": ["three_runs"]})).check()
    pool_bench.needs(Parameters.given({"allow_vm_settings": False})).check()


def transactions(end_s: np.ndarray, latency_ns: np.ndarray, seconds: int = 12, clients: int = 4) -> Transactions:
    none = np.zeros(0)
    return Transactions(
        workload=Workload(clients=clients, duration_s=seconds), latency_ns=latency_ns, end_s=end_s, lag_ns=None,
        skipped=0, late=None, failed=0, run_tps_per_s=none.astype(np.int64), tps=len(end_s) / seconds,
        processed=len(end_s), progress=Progress(none, none, none),
    )  # fmt: skip


def test_twelfths_peak_minimum_and_growth_are_those_of_a_planted_course() -> None:
    per_interval = np.arange(100, 100 + 10 * INTERVALS, 10)
    ends = np.concatenate([k + np.linspace(0.01, 0.99, n) for k, n in enumerate(per_interval)])
    latency = np.full(len(ends), 1_000_000, dtype=np.int64)
    found = along(transactions(ends, latency))
    assert [found[f"interval_{k:02}_tps"] for k in range(1, 13)] == pytest.approx(per_interval.tolist())
    assert (found["min_tps"], found["peak_tps"]) == (100, 210)
    assert found["growth"] == pytest.approx((190 + 200 + 210) / (100 + 110 + 120))
    assert found["interval_sd_ns"] == 0
    whole = bench().of_all(transactions(ends, latency))
    assert whole["littles_ratio"] == pytest.approx((whole["tps"] or 0) * 1e-3 / 4)
    assert whole["transactions_per_account_page"] == len(ends) / (25 * 1_640)


def test_the_deviation_is_the_mean_over_the_twelfths_and_not_that_of_the_whole() -> None:
    ends = np.repeat(np.arange(12) + 0.5, 50)
    latency = np.repeat(np.arange(1, 13) * 1_000_000, 50) + np.tile([-1000, 1000], 300)
    found = along(transactions(ends, latency))
    assert found["interval_sd_ns"] == pytest.approx(1000 * np.sqrt(50 / 49))
    assert (bench().of_all(transactions(ends, latency))["latency_sd_ns"] or 0) > 3e6


def test_a_stalled_first_quarter_has_no_growth_and_an_empty_twelfth_no_deviation() -> None:
    ends = np.linspace(4, 11.9, 500)
    found = along(transactions(ends, np.full(500, 10, dtype=np.int64)))
    assert found["growth"] is None
    assert found["interval_sd_ns"] is None
    assert found["min_tps"] == 0


COUNTED = Counters(commits=10, rollbacks=0, hits=900, reads=100, checkpoints=0, wal_bytes=4_000)
TALLY = Tally(COUNTED, evictions=30, allocations=60, cleaned=5, full_images=2, device_bytes=25 * 8192)


def test_the_three_tiers_share_all_requests() -> None:
    found = TALLY.metrics(10)
    assert found["pool_share_of_requests"] == 0.9
    assert found["device_share_of_requests"] == 0.025
    assert found["os_share_of_requests"] == 0.075
    assert found["device_reads_per_transaction"] == 2.5
    assert found["evictions_per_allocation"] == 0.5
    assert found["evictions"] == 30


def test_read_ahead_does_not_make_the_device_serve_more_than_was_missed() -> None:
    found = replace(TALLY, device_bytes=8192 * 400).metrics(10)
    assert found["device_share_of_requests"] == 0.1
    assert found["os_share_of_requests"] == 0
    assert found["device_reads_per_transaction"] == 40


def test_what_was_not_counted_is_missing_and_not_zero() -> None:
    found = (Tally(COUNTED, None, 0, 0, 0, None) - Tally(COUNTED, 3, 0, 0, 0, 4)).metrics(1)
    for name in (
        "pool_share_of_requests", "device_share_of_requests", "os_share_of_requests", "device_reads_per_transaction",
        "evictions_per_allocation", "evictions",
    ):  # fmt: skip
        assert found[name] is None, name


BASE = {
    "tps": 5_000.0, "peak_tps": 5_500.0, "min_tps": 4_000.0, "growth": 1.1, "latency_mean_ns": 4e6,
    "latency_p95_ns": 9e6, "latency_p99_ns": 2e7, "latency_sd_ns": 3e6,
    "interval_sd_ns": 3e6, "reads_per_transaction": 1.0,
    "device_reads_per_transaction": 0.02, "pool_share_of_requests": 0.95, "os_share_of_requests": 0.0499,
    "device_share_of_requests": 0.0001, "block_requests": 1e6, "evictions_per_allocation": 0.2, "allocations": 1e5,
    "buffers_clean": 0.0, "littles_ratio": 1.0, "server_transactions": 60_000.0, "transactions": 60_000.0,
    "dirty_start_bytes": 1e6, "dirty_most_bytes": 5e7, "dirty_limit_bytes": 4.7e7, "evictions": 2e4,
    "huge_page_bytes": 0.0, "autovacuums": 3.0, "wal_bytes_per_transaction": 2_000.0,
    "storage_write_iops": 2_050.0, "pool_used_share": 1.0, "pool_blocks": 38_000.0, "data_blocks": 96_000.0,
    "ram_blocks": 150_000.0, "data_in_pool_end": 0.6, "data_in_os_cache_start": 1.0, "resident_share_end": 1.0,
    "least_available_share": 0.5, "swapped_bytes": 0.0, "killed_processes": 0.0, "resident_before_checkpoint": 38_000.0,
    "resident_after_checkpoint": 38_000.0, "dirty_before_checkpoint": 11_000.0, "dirty_after_checkpoint": 0.0,
    "full_images_per_transaction": 1.5, "transactions_per_account_page": 0.9, "data_in_pool_start": 0.0,
    **{f"interval_{k:02}_tps": 5_000.0 for k in range(1, 13)},
}  # fmt: skip
NOISY = ("tps", "peak_tps", "min_tps", "growth", "latency_mean_ns", "interval_sd_ns")
ROUNDS = ("round_2", "round_2_cold", "round_3", *REVERTED)
HOLD_ALL = (
    "pool_80", "pool_100", "pool_120", "scenario_b", "scenario_b_local_disk", "scenario_b_prewarmed",
    "scenario_b_cold_os_cache", *ROUNDS, "ram_25", "ram_37_5", "ram_62_5", "ram_25_no_checkpoint",
    "ram_25_ordinary_pages",
)  # fmt: skip
"""Pools that hold what a trial touches, and evict nothing."""
LEFT = {"ram_37_5": 0.55, "ram_62_5": 0.3}
"""The least memory that pools in huge pages leave, where they are not a quarter of it."""


def planted(
    factors: Mapping[str, Mapping[str, float]] | None = None,
    levels: Mapping[str, Mapping[str, float]] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Run:
    """A whole run: every metric as in BASE with 1 % noise, times ``factors``, or set to ``levels``, by arm.

    It has what the claims name: transactions per page, small pools that evict, large ones that take memory.
    """
    parameters = Parameters.given({"blocks": 6} | dict(given or {}))
    generator = np.random.default_rng(3)
    rows = []
    for trial in chapter.plan(parameters).trials:
        name = trial.configuration.name
        row: dict[str, Any] = {
            "trial": trial.index, "block": trial.block, "configuration": name, "seed": trial.seed, "session": 0,
            "started_at": "2026-01-17T10:00:00+00:00", "duration_s": 1.0, "state": "measured",
            "memory": "bounded to 2.19 GiB (control group v1)",
        }  # fmt: skip
        for metric, value in BASE.items():
            noise = float(np.exp(generator.normal(0, 0.01))) if metric in NOISY else 1.0
            row[metric] = value * noise * (factors or {}).get(name, {}).get(metric, 1.0)
        if name in HOLD_ALL:
            row["evictions_per_allocation"] = row["evictions"] = 0.0
            row["data_in_pool_end"] = 0.8
        if name == "ram_25_no_checkpoint":
            row["full_images_per_transaction"] = 1.2
        if trial.configuration.settings.get("huge_pages"):
            row["huge_page_bytes"] = 38_000.0 * 8192 + 2e7
            row["least_available_share"] = LEFT.get(name, 0.69)
        if name == "scenario_b_prewarmed":
            row["data_in_pool_start"] = 0.998
        rows.append(row | dict((levels or {}).get(name, {})))
    known = {
        "engine_version": "18.6", "size_bytes_by_scale": {"2": 31_522_816, "10": 156_966_912}, "data_bytes": DATA,
        "contexts": {"shared_buffers": "postmaster", "bgwriter_lru_maxpages": "sighup"}, "memory_bound": "bounded",
        "wal_compression": "pglz",
    }  # fmt: skip
    return Run(
        "0123456789ab-20260117T100000", "shared_buffers", 1, parameters.model_dump(mode="json"), "custom",
        parameters.seed, parameters.blocks, known | dict(provenance or {}), pd.DataFrame(rows),
        pd.DataFrame({"trial": [0], "series": ["transaction"], "latency_ns": [1]}), pd.DataFrame(),
    )  # fmt: skip


def verdicts(run: Run) -> dict[str, Any]:
    return {v.claim_id: v for v in chapter.judge(chapter.summarize(run))}


GAIN = {"scenario_b": {"tps": 1.31}, "ram_37_5": {"tps": 0.77}}
EVERY = [arm.name for arm in configurations(PARAMETERS)]
FEW = "; but the run departs from the claim: 0.40 transactions per page of the accounts where the claim names 0."
CASES: dict[str, tuple[Any, Any, dict[str, tuple[Outcome, str]]]] = {
    "nothing planted": (
        {}, {}, {"R042 R045": (Outcome.CONTRADICTED, ""), "R063": (Outcome.NO_EFFECT, "")},
    ),
    "a larger pool that takes memory": (GAIN, {}, {"R077": (Outcome.REPRODUCED, "")}),
    "a larger pool that takes none is not to blame for anything": (
        GAIN, {"ram_37_5": {"least_available_share": 0.66}},
        {"R042 R043 R045 R077": (Outcome.DESIGN, "left only 3.0 % of the memory less than")},
    ),
    "a checkpoint after which no more page images were logged is no cause": (
        {"ram_25": {"tps": 0.8}}, {"ram_25_no_checkpoint": {"full_images_per_transaction": 1.5}},
        {"R052": (Outcome.DESIGN, "logged 1.50 full page images, without one 1.50")},
    ),
    "a checkpoint that had nothing to do is no cause": (
        {}, {"ram_25": {"dirty_before_checkpoint": 0.0, "dirty_after_checkpoint": 0.0}},
        {"R057": (Outcome.DESIGN, "no page was dirty before the CHECKPOINT")},
    ),
    "huge pages that nobody used are no cause": (
        {}, {"ram_25": {"huge_page_bytes": 1e6}}, {"R063": (Outcome.DESIGN, "")},
    ),
    "where nothing is read there is no read to save": (
        {}, {"scenario_a": {"device_reads_per_transaction": 0.0026}},
        {
            "C045 C080": (Outcome.DESIGN, "read at most 0.0026 blocks per transaction from the device"),
            "C046": (Outcome.REPRODUCED, ""),
        },
    ),
    "fewer transactions per page than the notes had leave claims on times open": (
        GAIN, {name: {"transactions_per_account_page": 0.4} for name in EVERY},
        {
            "C031 C039 C049 C057": (Outcome.OPEN_CONDITION, f"{FEW}62"),
            "R077 R052": (Outcome.OPEN_CONDITION, f"{FEW}51"),
            "C043 C045 C046": (Outcome.REPRODUCED, ""),
            "R057": (Outcome.CONTRADICTED, ""),
        },
    ),
    "a small pool that falls makes fewer of them": (
        GAIN, {"scenario_a": {"transactions_per_account_page": 0.2}}, {"C031": (Outcome.REPRODUCED, "")},
    ),
    "a cap out of the notes' proportion leaves sizes open and no directions": (
        {"scenario_b": {"tps": 1.31}, "pool_100": {"tps": 1.31}}, {"scenario_a": {"storage_write_iops": 1_000.0}},
        {
            "C031": (
                Outcome.OPEN_CONDITION,
                "a cap of 0.20 writes for each transaction that is made without it, where the claim names 0.41",
            ),
            "C029 C057": (Outcome.REPRODUCED, ""),
        },
    ),
    "a pool that the discarded run did not fill leaves its claims open and no others": (
        {}, {"ram_37_5": {"pool_used_share": 0.4}},
        {"R077": (Outcome.CHECK, "were not full"), "R052": (Outcome.CONTRADICTED, "")},
    ),
    "counts that disagree open the claims of their arm alone": (
        GAIN, {"scenario_b": {"server_transactions": 59_999.0}},
        {"C031": (Outcome.CHECK, "counts agree"), "R077": (Outcome.REPRODUCED, "")},
    ),
    "dirty data at the start open the claims of their arm alone": (
        GAIN, {"scenario_b": {"dirty_start_bytes": 9e8}},
        {"C031": (Outcome.CHECK, "dirty volume"), "R077": (Outcome.REPRODUCED, "")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_verdict_tells_what_its_cause_did_and_what_departs(case: str) -> None:
    factors, levels, expected = CASES[case]
    found = verdicts(planted(factors, levels))
    for claims, (outcome, words) in expected.items():
        for claim in claims.split():
            assert found[claim].outcome is outcome, found[claim].reason
            assert words in found[claim].reason
            if outcome is Outcome.OPEN_CONDITION:
                assert found[claim].visits_needed is None, "no number of visits makes a trial longer"


def test_a_small_pool_that_evicted_nothing_in_one_trial_is_no_smaller_pool() -> None:
    run = planted()
    one = (run.trials["configuration"] == "scenario_a") & (run.trials["block"] == 4)
    run.trials.loc[one, "evictions"] = 0.0
    found = verdicts(run)
    assert found["C031"].outcome is Outcome.DESIGN
    assert "evicted nothing in 1 of 6 trials" in found["C031"].reason
    assert found["C008"].outcome is Outcome.CONTRADICTED, "another small pool"


def test_a_shorter_trial_counts_with_the_most_that_its_pool_could_hold_after_the_notes_transactions() -> None:
    def held(share: float, per_page: float) -> Verdict:
        level = {"data_in_pool_end": share, "transactions_per_account_page": per_page}
        less = {"data_in_pool_end": 0.2}
        return verdicts(planted(levels={"scenario_b": level, "scenario_a": less}))["C044"]

    short = held(0.5, 0.46).estimate
    assert short is not None
    assert short.point == pytest.approx(0.75, abs=1e-3), "half the transactions: what they missed is missed twice"
    assert held(0.5, 0.46).outcome is Outcome.CONTRADICTED
    long = held(0.5, 1.84).estimate
    assert long is not None
    assert long.point == pytest.approx(0.5, abs=1e-3), "a longer trial counts as it is"
    assert held(0.9, 0.3).outcome is not Outcome.CONTRADICTED, "the note's length could have filled the pool"
    assert held(0.2, 0.92).outcome is Outcome.DESIGN, "a pool that holds no more than the small one"


def test_pages_of_unequal_weight_fill_no_faster_than_the_bound_says() -> None:
    chances = np.random.default_rng(1).pareto(1.2, 5_000)
    chances /= chances.sum()
    for n, longer in ((1_000, 1.3), (5_000, 2.0), (20_000, 3.0)):
        held = 1 - ((1 - chances) ** n).mean()
        later = 1 - ((1 - chances) ** (n * longer)).mean()
        assert later <= 1 - (1 - held) ** longer


def test_memory_that_nothing_bounds_leaves_the_shares_of_memory_open() -> None:
    run = planted(GAIN)
    run.trials["memory"] = "not bounded: no control group may be made here (Permission denied)"
    found = verdicts(run)
    assert found["R077"].outcome is Outcome.CHECK
    assert "not bounded" in found["R077"].reason
    assert "memory that nothing bounds" in chapter.summarize(run).departures()


def test_littles_law_opens_the_claims_on_latency_and_no_others() -> None:
    gain = {"tps": 1.31, "min_tps": 1.69, "latency_mean_ns": 0.73, "interval_sd_ns": 0.14}
    run = planted({"scenario_b": gain})
    one = (run.trials["configuration"] == "scenario_b") & (run.trials["block"] == 1)
    run.trials.loc[one, "littles_ratio"] = 0.8
    found = verdicts(run)
    for claim in ("C034", "C041"):
        assert found[claim].outcome is Outcome.CHECK
        assert "Little's law: 1 of 12 trials miss it" in found[claim].reason
    for claim in ("C031", "C033", "C044", "C045", "C046", "R057"):
        assert "Little" not in found[claim].reason
        assert found[claim].outcome is not Outcome.CHECK
    other = verdicts(planted({"scenario_b": gain}, {"ram_25": {"littles_ratio": 0.8}}))
    assert other["C034"].outcome is Outcome.REPRODUCED, "another arm's trials"


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.CONTRADICTED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_opens_the_claims_on_that_metric(how: str, outcome: Outcome) -> None:
    found = verdicts(set_apart(planted(), "scenario_a_again", "scenario_a", "tps", how))
    for claim in ("C031", "C029"):
        assert found[claim].outcome is outcome, found[claim].reason
        assert ("A/A: the baseline against itself" in found[claim].reason) is (outcome is Outcome.CHECK)
    assert found["C033"].outcome is Outcome.CONTRADICTED, "another metric"
    assert found["R077"].outcome is Outcome.CONTRADICTED, "another pair"
    warm = verdicts(set_apart(planted(), *AA_WARM, "tps", how))
    assert (warm["R063"].outcome is Outcome.CHECK) is (outcome is Outcome.CHECK)
    assert warm["C031"].outcome is Outcome.CONTRADICTED
    assert found["C045"].outcome is Outcome.REPRODUCED, "a count"


def test_a_failed_trial_is_named_and_its_claims_stay_open() -> None:
    run = planted()
    failed = (run.trials["configuration"] == "scenario_b") & (run.trials["block"] == 2)
    run.trials.loc[failed, [*BASE]] = np.nan
    run.trials.loc[failed, "state"] = "failed: pgbench failed (2): server closed the connection"
    summary = chapter.summarize(run)
    assert summary.failures(summary.arms) == ["block 2 failed: pgbench failed (2): server closed the connection"]
    found = verdicts(run)
    assert found["C031"].outcome is Outcome.INCONCLUSIVE
    assert "block 2 failed" in found["C031"].reason
    assert found["R077"].outcome is not Outcome.INCONCLUSIVE or "failed" not in found["R077"].reason
    assert "Trials that failed: 1" in chapter.say(summary, "design").text


def test_arms_that_were_not_run_are_said_to_be_missing() -> None:
    huge = verdicts(planted(given={"allow_vm_settings": False}))
    for claim in ("R045", "R063"):
        assert huge[claim].outcome is Outcome.NOT_TESTABLE
        assert "allow_vm_settings" in huge[claim].reason
    part = verdicts(planted(given={"parts": ["three_runs"]}))
    assert part["R077"].outcome is Outcome.NOT_YET_RUN
    assert "was not run" in part["R077"].reason
    assert part["C031"].outcome is Outcome.CONTRADICTED
