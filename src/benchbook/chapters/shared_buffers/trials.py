"""What the trials of a run show: metrics in words, checks, which cause acted in them, what they lack of the claims."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook.chapters.shared_buffers import arms
from benchbook.chapters.shared_buffers.parameters import SMALL, Parameters
from benchbook.figures.numbers import with_interval
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import MIB, MS, percent
from benchbook.measuring.pgbench.parameters import INTERVALS
from benchbook.measuring.pgbench.settings import BLOCK_BYTES, Part
from benchbook.measuring.pgbench.treatment import off_proportion, too_few
from benchbook.numbers.inert import Control, cannot_act
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import filled

Words = Callable[[Any], str]
EVICTIONS, IN_POOL, READS = "evictions", "data_in_pool_end", "device_reads_per_transaction"
IMAGES, FREE = "full_images_per_transaction", "least_available_share"
WARM, COLD = 0.99, 0.01
"""Share of the data in the pool from which it counts as warm, and up to which as cold: the protocol's certificate."""
READS_A_TRANSACTION = 0.01
"""Device reads per transaction below which there are none to be saved: the least that the claim on them asks for."""
TAKEN = 0.05
"""Share of the memory that a larger pool leaves less of, from which it counts as taken."""
LEAST_PER_PAGE = {Part.RESTART: 0.62, Part.WARM: 0.51}
"""Transactions per page of pgbench_accounts: the least of note 002's three runs, and of note 003's rounds 2 and 3."""
STATED = 80
"""The pool that note 002 states, in % of the data."""
SWEEPS = {
    "TPC-B after a restart, capped storage, OS cache in use": {each: arms.sweep_name(each) for each in arms.SWEEP},
    "read only, direct I/O, pool filled first": {each: arms.reads_name(each) for each in arms.READS},
}
"""The two sweeps: pool in % of the data to its configuration."""
SERVED = {
    "pool_share_of_requests": "shared buffers",
    "os_share_of_requests": "OS cache",
    "device_share_of_requests": "device",
}
"""Metrics of what served the requests for a block, with its name."""
_METRICS: Metrics = {
    **metric_words.METRICS,
    **{
        metric: Metric(f"share of requests served by {by}", format="{:.2%}".format, heading=f"served by {by}")
        for metric, by in SERVED.items()
    },
    IN_POOL: percent("share of the data in the pool at the end", "data in the pool at the end"),
    "data_in_os_cache_start": percent(
        "share of the data in the OS cache at the start", "data in the OS cache at the start"
    ),
    "growth": Metric("last over first twelfth", heading="growth along the trial"),
    "interval_sd_ns": Metric(
        "standard deviation of the latency within a twelfth", "ms", MS, heading="sd of latency within a twelfth"
    ),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", heading="blocks of 8 KiB read per transaction"
    ),
    "dirty_limit_bytes": Metric("limit of dirty data", "MiB", MIB),
    "huge_page_bytes": Metric("huge pages in use", "MiB", MIB),
    "ram_blocks": Metric("number of blocks that memory can hold"),
    "resident_share_end": percent("share of the data in either cache at the end", "data in either cache at the end"),
    "resident_before_checkpoint": Metric("number of pages in the pool before the CHECKPOINT"),
    "resident_after_checkpoint": Metric("number of pages in the pool after the CHECKPOINT"),
    "dirty_before_checkpoint": Metric("number of dirty pages before the CHECKPOINT"),
    "dirty_after_checkpoint": Metric("number of dirty pages after the CHECKPOINT"),
}


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = _METRICS

    def remedy(self, arm: str) -> str:
        """How to have a configuration measured that this run left out."""
        return "measure all parts, with allow_vm_settings=true and allow_slow_storage=true, as root"

    def timeline(self, arm: str) -> np.ndarray:
        """TPS of each twelfth of each trial, shape (blocks, 12), block order."""
        return np.stack([self.values(arm, f"interval_{place:02}_tps") for place in range(1, INTERVALS + 1)], axis=1)

    def fillable(self, arm: str) -> pd.Series:
        """The share of the pool that the data can fill, in each trial of a configuration."""
        rows = self.in_blocks(arm)
        return (rows["data_blocks"] / rows["pool_blocks"]).clip(upper=1.0)

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        p = self.parameters
        found = {
            "all of it on this machine's own disk, without a cap": not p.allow_slow_storage,
            "this machine's own dirty limits, and pools in ordinary pages": not p.allow_vm_settings,
            "reads through the OS page cache instead of direct I/O": (
                "reads" in p.parts and self.run.provenance.get("direct_io") is False
            ),
        }
        return [*(text for text, departs in found.items() if departs), *super().departures()]


def evicts(*small: str) -> Words:
    """Why pools of these sizes did the work of one that holds all of the data: one of their trials evicted nothing."""

    def why(summary: Summary) -> str:
        for arm in small:
            evicted = summary.values(arm, EVICTIONS)
            without = int((evicted == 0).sum())
            if without:
                used = 100 * float(summary.values(arm, IN_POOL).max())
                return (
                    f"the pool of “{summary.label(arm)}” evicted nothing in {without} of {len(evicted)} trials, which "
                    f"touched at most {used:.0f} % of the data, so a larger one did the same work"
                )
        return ""

    return why


no_room_needed = cannot_act(
    EVICTIONS, ("pool_100",), counted="a pool as large as the data evicted 0 pages in {} trials",
    why="a pool that holds all of the data has nothing to keep in further room, and the note's own data take 0.91 of "
    "its pool",
    control=Control(arms.SCENARIO_A, EVICTIONS, "a pool of a fifth of the data evicted at least {} pages a trial", ""),
    scope="the note asks for a test of further room and does not say that it helps", refutes=False,
)  # fmt: skip
"""Why room beyond the data cannot help on the note's own machine either."""


