"""The chapter's claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.parameters import NOTE_SECONDS
from benchbook.experiments.families.pgbench.treatment import Words, nothing_evicted, shorter
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, custom, known, ratio, share
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shared_buffers.arms import (
    B_LARGE,
    B_PREWARMED,
    BASELINE,
    NO_CHECKPOINT,
    QUARTER,
    QUARTER_HUGE,
    REPEATED,
    SCENARIO_A,
    SCENARIO_B,
    SHARES,
    SWEEP,
    THREE_EIGHTHS,
    THREE_EIGHTHS_HUGE,
    Part,
    share_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.model import Effect, Estimate
from benchbook.statistics import Gate

POOLS, SHARE_OF_RAM, TIERS = "fig-shared-buffers-pools", "fig-shared-buffers-share-of-ram", "fig-shared-buffers-tiers"
TIMELINES, CHECKPOINT = "fig-shared-buffers-timelines", "fig-shared-buffers-checkpoint"
CLAIMED, SIZES = "fig-shared-buffers-claims", "fig-shared-buffers-sizes"
AA = (REPEATED, SCENARIO_A)
EVICTIONS = "evictions_per_allocation"
LATENCIES = {"latency_mean_ns", "interval_sd_ns"}
NOTE_SCALE, NOTE_POOL_GIB = 1250, 20.0
NOTE_TRANSACTIONS_PER_PAGE = 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
WARM, COLD = 0.99, 0.01
"""Share of the data in the pool from which it counts as warm, and up to which as cold: the protocol's certificate."""
READS_A_TRANSACTION = 0.01
"""Device reads per transaction below which there are none to be saved: the least that the claim on them asks for."""
same_pools = nothing_evicted(EVICTIONS, SCENARIO_A, SCENARIO_B)


def no_reads(summary: Summary) -> str:
    """Why Scenario A had no read of the device to be saved; "" where it had."""
    most = float(summary.values(SCENARIO_A, "device_reads_per_transaction").max())
    if most >= READS_A_TRANSACTION:
        return ""
    return (
        f"{summary.label(SCENARIO_A)} read at most {most:.2g} blocks a transaction from the device, so there was no "
        "read to save"
    )


def not_warmer(summary: Summary) -> str:
    """Why an empty and a filled pool did not differ in what they held at the start; "" where they did."""
    least = float(summary.values(B_PREWARMED, "data_in_pool_start").min())
    most = float(summary.values(SCENARIO_B, "data_in_pool_start").max())
    if least >= WARM and most <= COLD:
        return ""
    return (
        f"the pools to be compared held {100 * most:.0f} % of the data at most and {100 * least:.0f} % at least "
        "when the trials began"
    )


def _departs(*arms: str) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def seconds(summary: Summary) -> float:
        p, warm = summary.parameters, summary.of_part(Part.WARM)
        return min(p.warm_seconds if arm in warm else p.tpcb_seconds for arm in arms)

    return shorter(seconds, NOTE_SECONDS)


def _times(top: str, bottom: str, metric: str = "tps", idle: Words | None = None) -> Estimand:
    """Ratio of a metric of two configurations that takes time."""
    return ratio(top, bottom, metric, idle=idle, departs=_departs(top, bottom))


def _pools(top: str, bottom: str, metric: str = "tps") -> Estimand:
    """The same of two sizes of the pool, which differ only where one of them evicts."""
    return _times(top, bottom, metric, nothing_evicted(EVICTIONS, top, bottom))


def _in_pool_at_note_length(summary: Summary, confidence: float) -> Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    held = summary.values(SCENARIO_B, "data_in_pool_end")
    longer = np.maximum(1.0, NOTE_TRANSACTIONS_PER_PAGE / summary.values(SCENARIO_B, "transactions_per_account_page"))
    blocks = summary.values(SCENARIO_B, "data_blocks")
    return statistics.share(1 - (1 - held) ** longer, blocks, confidence=confidence)


def _checkpointed(which: str) -> Estimand:
    """Pages after a CHECKPOINT over pages before it: a share of them, as none can come from nowhere."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        before = summary.values(QUARTER, f"{which}_before_checkpoint")
        if before.min() < 1:
            raise NotEstimableError("no such pages were there before the CHECKPOINT", "use a longer warm_fill_seconds")
        shares = np.minimum(summary.values(QUARTER, f"{which}_after_checkpoint") / before, 1.0)
        return statistics.share(shares, before, confidence=confidence)

    return custom(compute, Quantity.COUNTER, QUARTER, bounded=True)


def _best(one: str, others: Iterable[str], idle: Words | None = None) -> Estimand:
    """Smallest ratio of the TPS of one to those of the others, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        found = summary.against(one, others, confidence=confidence)
        return outermost([inverse(effect) for effect in found.values()], min)

    return custom(compute, Quantity.COMPARISON, one, *others, aa="tps", idle=idle, departs=_departs(one, *others))


