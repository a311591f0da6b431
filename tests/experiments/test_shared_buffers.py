"""Arms, settings, metrics and verdicts of shared_buffers, on planted numbers."""

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchbook import lab
from benchbook.chapters.shared_buffers import READS, SHARES, SWEEP, Parameters, configurations
from benchbook.engines.pgbench import Counters, Progress, Transactions, Workload
from benchbook.errors import MachineError
from benchbook.measuring.pgbench import capped, pool_bench
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.pool_bench import Bench, along
from benchbook.measuring.pgbench.tables import Tables
from benchbook.measuring.pgbench.tallies import Tally

chapter = lab.experiment("shared_buffers")

DATA = 784_179_200
PARAMETERS = Parameters()


def named(name: str) -> Any:
    return next(arm for arm in configurations(PARAMETERS) if arm.name == name)


def bench(data: int = DATA) -> Bench:
    """A session that has loaded so many bytes, on a disk past whose cache can be read, without its server."""
    nothing: Any = None
    cluster: Any = SimpleNamespace(direct_io_possible=True)
    return Bench(PARAMETERS, Tables(nothing, cluster, nothing, [], data, 0, "pglz", {}), 800)


def test_idle_huge_pages_are_kept_from_the_trial_as_those_in_use_are() -> None:
    idle = bench().uncounted(ExitStack(), named("round_3_huge_pages"))
    assert idle == pytest.approx(1.07 * 0.25 * bench().ram_bytes(named("round_3")), rel=1e-6)
    assert bench().uncounted(ExitStack(), named("scenario_a")) == 0


def test_huge_pages_that_cannot_be_reserved_are_refused_before_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_bench, "check", lambda *, allowed: None)
    monkeypatch.setattr(capped.kernel_settings, "refusal", lambda: None)
    monkeypatch.setattr(capped.huge_pages, "refusal", lambda wanted, *, allowed: "needs root")
    with pytest.raises(MachineError, match="huge pages reserved here: needs root") as caught:
        pool_bench.needs(PARAMETERS).check()
    assert "allow_vm_settings=false" in caught.value.mend
    pool_bench.needs(Parameters.given({"parts": ["three_runs"]})).check()
    pool_bench.needs(Parameters.given({"allow_vm_settings": False})).check()


def transactions(end_s: np.ndarray, latency_ns: np.ndarray, seconds: int = 12, clients: int = 4) -> Transactions:
    none = np.zeros(0)
    return Transactions(
        workload=Workload(clients=clients, duration_s=seconds), latency_ns=latency_ns, end_s=end_s, failed=0,
        run_tps_per_s=none.astype(np.int64), tps=len(end_s) / seconds, processed=len(end_s),
        progress=Progress(none, none, none),
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


@pytest.mark.parametrize(
    ("tally", "shares", "reads"),
    [
        (TALLY, (0.9, 0.075, 0.025), 2.5),
        (replace(TALLY, device_bytes=8192 * 400), (0.9, 0, 0.1), 40),  # read-ahead reads more than was missed
        (Tally(COUNTED, None, 0, 0, 0, None) - Tally(COUNTED, 3, 0, 0, 0, 4), (None, None, None), None),
    ],
)
def test_the_three_tiers_share_all_requests_and_what_was_not_counted_is_missing(
    tally: Tally, shares: tuple[float | None, ...], reads: float | None
) -> None:
    found = tally.metrics(10)
    assert tuple(found[f"{tier}_share_of_requests"] for tier in ("pool", "os", "device")) == shares
    assert found["device_reads_per_transaction"] == reads
    assert found["evictions_per_allocation"] == (0.5 if reads else None)
    assert found["evictions"] == (30 if reads else None)


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