def takes_memory(summary: Summary) -> str:
    """Why a pool of three eighths of the memory left as much to everything else as one of a quarter."""
    large, small = arms.THREE_EIGHTHS, arms.QUARTER
    less = summary.values(small, FREE) - summary.values(large, FREE)
    if less.min() >= TAKEN:
        return ""
    return (
        f"“{summary.label(large)}” left only {100 * max(0.0, float(less.min())):.1f} % of the memory less than "
        f"“{summary.label(small)}” in one of {len(less)} trials, so the larger pool took no memory from anything"
    )


def no_reads(summary: Summary) -> str:
    """Why Scenario A had no read of the device to be saved; "" where it had."""
    most = float(summary.values(arms.SCENARIO_A, READS).max())
    text = f"{summary.label(arms.SCENARIO_A)} read at most {most:.2g} blocks per transaction from the device"
    return "" if most >= READS_A_TRANSACTION else f"{text}, so there were no reads to save"


def holds_more(summary: Summary) -> str:
    """Why the larger pool did not hold more of the data in the end; "" where it did in every trial."""
    a, b = (summary.values(arm, IN_POOL) for arm in (arms.SCENARIO_A, arms.SCENARIO_B))
    return "" if (b > a).all() else "in some block the pool of 100 % held no more of the data than that of 20 %"


def not_warmer(summary: Summary) -> str:
    """Why an empty and a filled pool did not differ in what they held at the start; "" where they did."""
    least = float(summary.values(arms.B_PREWARMED, "data_in_pool_start").min())
    most = float(summary.values(arms.SCENARIO_B, "data_in_pool_start").max())
    held = f"the compared pools held between {100 * least:.0f} % and {100 * most:.0f} % of the data"
    return "" if least >= WARM and most <= COLD else f"when the trials began, {held}"


def wrote_pages(summary: Summary) -> str:
    """Why a CHECKPOINT had nothing to write; "" where dirty pages were there in every trial."""
    least = float(summary.values(arms.QUARTER, "dirty_before_checkpoint").min())
    return "" if least >= 1 else "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing"


def more_images(summary: Summary) -> str:
    """Why a CHECKPOINT made no transaction log more; "" where it did."""
    after, without = (summary.mean(arm, IMAGES) for arm in (arms.QUARTER, arms.NO_CHECKPOINT))
    text = f"after a CHECKPOINT a transaction logged {after:.2f} full page images, without one {without:.2f}"
    return "" if after > without else text


def huge(summary: Summary) -> str:
    """Why one pool lay in huge pages no more than the other; "" where it did."""
    on, off = (summary.values(arm, "huge_page_bytes") for arm in (arms.QUARTER, arms.ORDINARY_PAGES))
    differ = (on - off >= BLOCK_BYTES * summary.values(arms.QUARTER, "pool_blocks")).all()
    return "" if differ else "the huge pages in use differed by less than the pool between the two configurations"


def departs(*names: str, size: bool = False) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not.

    size: whether that depends on how deep a small pool falls, and so on the cap.
    """

    def what(summary: Summary) -> str:
        p, named = summary.parameters, {*names}
        found = [too_few(summary, named & {*summary.where("part", part)}, n) for part, n in LEAST_PER_PAGE.items()]
        if named & {*summary.where("part", Part.RESTART)}:
            if not p.allow_slow_storage:
                found.append("storage as fast as this machine's disk where the claim names a cap")
            if not p.allow_vm_settings:
                found.append("this machine's own dirty limits where the claim names 4 and 1 %")
        if size and p.allow_slow_storage:
            found.append(off_proportion(summary, arms.SCENARIO_A, arms.A_LOCAL))
        return " and ".join(filter(None, found))

    return what


def beside(summary: Summary, metric: str = "tps", large: str = arms.SCENARIO_B, *, turned: bool = False) -> str:
    """How much a larger pool gives over the one that note 002 states, and over the small one without a cap, as clauses.

    turned: with the larger pool below.
    """

    def said(words: str, top: str, bottom: str) -> str:
        pair = (bottom, top) if turned else (top, bottom)
        return f"{words} {with_interval(summary.gain(*pair, metric))}; "

    clauses = filled(
        partial(said, f"against a pool of {STATED} %, which the note states,", large, arms.sweep_name(STATED)),
        partial(said, f"against one of {SMALL} % without a cap", arms.B_LOCAL, arms.A_LOCAL),
    )
    return "".join(clauses) + (
        "the size follows from the cap, which we set in the note's proportion of writes to transactions"
    )


def before(metric: str = "tps", *, large: str = arms.SCENARIO_B, turned: bool = False) -> Words:
    """The same at the beginning of a verdict's reason, before the number itself."""

    def said(summary: Summary) -> str:
        clauses = beside(summary, metric, large, turned=turned)
        return f"{clauses[:1].upper()}{clauses[1:]}; against a pool of {SMALL} % under the cap"

    return said


def capped_writes(summary: Summary) -> np.ndarray:
    """Writes a second that the device did before each trial on capped storage, shape (trials,)."""
    capped = summary.where("capped", True)
    if not capped:
        raise NotEstimableError("no trial ran on capped storage", "allow slow storage, where the machine can make it")
    return np.concatenate([summary.values(arm, "storage_write_iops") for arm in capped])
