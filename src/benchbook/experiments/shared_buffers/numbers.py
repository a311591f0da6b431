"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchbook.claims import Quantity
from benchbook.experiments.families.pgbench.estimands import largest, smallest
from benchbook.experiments.families.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.experiments.families.pgbench.settings import Part
from benchbook.experiments.families.pgbench.treatment import cap_share, every
from benchbook.experiments.families.pgbench.words import repeated
from benchbook.experiments.r8g_reported import evidence
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.claim_sides import Side, shown
from benchbook.experiments.shape.estimands import counts, custom, known, ratio, share
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shared_buffers import tables, treatment, trials
from benchbook.experiments.shared_buffers.arms import (
    A_COLD,
    A_LOCAL,
    B_COLD,
    B_LOCAL,
    B_PREWARMED,
    BASELINE,
    NO_CHECKPOINT,
    ORDINARY_PAGES,
    QUARTER,
    REPEATED,
    ROUND_1_QUARTER,
    ROUND_1_THREE_EIGHTHS,
    ROUND_2,
    ROUND_2_COLD,
    SCENARIO_A,
    SCENARIO_B,
    SHARES,
    SWEEP,
    THREE_EIGHTHS,
    reads_name,
    share_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.estimands import (
    NOTE_POOL_GIB,
    NOTE_TRANSACTIONS_PER_PAGE,
    background_writes,
    before,
    beside,
    by_how_much,
    in_pool_at_note_length,
    kept_by_checkpoint,
    most_held,
    pools,
    reads_saved,
    restarts,
    size_at_note_scale_gib,
    times,
)
from benchbook.experiments.shared_buffers.parameters import SMALL
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.experiments.shared_buffers.treatment import (
    EVICTIONS,
    evicts,
    holds_more,
    huge,
    more_images,
    no_reads,
    no_room_needed,
    not_warmer,
    takes_memory,
    wrote_pages,
)
from benchbook.statistics import Gate

__all__ = ["NUMBERS", "REPORTS", "TABLES", "WORDS", "Summary", "aa_gates", "checks", "untestable"]
AA, AA_WARM = (REPEATED, SCENARIO_A), (QUARTER, ROUND_2)
"""The same settings twice; the second pair in two groups of a block."""
HUGE = ("R045", "R063")
"""Claims that are about huge pages themselves."""
LATENCIES = {"latency_mean_ns", "interval_sd_ns"}
WHOLE = 0.99
"""From this share on the ledger reads data as cached."""
REPORTS = {claim: evidence(claim) for claim in ("R042", "R057", "R077")}
"""What note 003's own reports show of the claims that they decide."""


def untestable(summary: Summary, answer: Answer) -> str:
    """That huge pages were not allowed, of a claim that needs them; "" of any other."""
    if answer.claim not in HUGE or "memory" not in summary.parameters.parts or summary.parameters.allow_vm_settings:
        return ""
    return "This needs huge pages: run as root with allow_vm_settings=true on a machine that can reserve them."


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline against itself: of note 002's trials, or of those after a warm start."""
    warm = answer.estimand.names(summary) & {*summary.of_part(Part.WARM)}
    return [summary.aa_gate(*(AA_WARM if warm else AA), answer.estimand.metric or "")]


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


_taken = takes_memory(THREE_EIGHTHS, QUARTER)
_line = partial(known, words="The size is extrapolated to the note's scale from two small data sets")
_other_pools = tuple(sweep_name(percent) for percent in SWEEP if percent != 100)
_other_shares = tuple(share_name(percent) for percent in SHARES if percent != 25.0)
NUMBERS = {
    "gain": by_how_much(SCENARIO_B, SCENARIO_A),
    "gain_sd": by_how_much(SCENARIO_B, SCENARIO_A, "interval_sd_ns"),
    "gain_peak": by_how_much(SCENARIO_B, SCENARIO_A, "peak_tps"),
    "gain_min": by_how_much(SCENARIO_B, SCENARIO_A, "min_tps"),
    "gain_latency": by_how_much(SCENARIO_B, SCENARIO_A, "latency_mean_ns"),
    "baseline": by_how_much(BASELINE, SCENARIO_B, small=BASELINE),
    "gain_pool": replace(pools("pool_100", SCENARIO_A), working=before(large="pool_100")),
    "gain_beyond": replace(pools("pool_120", "pool_100"), inert=no_room_needed),
    "gain_stated": ratio(SCENARIO_B, sweep_name(80), "tps"),
    "gain_local": ratio(B_LOCAL, A_LOCAL, "tps"),
    "gain_cold": ratio(B_COLD, A_COLD, "tps"),
    "gain_reads": ratio(reads_name(100), reads_name(SMALL), "tps"),
    "best_pool": smallest(
        "pool_100", _other_pools, idle=evicts(SCENARIO_A), departs=treatment.departs("pool_100", *_other_pools)
    ),
    "best_run": smallest(
        SCENARIO_B, (BASELINE, SCENARIO_A), idle=evicts(BASELINE, SCENARIO_A),
        departs=treatment.departs(SCENARIO_B, BASELINE, SCENARIO_A), working=before(),
    ),
    "growth": times(SCENARIO_B, B_PREWARMED, not_warmer, "growth"),
    "device_share": percent(share(SCENARIO_B, "device_share_of_requests", "block_requests", idle=no_reads)),
    "reads_saved": custom(reads_saved, Quantity.COUNTER, SCENARIO_A, SCENARIO_B, idle=no_reads),
    "held": percent(custom(
        in_pool_at_note_length, Quantity.COUNTER, SCENARIO_B, SCENARIO_A, idle=holds_more, working=most_held
    )),
    "evicted": share(SCENARIO_B, "evictions_per_allocation", "allocations", idle=evicts(SCENARIO_A)),
    "cleaned": custom(
        background_writes, Quantity.COUNTER, SCENARIO_B, idle=evicts(SCENARIO_A),
        working=lambda _: "The count is of pages that the background writer wrote in the median trial",
    ),
    "data_gib": _line(size_at_note_scale_gib),
    "data_over_pool": _line(lambda summary: size_at_note_scale_gib(summary) / NOTE_POOL_GIB),
    "restarts": known(
        restarts, "The count is of those of shared_buffers and bgwriter_lru_maxpages whose context is postmaster"
    ),
    "cold": ratio(A_COLD, SCENARIO_A, "tps"),
    **{f"cold_{nth}": ratio(A_COLD, SCENARIO_A, f"interval_{of:02}_tps") for nth, of in (("first", 1), ("third", 3))},
    "more_memory": times(THREE_EIGHTHS, QUARTER, _taken),
    "more_memory_1": ratio(ROUND_1_THREE_EIGHTHS, ROUND_1_QUARTER, "tps"),
    "left_free": percent(share(THREE_EIGHTHS, "least_available_share", "ram_blocks", idle=_taken)),
    "resident": share(THREE_EIGHTHS, "resident_share_end", "data_blocks", idle=_taken),
    "reads": counts(THREE_EIGHTHS, QUARTER, "reads_per_transaction", idle=evicts(QUARTER)),
    "best_share": largest(
        QUARTER, _other_shares, idle=every(evicts(share_name(12.5)), _taken),
        departs=treatment.departs(QUARTER, *_other_shares),
    ),
    "huge_pages": times(QUARTER, ORDINARY_PAGES, huge),
    "restarted": ratio(ROUND_2_COLD, ROUND_2, "tps"),
    "after_checkpoint": times(QUARTER, NO_CHECKPOINT, more_images),
    "kept": percent(kept_by_checkpoint(wrote_pages)),
}  # fmt: skip


def _values(arm: str, metric: str) -> Callable[[Summary], np.ndarray]:
    return lambda summary: summary.values(arm, metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "per_page": trials.per_page,
    "note_per_page": lambda summary: NOTE_TRANSACTIONS_PER_PAGE,
    "memory_bound": lambda summary: summary.run.provenance.get("memory_bound", "not known"),
    "failed": lambda summary: summary.failures(summary.arms),
    "other_pools": beside(),
    "other_pools_sd": beside("interval_sd_ns"),
    "evicted_small": _values(SCENARIO_A, EVICTIONS),
    "evicted_stated": _values(sweep_name(80), EVICTIONS),
    "evicted_full": _values(SCENARIO_B, EVICTIONS),
    "dirty_most": _values(SCENARIO_A, "dirty_most_bytes"),
    "dirty_limit": _values(SCENARIO_A, "dirty_limit_bytes"),
    "not_full": lambda summary: shown(judging.verdicts(summary), "C044", Side.BELOW, WHOLE),
    "to_device": lambda summary: float(summary.values(SCENARIO_A, "device_share_of_requests").mean()),
    **{
        f"{pages}_{when}": _values(QUARTER, f"{pages}_{when}_checkpoint")
        for pages in ("resident", "dirty")
        for when in ("before", "after")
    },
    "images": _values(QUARTER, "full_images_per_transaction"),
    "images_without": _values(NO_CHECKPOINT, "full_images_per_transaction"),
    "capped": trials.capped,
    "uncapped": _values(A_LOCAL, "storage_write_iops"),
    "cap_share": lambda summary: cap_share(summary, SCENARIO_A, A_LOCAL),
    "note_cap_share": lambda summary: NOTE_WRITES_PER_TRANSACTION,
    "again": lambda summary: repeated(
        summary, REPEATED, SCENARIO_A, "tps", "latency_mean_ns", "interval_sd_ns", "min_tps", "growth"
    ),
    "blocks_needed": trials.blocks_needed,
    "waiting": trials.waiting,
    "inspected": trials.inspected,
    "fell": trials.fell,
}
TABLES = {"note_claims": tables.note_claims, "differences": tables.differences, "overview": tables.overview}
