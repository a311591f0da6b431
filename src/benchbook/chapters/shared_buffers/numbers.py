"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.chapters.shared_buffers import arms, trials
from benchbook.chapters.shared_buffers.arms import BASELINE, QUARTER, SCENARIO_A, SCENARIO_B, THREE_EIGHTHS
from benchbook.chapters.shared_buffers.parameters import SMALL
from benchbook.chapters.shared_buffers.trials import EVICTIONS, IMAGES, IN_POOL, READS, Summary, Words, evicts
from benchbook.claims import Quantity
from benchbook.measuring.pgbench.estimands import restarts, smallest
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.settings import Part
from benchbook.measuring.pgbench.treatment import cap_share
from benchbook.measuring.pgbench.words import repeated
from benchbook.model import Estimate
from benchbook.notes import number
from benchbook.notes import table as note
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, custom, known, ratio, share
from benchbook.numbers.littles_law import littles_gate
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics import Gate

AA, AA_WARM = (arms.REPEATED, SCENARIO_A), (QUARTER, arms.ROUND_2)
"""The same settings twice; the second pair in two groups of a block."""
REPORTS = {claim: evidence(claim) for claim in ("R042", "R052", "R057", "R077")}
"""What note 003's own reports show of the claims that they decide."""
NOTE_SCALE, NOTE_POOL_GIB = 1250, 20.0
PER_PAGE, NOTE_PER_PAGE = "transactions_per_account_page", 0.92
"""Transactions of note 002's best run per page of pgbench_accounts: 31,532 x 60 / 2.05 million."""
_GAINS = {
    "gain": "tps", "gain_sd": "interval_sd_ns", "gain_peak": "peak_tps", "gain_min": "min_tps",
    "gain_latency": "latency_mean_ns",
}  # fmt: skip
"""Metric of each gain of Scenario B over A of which note 002 gives the size."""


def untestable(summary: Summary, answer: Answer) -> str:
    """That huge pages were not allowed, of a claim that needs them; "" of any other."""
    p = summary.parameters
    if answer.claim in ("R045", "R063") and "memory" in p.parts and not p.allow_vm_settings:
        return "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."
    return ""


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline against itself: of note 002's trials, or of those after a warm start."""
    warm = answer.estimand.names(summary) & {*summary.where("part", Part.WARM)}
    return [summary.aa_gate(*(AA_WARM if warm else AA), answer.estimand.metric or "")]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded and full memory, equal starts; of latencies Little's law too."""
    names = answer.estimand.names(summary)
    gates = summary.counts_gate(names)
    if warm := names & {*summary.where("part", Part.WARM)}:
        gates += [summary.bound_gate(names), summary.full_gate(warm)]
    if names & {*summary.where("part", Part.RESTART)}:
        gates.append(summary.dirty_gate(names))
    if answer.estimand.metric in ("latency_mean_ns", "interval_sd_ns"):
        gates.append(littles_gate(summary.of(names), float(summary.parameters.tpcb_seconds)))
    return gates


def _times(top: str, bottom: str, idle: Words, metric: str = "tps", *, size: bool = False, **ground: Any) -> Estimand:
    """Ratio of a metric of two configurations that takes time. size, ground: as in ``departs`` and ``Estimand``."""
    return ratio(top, bottom, metric, idle=idle, departs=trials.departs(top, bottom, size=size), **ground)


def _by_how_much(top: str, bottom: str, metric: str = "tps", *, small: str = SCENARIO_A) -> Estimand:
    """The same where the note gives a size, which the cap decides: other pools and no cap stand beside it."""
    working = trials.before(metric, turned=bottom == SCENARIO_B)
    return _times(top, bottom, evicts(small), metric, size=True, working=working)


def _held(summary: Summary) -> Estimate:
    """Share of the data in the pool of Scenario B, after as many transactions per page as the note's.

    After fewer, the share s becomes 1 - (1 - s)^r, with r the note's transactions over ours. It can be no more: a page
    that each transaction touches with probability p is missed with (1 - p)^n, and the mean of r-th powers over the
    pages is at least the r-th power of their mean (Jensen).
    """
    held, made, blocks = (summary.values(SCENARIO_B, metric) for metric in (IN_POOL, PER_PAGE, "data_blocks"))
    longer = np.maximum(1.0, NOTE_PER_PAGE / made)
    return summary.estimated(statistics.share, 1 - (1 - held) ** longer, blocks)


def _kept(summary: Summary) -> Estimate:
    """Pages in the pool after a CHECKPOINT over those before it: a share of them, as none can come from nowhere."""
    before, after = (summary.values(QUARTER, f"resident_{when}_checkpoint") for when in ("before", "after"))
    if before.min() < 1:
        raise NotEstimableError("there were no such pages before the CHECKPOINT", "use a longer warm_fill_seconds")
    return summary.estimated(statistics.share, np.minimum(after / before, 1.0), before)


