"""The chapter's claims: how each number comes from the stored trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from benchbook.claims import Quantity
from benchbook.experiments.r8g_reported import evidence
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, custom, known, ratio, reported, share
from benchbook.experiments.shared_buffers.arms import (
    B_PREWARMED,
    BASELINE,
    NO_CHECKPOINT,
    ORDINARY_PAGES,
    QUARTER,
    REPEATED,
    ROUND_2,
    SCENARIO_A,
    SCENARIO_B,
    SHARES,
    SWEEP,
    THREE_EIGHTHS,
    Part,
    share_name,
    sweep_name,
)
from benchbook.experiments.shared_buffers.estimands import (
    NOTE_POOL_GIB,
    background_writes,
    best,
    in_pool_at_note_length,
    kept_by_checkpoint,
    most_held,
    reads_saved,
    restarts,
    rival,
    size_at_note_scale_gib,
)
from benchbook.experiments.shared_buffers.other_pools import before, beside
from benchbook.experiments.shared_buffers.summary import Summary
from benchbook.experiments.shared_buffers.treatment import (
    Words,
    departs,
    departs_in_size,
    every,
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

POOLS, SHARE_OF_RAM, TIERS = "fig-shared-buffers-pools", "fig-shared-buffers-share-of-ram", "fig-shared-buffers-tiers"
TIMELINES, CHECKPOINT = "fig-shared-buffers-timelines", "fig-shared-buffers-checkpoint"
CLAIMED, SIZES = "fig-shared-buffers-claims", "fig-shared-buffers-sizes"
AA = (REPEATED, SCENARIO_A)
AA_WARM = (QUARTER, ROUND_2)
"""The same settings in two groups of a block."""
HUGE = ("R045", "R063")
"""Claims that are about huge pages themselves."""
LATENCIES = {"latency_mean_ns", "interval_sd_ns"}


def _times(top: str, bottom: str, idle: Words, metric: str = "tps") -> Estimand:
    """Ratio of a metric of two configurations that takes time."""
    return ratio(top, bottom, metric, idle=idle, departs=departs(top, bottom))


def _pools(large: str, small: str) -> Estimand:
    """The same of TPS with a pool that holds the data over a smaller one, which differ only where that one evicts."""
    return _times(large, small, evicts(small))


def _by_how_much(top: str, bottom: str, metric: str = "tps", *, small: str = SCENARIO_A) -> Estimand:
    """The same where the note gives a size, which the cap decides: other pools and no cap stand beside it."""
    return ratio(
        top, bottom, metric, idle=evicts(small), departs=departs_in_size(top, bottom),
        working=before(metric, turned=bottom == SCENARIO_B),
    )  # fmt: skip


_taken = takes_memory(THREE_EIGHTHS, QUARTER)
_line = partial(known, words="The size is extrapolated to the note's scale from two small data sets")
_data_over_pool = _line(lambda summary: size_at_note_scale_gib(summary) / NOTE_POOL_GIB)
_other_pools = tuple(sweep_name(percent) for percent in SWEEP if percent != 100)
_other_shares = tuple(share_name(percent) for percent in SHARES if percent != 25.0)
_ANSWERS = (
    Answer(
        "C031", _by_how_much(SCENARIO_B, SCENARIO_A), CLAIMED,
        said="a pool as large as the data gives 31 % more transactions",
        seen="on capped storage it gives {} times as many as a pool of 20 % of the data, which the note's "
        "reports show where it says 16 GB",
        lead=True, brief="on capped storage it gives {} times as many as a pool of 20 % of it", beside=beside(),
        row="mean TPS: pool 100 ÷ 20 %",
    ),
    Answer(
        "C041", _by_how_much(SCENARIO_B, SCENARIO_A, "interval_sd_ns"), CLAIMED,
        said="the standard deviation of the latency drops from 3–5 ms to 0.5–0.6 ms",
        seen="it becomes {} times what it was", beside=beside("interval_sd_ns"),
        row="standard deviation of latency: pool 100 ÷ 20 %",
    ),
    Answer(
        "C045", share(SCENARIO_B, "device_share_of_requests", "block_requests", idle=no_reads), TIERS,
        said="with a pool as large as the data nothing is read from the disk",
        seen="{} % of its requests for a block reach the device", factor=100,
    ),
    Answer(
        "C080", custom(reads_saved, Quantity.COUNTER, SCENARIO_A, SCENARIO_B, idle=no_reads), TIERS,
        said="a pool as large as the data is faster because reads no longer get in the way of writes",
        seen="with a pool of 20 % of the data, a transaction reads {} more blocks from the device",
    ),
    Answer(
        "C044",
        custom(in_pool_at_note_length, Quantity.COUNTER, SCENARIO_B, SCENARIO_A, idle=holds_more, working=most_held),
        TIERS,
        said="a pool as large as the data caches all of it",
        seen="it has room for all and had not filled yet: after as many transactions per page as in its best run, at "
        "most {} % of the data is in it",
        factor=100,
    ),
    Answer(
        "C040", _data_over_pool, SIZES,
        said="the data is about as large as its pool of 20 GB", seen="it takes {} times the pool",
    ),
    Answer(
        "C062", _pools("pool_120", "pool_100"), POOLS,
        said="extra room beyond the data helps", seen="120 % of the data gives {} times the throughput of 100 %",
        cause="evictions from the smaller of the two pools",
    ).but(inert=no_room_needed),
    Answer(
        "R077", _times(THREE_EIGHTHS, QUARTER, _taken), SHARE_OF_RAM,
        said="a pool of 12 GB costs 23 % of the throughput of one of 8 GB",
        seen="37.5 % of the memory gives {} times the throughput of 25 %",
        lead=True, brief="37.5 % of the memory gives {} times that of 25 %",
    ),
    Answer(
        "R045", share(THREE_EIGHTHS, "least_available_share", "ram_blocks", idle=_taken), SHARE_OF_RAM,
        said="a pool of 12 GB, 37.5 % of the memory, exhausts it",
        seen="{} % of it stays free at the worst "
        "moment", factor=100, lead=True, brief="{} % of it stays free at "
        "worst",
    ),
    Answer(
        "R046", rival(QUARTER, _other_shares, every(evicts(share_name(12.5)), _taken)), SHARE_OF_RAM,
        said="a quarter of the memory is best", seen="the best of three other sizes has {} times its throughput",
    ),
    Answer(
        "R052", _times(QUARTER, NO_CHECKPOINT, more_images), CHECKPOINT,
        said="a CHECKPOINT costs throughput", seen="right after one, the throughput is {} times that without",
    ),
    Answer(
        "R057", kept_by_checkpoint(wrote_pages), CHECKPOINT,
        said="a CHECKPOINT resets a warm cache", seen="right after one, {} % of the pages are still in the pool",
        factor=100, lead=True, brief="",
    ),
    Answer("C008", _by_how_much(BASELINE, SCENARIO_B, small=BASELINE), CLAIMED, row="mean TPS: baseline ÷ pool 100 %"),
    Answer("C029", _pools("pool_100", SCENARIO_A), POOLS).but(working=before(large="pool_100")),
    Answer("C032", _by_how_much(SCENARIO_B, SCENARIO_A, "peak_tps"), CLAIMED, row="highest TPS: pool 100 ÷ 20 %"),
    Answer("C033", _by_how_much(SCENARIO_B, SCENARIO_A, "min_tps"), CLAIMED, row="lowest TPS: pool 100 ÷ 20 %"),
    Answer(
        "C034", _by_how_much(SCENARIO_B, SCENARIO_A, "latency_mean_ns"), CLAIMED,
        row="mean latency: pool 100 ÷ 20 %",
    ),
    Answer("C039", _times(SCENARIO_B, B_PREWARMED, not_warmer, "growth"), TIMELINES),
    Answer("C043", _line(size_at_note_scale_gib), SIZES),
    Answer("C046", share(SCENARIO_B, "evictions_per_allocation", "allocations", idle=evicts(SCENARIO_A)), TIERS),
    Answer("C049", best("pool_100", _other_pools, evicts(SCENARIO_A)), POOLS),
    Answer("C057", best(SCENARIO_B, (BASELINE, SCENARIO_A), evicts(BASELINE, SCENARIO_A)), POOLS).but(working=before()),
    Answer("C072", known(
        restarts, "The count is of those of shared_buffers and bgwriter_lru_maxpages whose context is postmaster"
    )),
    Answer("C077", _data_over_pool, SIZES),
    Answer("C079", custom(
        background_writes, Quantity.COUNTER, SCENARIO_B, idle=evicts(SCENARIO_A),
        working=lambda _: "The count is of pages that the background writer wrote in the median trial",
    ), TIERS),
    Answer("R031", counts(THREE_EIGHTHS, QUARTER, "reads_per_transaction", idle=evicts(QUARTER)), SHARE_OF_RAM),
    Answer("R042", _times(THREE_EIGHTHS, QUARTER, _taken), SHARE_OF_RAM),
    Answer("R043", share(THREE_EIGHTHS, "resident_share_end", "data_blocks", idle=_taken), SHARE_OF_RAM),
    Answer("R063", _times(QUARTER, ORDINARY_PAGES, huge), SHARE_OF_RAM),
)  # fmt: skip
ANSWERS = reported(_ANSWERS, evidence, "R042", "R057", "R077")
"""Those that note 003's own reports decide are judged by them first."""


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