def _rival(one: str, others: Iterable[str]) -> Estimand:
    """Largest ratio of the TPS of the others to that of one, from intervals that hold together."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        return outermost(summary.against(one, others, confidence=confidence).values(), max)

    return custom(compute, Quantity.COMPARISON, one, *others, aa="tps", departs=_departs(one, *others))


def outermost(effects: Iterable[Effect], pick: Callable[..., Effect]) -> Effect:
    """The largest (or smallest) of several ratios: its ends are the largest (or smallest) ends of their intervals."""
    every = list(effects)
    low, high = (getattr(pick(every, key=lambda effect, end=end: getattr(effect, end)), end) for end in ("low", "high"))
    return replace(pick(every, key=lambda effect: effect.point), low=low, high=high)


def inverse(effect: Effect) -> Effect:
    """The ratio the other way round."""
    return replace(effect, point=1 / effect.point, low=1 / effect.high, high=1 / effect.low)


def _reads_saved(summary: Summary, confidence: float) -> Estimate:
    a, b = (summary.values(arm, "device_reads_per_transaction") for arm in (SCENARIO_A, SCENARIO_B))
    return statistics.difference(a, b, confidence=confidence)


def size_at_note_scale_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise NotEstimableError("this run did not measure two small data sets", "measure again")
    scales = np.array([float(scale) for scale in sizes])
    slope, start = np.polyfit(scales, np.array(list(sizes.values()), dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


def _restarts(summary: Summary) -> float:
    contexts = summary.run.provenance.get("contexts") or {}
    wanted = [contexts.get(name) for name in ("shared_buffers", "bgwriter_lru_maxpages")]
    if None in wanted:
        raise NotEstimableError("this run did not record pg_settings", "measure again")
    return wanted.count("postmaster")


def _background_writes(summary: Summary) -> float:
    return float(np.median(summary.values(SCENARIO_B, "buffers_clean")))


def _most(summary: Summary) -> str:
    return (
        f"Of a trial with fewer transactions per page than the note's {NOTE_TRANSACTIONS_PER_PAGE:g}, the most that it "
        "could then hold counts"
    )


_line = partial(known, words="The size is read off the line through two small data sets at the note's scale")
_data_over_pool = _line(lambda summary: size_at_note_scale_gib(summary) / NOTE_POOL_GIB)
_smaller = tuple(sweep_name(percent) for percent in SWEEP if percent != 100)
_other_shares = tuple(share_name(percent) for percent in SHARES if percent != 25.0)
_all_three = nothing_evicted(EVICTIONS, SCENARIO_B, BASELINE, SCENARIO_A)
ANSWERS = (
    Answer(
        "C031", _pools(SCENARIO_B, SCENARIO_A), CLAIMED,
        said="a pool as large as the data gives 31 % more transactions",
        seen="with the note's other settings it gives {} times as many as a pool of 80 % of the data",
        lead=True, brief="it gives {} times as many as four fifths of them",
    ),
    Answer(
        "C041", _pools(SCENARIO_B, SCENARIO_A, "interval_sd_ns"), CLAIMED,
        said="the standard deviation of the latency drops from 3–5 ms to 0.5–0.6 ms",
        seen="it becomes {} times what it was",
    ),
    Answer(
        "C045", share(SCENARIO_B, "device_share_of_requests", "block_requests", idle=no_reads), TIERS,
        said="with a pool as large as the data nothing is read from the disk",
        seen="{} % of its requests for a block reach the device", factor=100,
    ),
    Answer(
        "C080", custom(_reads_saved, Quantity.COUNTER, SCENARIO_A, SCENARIO_B, idle=no_reads), TIERS,
        said="a pool as large as the data is faster since reads no longer get in the way of writes",
        seen="with a pool of 80 % of the data a transaction reads {} blocks more from the device",
    ),
    Answer(
        "C044", custom(_in_pool_at_note_length, Quantity.COUNTER, SCENARIO_B, working=_most), TIERS,
        said="a pool as large as the data caches all of it",
        seen="after as many transactions for each page as in its best run, at most {} % of the data are in it",
        factor=100, lead=True, brief="",
    ),
    Answer(
        "C040", _data_over_pool, SIZES,
        said="the data are about as large as its pool of 20 GB", seen="they take {} times that", lead=True,
    ),
    Answer(
        "C062", _pools(B_LARGE, SCENARIO_B), POOLS,
        said="extra room beyond the data helps", seen="120 % of the data give {} times the throughput of 100 %",
    ),
    Answer(
        "R077", _pools(THREE_EIGHTHS, QUARTER), SHARE_OF_RAM,
        said="a pool of 12 GB costs 23 % of the throughput of one of 8 GB",
        seen="37.5 % of the memory give {} times the throughput of 25 %",
        lead=True, brief="37.5 % of the memory give {} times that of 25 %",
    ),
    Answer(
        "R045", share(THREE_EIGHTHS_HUGE, "least_available_share", "ram_blocks"), SHARE_OF_RAM,
        said="a pool of 12 GB, 37.5 % of the memory, exhausts it",
        seen="{} % of it stay free at the worst moment", factor=100, lead=True, brief="{} % of it stay free at worst",
    ),
    Answer(
        "R046", _rival(QUARTER, _other_shares), SHARE_OF_RAM,
        said="a quarter of the memory is best", seen="the best of four other sizes has {} times its throughput",
    ),
    Answer(
        "R052", _times(QUARTER, NO_CHECKPOINT), CHECKPOINT,
        said="a CHECKPOINT costs throughput", seen="right after one the throughput is {} times that without",
    ),
    Answer(
        "R095", _checkpointed("dirty"), CHECKPOINT,
        said="a CHECKPOINT flushes dirty pages", seen="{} % stay dirty", factor=100, lead=True,
    ),
    Answer(
        "R057", _checkpointed("resident"), CHECKPOINT,
        said="a CHECKPOINT resets a warm cache", seen="right after one {} % of the pages are still in the pool",
        factor=100, lead=True, brief="",
    ),
    Answer("C008", _pools(BASELINE, SCENARIO_B), CLAIMED),
    Answer("C029", _pools("pool_100", SCENARIO_A), POOLS),
    Answer("C032", _pools(SCENARIO_B, SCENARIO_A, "peak_tps"), CLAIMED),
    Answer("C033", _pools(SCENARIO_B, SCENARIO_A, "min_tps"), CLAIMED),
    Answer("C034", _pools(SCENARIO_B, SCENARIO_A, "latency_mean_ns"), CLAIMED),
    Answer("C039", _times(SCENARIO_B, B_PREWARMED, "growth", not_warmer), TIMELINES),
    Answer("C043", _line(size_at_note_scale_gib), SIZES),
    Answer("C046", share(SCENARIO_B, EVICTIONS, "allocations", idle=same_pools), TIERS),
    Answer("C049", _best("pool_100", _smaller), POOLS),
    Answer("C057", _best(SCENARIO_B, (BASELINE, SCENARIO_A), _all_three), POOLS),
    Answer("C072", known(
        _restarts, "Of shared_buffers and bgwriter_lru_maxpages those with the context postmaster were counted"
    )),
    Answer("C077", _data_over_pool, SIZES),
    Answer("C079", known(
        _background_writes, "Pages that the background writer wrote in the median trial were counted", SCENARIO_B
    ), TIERS),
    Answer("R031", counts(THREE_EIGHTHS, QUARTER, "reads_per_transaction"), SHARE_OF_RAM),
    Answer("R042", _pools(THREE_EIGHTHS, QUARTER), SHARE_OF_RAM),
    Answer("R043", share(THREE_EIGHTHS, "resident_share_end", "data_blocks"), SHARE_OF_RAM),
    Answer("R063", _times(QUARTER_HUGE, QUARTER), SHARE_OF_RAM),
)  # fmt: skip


def untestable(summary: Summary, answer: Answer) -> str:
    """That huge pages were not allowed, of a claim that needs them; "" of any other."""
    lacking = answer.estimand.names(summary) & {QUARTER_HUGE, THREE_EIGHTHS_HUGE} - {*summary.arms}
    if "memory" not in summary.parameters.parts or not lacking:
        return ""
    return "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded and full memory, equal starts; of latencies Little's law too."""
    arms = answer.estimand.names(summary)
    gates = summary.counts_gate(arms)
    if arms & {*summary.of_part(Part.WARM)}:
        gates += [summary.bound_gate(arms), summary.full_gate(arms)]
    if arms & {*summary.of_part(Part.RESTART)}:
        gates.append(summary.dirty_gate(arms))
    if answer.estimand.metric in LATENCIES:
        gates.append(summary.littles_gate(arms))
    return gates