def _reads_saved(summary: Summary) -> Estimate:
    """Device reads per transaction of Scenario A less those of B."""
    a, b = (summary.values(arm, READS) for arm in (SCENARIO_A, SCENARIO_B))
    return summary.estimated(statistics.difference, a, b)


def size_gib(summary: Summary) -> float:
    """Size of a fresh pgbench database at the note's scale, on the line through the two small sizes, in GiB."""
    sizes = summary.run.provenance.get("size_bytes_by_scale") or {}
    if len(sizes) < 2:
        raise NotEstimableError("this run did not measure two small data sets", "measure again")
    slope, start = np.polyfit([float(scale) for scale in sizes], np.array([*sizes.values()], dtype=float), 1)
    return float((slope * NOTE_SCALE + start) / 2**30)


_line = partial(known, words="The size is extrapolated to the note's scale from two small data sets")
_other_pools = tuple(arms.sweep_name(percent) for percent in arms.SWEEP if percent != 100)
NUMBERS = {
    **{name: _by_how_much(SCENARIO_B, SCENARIO_A, metric) for name, metric in _GAINS.items()},
    "baseline": _by_how_much(BASELINE, SCENARIO_B, small=BASELINE),
    "gain_pool": _times("pool_100", SCENARIO_A, evicts(SCENARIO_A), working=trials.before(large="pool_100")),
    "gain_beyond": _times("pool_120", "pool_100", evicts("pool_100"), inert=trials.no_room_needed),
    "gain_stated": ratio(SCENARIO_B, arms.sweep_name(trials.STATED), "tps"),
    "gain_local": ratio(arms.B_LOCAL, arms.A_LOCAL, "tps"),
    "gain_cold": ratio(arms.B_COLD, arms.A_COLD, "tps"),
    "gain_reads": ratio(arms.reads_name(100), arms.reads_name(SMALL), "tps"),
    "best_pool": smallest(
        "pool_100", _other_pools, idle=evicts(SCENARIO_A), departs=trials.departs("pool_100", *_other_pools)
    ),
    "best_run": smallest(
        SCENARIO_B, (BASELINE, SCENARIO_A), idle=evicts(BASELINE, SCENARIO_A),
        departs=trials.departs(SCENARIO_B, BASELINE, SCENARIO_A), working=trials.before(),
    ),
    "growth": _times(SCENARIO_B, arms.B_PREWARMED, trials.not_warmer, "growth"),
    "device_share": percent(share(SCENARIO_B, "device_share_of_requests", "block_requests", idle=trials.no_reads)),
    "reads_saved": custom(_reads_saved, Quantity.COUNTER, SCENARIO_A, SCENARIO_B, idle=trials.no_reads),
    "held": percent(custom(
        _held, Quantity.COUNTER, SCENARIO_B, SCENARIO_A, idle=trials.holds_more,
        working=lambda _: f"For a trial with fewer transactions per page than the note's {NOTE_PER_PAGE:g}, the most "
        "that it could then hold is used",
    )),
    "evicted": share(SCENARIO_B, "evictions_per_allocation", "allocations", idle=evicts(SCENARIO_A)),
    "cleaned": custom(
        lambda summary: statistics.exact(float(np.median(summary.values(SCENARIO_B, "buffers_clean")))),
        Quantity.COUNTER, SCENARIO_B, idle=evicts(SCENARIO_A),
        working=lambda _: "The count is of pages that the background writer wrote in the median trial",
    ),
    "data_gib": _line(size_gib),
    "data_over_pool": _line(lambda summary: size_gib(summary) / NOTE_POOL_GIB),
    "restarts": restarts("shared_buffers", "bgwriter_lru_maxpages", words="shared_buffers and bgwriter_lru_maxpages"),
    "cold": ratio(arms.A_COLD, SCENARIO_A, "tps"),
    "cold_first": ratio(arms.A_COLD, SCENARIO_A, "interval_01_tps"),
    "cold_third": ratio(arms.A_COLD, SCENARIO_A, "interval_03_tps"),
    "more_memory": _times(THREE_EIGHTHS, QUARTER, trials.takes_memory),
    "more_memory_1": ratio(arms.ROUND_1_THREE_EIGHTHS, arms.ROUND_1_QUARTER, "tps"),
    "left_free": percent(share(THREE_EIGHTHS, trials.FREE, "ram_blocks", idle=trials.takes_memory)),
    "resident": share(THREE_EIGHTHS, "resident_share_end", "data_blocks", idle=trials.takes_memory),
    "huge_pages": _times(QUARTER, arms.ORDINARY_PAGES, trials.huge),
    "restarted": ratio(arms.ROUND_2_COLD, arms.ROUND_2, "tps"),
    "five_back": ratio(arms.ROUND_2, arms.ROUND_3, "tps"),
    "after_checkpoint": _times(QUARTER, arms.NO_CHECKPOINT, trials.more_images),
    "kept": percent(custom(_kept, Quantity.COUNTER, QUARTER, bounded=True, idle=trials.wrote_pages)),
}  # fmt: skip


