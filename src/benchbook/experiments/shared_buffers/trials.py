"""What the trials of a run show that is no estimand: their starts, their storage, their falls, and the noise."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from benchbook import statistics
from benchbook.experiments.families.pgbench.parameters import INTERVALS, NOTE_SECONDS
from benchbook.experiments.families.pgbench.settings import Part
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.arms import REPEATED, SCENARIO_A, SCENARIO_B
from benchbook.experiments.shared_buffers.summary import Summary

FELL = 0.7
"""Share of its highest throughput so far below which a course has fallen: the rule for a cliff."""


def per_page(summary: Summary) -> float:
    """Transactions of a trial of A or B per page of the accounts."""
    metric = "transactions_per_account_page"
    arms = summary.having((SCENARIO_A, SCENARIO_B), metric)
    if not arms:
        raise NotEstimableError("nobody counted the pages of the accounts", "measure again")
    return float(np.mean([summary.values(arm, metric).mean() for arm in arms]))


def capped(summary: Summary) -> np.ndarray:
    """Writes of 8 KiB a second before each trial on capped storage."""
    capped = [arm for arm in summary.arms if summary.configurations[arm].settings.get("capped")]
    return np.concatenate([summary.values(arm, "storage_write_iops") for arm in capped])


def blocks_needed(summary: Summary) -> dict[int, int]:
    """Half width of a ratio of TPS in % to the blocks that it takes."""
    sd = summary.gain(REPEATED, SCENARIO_A).sd
    found = {each: statistics.blocks_for_half_width(sd, math.log1p(each / 100)) for each in (5, 2, 1)}
    return {each: blocks for each, blocks in found.items() if blocks is not None}


def waiting(summary: Summary) -> float:
    """The least share of their time that clients of read-only trials wait for the server."""
    reads = summary.having(summary.of_part(Part.READS), "littles_ratio")
    if not reads:
        raise NotEstimableError("there are no read-only trials", "measure all parts")
    return min(float(summary.values(arm, "littles_ratio").min()) for arm in reads)


def inspected(summary: Summary) -> SimpleNamespace:
    """Trials whose caches were inspected; share of the data in the OS cache and MiB dirty, least and most."""
    warm = (a for a in summary.of_part(Part.RESTART) if summary.configurations[a].settings.get("os_cache", True))
    # nobody looked before a trial that failed
    part = summary.of(warm).reindex(columns=["data_in_os_cache_start", "dirty_start_bytes"]).dropna()
    if part.empty:
        raise NotEstimableError("nobody inspected the caches", "measure on Linux")
    cached, dirty = part["data_in_os_cache_start"], part["dirty_start_bytes"] / 2**20
    least, most = f"{cached.min():.1%}", f"{cached.max():.1%}"
    return SimpleNamespace(trials=len(part), least=least, most=most, clean=dirty.min(), dirty=dirty.max())


def fell(summary: Summary) -> SimpleNamespace:
    """Which share of a trial has passed when A falls, here and in the note."""
    noted = note("c8gb_timeline").query("run == 2")
    here = _falls(summary.timeline(SCENARIO_A).mean(axis=0), np.linspace(0, 1, INTERVALS + 1)[:-1])
    there = _falls(noted["tps"].to_numpy(), noted["t_s"].to_numpy() / NOTE_SECONDS - 1 / INTERVALS)
    return SimpleNamespace(here=here, there=there)


def _falls(tps: np.ndarray, shares: np.ndarray) -> float:
    fallen = tps < FELL * np.maximum.accumulate(tps)
    if not fallen.any():
        raise NotEstimableError("throughput does not fall", "use slower storage")
    return float(shares[np.argmax(fallen)])