def _fell(tps: np.ndarray) -> float:
    """Which share of a trial has passed when a twelfth falls below 0.7 of the highest so far, the rule for a cliff."""
    fallen = tps < 0.7 * np.maximum.accumulate(tps)
    if not fallen.any():
        raise NotEstimableError("throughput does not fall", "use slower storage")
    return float(np.argmax(fallen)) / INTERVALS


def _course(summary: Summary) -> np.ndarray:
    """TPS of each twelfth of Scenario A, shape (12,)."""
    return np.asarray(summary.timeline(SCENARIO_A).mean(axis=0))


def served(summary: Summary) -> dict[str, dict[str, float]]:
    """Share of the requests for a block that each tier served, by configuration; mean over trials."""
    known = summary.having(summary.arms, *trials.SERVED)
    return {by: {arm: summary.mean(arm, metric) for arm in known} for metric, by in trials.SERVED.items()}


_OF_TRIALS = {
    "evicted_small": (SCENARIO_A, EVICTIONS), "evicted_stated": (arms.sweep_name(trials.STATED), EVICTIONS),
    "evicted_full": (SCENARIO_B, EVICTIONS), "dirty_most": (SCENARIO_A, "dirty_most_bytes"),
    "dirty_limit": (SCENARIO_A, "dirty_limit_bytes"), "to_device": (SCENARIO_A, "device_share_of_requests"),
    "images": (QUARTER, IMAGES), "images_without": (arms.NO_CHECKPOINT, IMAGES),
    "resident_before": (QUARTER, "resident_before_checkpoint"),
    "resident_after": (QUARTER, "resident_after_checkpoint"),
    "dirty_before": (QUARTER, "dirty_before_checkpoint"), "dirty_after": (QUARTER, "dirty_after_checkpoint"),
    "uncapped": (arms.A_LOCAL, "storage_write_iops"),
}  # fmt: skip
"""Configuration and metric of the words that are a number for each trial."""
WORDS: dict[str, Callable[[Summary], Any]] = {
    **{name: partial(Summary.values, arm=arm, metric=metric) for name, (arm, metric) in _OF_TRIALS.items()},
    "per_page": lambda summary: np.array([summary.mean(arm, PER_PAGE) for arm in (SCENARIO_A, SCENARIO_B)]),
    "failed": lambda summary: summary.failures(summary.arms),
    "other_pools": trials.beside,
    "other_pools_sd": partial(trials.beside, metric="interval_sd_ns"),
    "capped": trials.capped_writes,
    "cap_share": lambda summary: cap_share(summary, SCENARIO_A, arms.A_LOCAL),
    "again": lambda summary: repeated(summary, *AA, "tps", "latency_mean_ns", "interval_sd_ns", "min_tps", "growth"),
    "blocks_needed": lambda summary: {
        each: statistics.blocks_for_half_width(summary.gain(*AA).sd, np.log1p(each / 100)) for each in (5, 2, 1)
    },
    "waiting": lambda summary: min(summary.values(arms.reads_name(each), "littles_ratio").min() for each in arms.READS),
    "inspected": lambda summary: summary.inspected(
        {*summary.where("part", Part.RESTART)} - {arms.A_COLD, arms.B_COLD},
        "data_in_os_cache_start", "dirty_start_bytes",
    ),
    "course": _course,
    "noted_five_back": lambda _: number("r8g_runs", "tps", round=2) / number("r8g_runs", "tps", round=3),
    "fell_here": lambda summary: _fell(_course(summary)),
    "fell_there": lambda summary: _fell(note("c8gb_timeline").query("run == 2")["tps"].to_numpy()),
    "hits": lambda summary: {summary.label(arm): share for arm, share in served(summary)["shared buffers"].items()},
    "unbounded": lambda summary: summary.free_trials(summary.where("part", Part.WARM)),
    "left_out": lambda summary: [
        summary.label(arm) for sizes in trials.SWEEPS.values() for arm in sizes.values()
        if arm in summary.arms and not summary.has(arm, "tps")
    ],
}  # fmt: skip


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    three = note("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    rounds = note("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    columns = ["run", "shared_buffers (GB)", "TPS", "highest 5 s", "lowest 5 s", "mean latency (ms)"]
    first = three.set_axis(columns, axis=1).assign(note="002")
    second = rounds.set_axis([columns[0], columns[1], columns[2], columns[5]], axis=1).assign(note="003")
    both = pd.concat([first, second]).set_index(["note", "run"])
    return both.map(lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}")


TABLES = {"note_claims": _note_claims}
