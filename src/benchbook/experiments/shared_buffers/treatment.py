"""Which counter shows that a claimed cause acted, why it did not, and how far the run departs from the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from benchbook.experiments.families.pgbench.settings import Part
from benchbook.experiments.families.pgbench.treatment import off_proportion
from benchbook.experiments.shape.inert import Control, cannot_act
from benchbook.experiments.shared_buffers.arms import (
    A_LOCAL,
    B_PREWARMED,
    NO_CHECKPOINT,
    ORDINARY_PAGES,
    QUARTER,
    SCENARIO_A,
    SCENARIO_B,
)
from benchbook.experiments.shared_buffers.summary import Summary

Words = Callable[[Summary], str]
EVICTIONS = "evictions"
WARM, COLD = 0.99, 0.01
"""Share of the data in the pool from which it counts as warm, and up to which as cold: the protocol's certificate."""
READS_A_TRANSACTION = 0.01
"""Device reads per transaction below which there are none to be saved: the least that the claim on them asks for."""
TAKEN = 0.05
"""Share of the memory that a larger pool leaves less of, from which it counts as taken."""
LEAST_PER_PAGE = {Part.RESTART: 0.62, Part.WARM: 0.51}
"""Transactions per page of pgbench_accounts: the least of note 002's three runs, and of note 003's rounds 2 and 3."""


def evicts(*small: str) -> Words:
    """Why pools of these sizes did the work of one that holds all of the data: one of their trials evicted nothing."""

    def why(summary: Summary) -> str:
        for arm in small:
            evicted = summary.values(arm, EVICTIONS)
            without = int((evicted == 0).sum())
            if without:
                used = 100 * float(summary.values(arm, "data_in_pool_end").max())
                return (
                    f"the pool of “{summary.label(arm)}” evicted nothing in {without} of {len(evicted)} trials, which "
                    f"touched at most {used:.0f} % of the data, so a larger one did the same work"
                )
        return ""

    return why


no_room_needed = cannot_act(
    EVICTIONS,
    ("pool_100",),
    counted="a pool as large as the data evicted 0 pages in {} trials",
    why="a pool that holds all of the data has nothing to keep in further room, and the note's own data take 0.91 of "
    "its pool",
    control=Control(SCENARIO_A, EVICTIONS, "a pool of a fifth of the data evicted at least {} pages a trial", ""),
)
"""Why room beyond the data cannot help on the note's own machine either."""


def takes_memory(large: str, small: str) -> Words:
    """Why the larger pool left as much memory to everything else as the smaller one."""

    def why(summary: Summary) -> str:
        less = summary.values(small, "least_available_share") - summary.values(large, "least_available_share")
        if less.min() >= TAKEN:
            return ""
        return (
            f"“{summary.label(large)}” left only {100 * max(0.0, float(less.min())):.1f} % of the memory less than "
            f"“{summary.label(small)}” in one of {len(less)} trials, so the larger pool took no memory from anything"
        )

    return why


def no_reads(summary: Summary) -> str:
    """Why Scenario A had no read of the device to be saved; "" where it had."""
    most = float(summary.values(SCENARIO_A, "device_reads_per_transaction").max())
    if most >= READS_A_TRANSACTION:
        return ""
    return (
        f"{summary.label(SCENARIO_A)} read at most {most:.2g} blocks per transaction from the device, so there were no "
        "reads to save"
    )


def holds_more(summary: Summary) -> str:
    """Why the larger pool did not hold more of the data in the end; "" where it did in every trial."""
    a, b = (summary.values(arm, "data_in_pool_end") for arm in (SCENARIO_A, SCENARIO_B))
    return "" if (b > a).all() else "in some block the pool of 100 % held no more of the data than that of 20 %"


def not_warmer(summary: Summary) -> str:
    """Why an empty and a filled pool did not differ in what they held at the start; "" where they did."""
    least = float(summary.values(B_PREWARMED, "data_in_pool_start").min())
    most = float(summary.values(SCENARIO_B, "data_in_pool_start").max())
    if least >= WARM and most <= COLD:
        return ""
    return (
        f"when the trials began, the compared pools held between {100 * least:.0f} % and {100 * most:.0f} % of the data"
    )


def wrote_pages(summary: Summary) -> str:
    """Why a CHECKPOINT had nothing to write; "" where dirty pages were there in every trial."""
    least = float(summary.values(QUARTER, "dirty_before_checkpoint").min())
    return "" if least >= 1 else "in some trial no page was dirty before the CHECKPOINT, so it wrote nothing"


def more_images(summary: Summary) -> str:
    """Why a CHECKPOINT made no transaction log more; "" where it did."""
    after, without = (summary.mean(arm, "full_images_per_transaction") for arm in (QUARTER, NO_CHECKPOINT))
    if after > without:
        return ""
    return f"after a CHECKPOINT a transaction logged {after:.2f} full page images, without one {without:.2f}"


def huge(summary: Summary) -> str:
    """Why one pool lay in huge pages no more than the other; "" where it did."""
    on, off = (summary.values(arm, "huge_page_bytes") for arm in (QUARTER, ORDINARY_PAGES))
    pool = 8192 * summary.values(QUARTER, "pool_blocks")
    if (on - off >= pool).all():
        return ""
    return "the huge pages in use differed by less than the pool between the two configurations"


def departs(*arms: str) -> Words:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def what(summary: Summary) -> str:
        return " and ".join((*_too_few(summary, arms), *_other_storage(summary, arms)))

    return what


def departs_in_size(*arms: str) -> Words:
    """The same of what depends on how deep a small pool falls, and so on the cap."""

    def what(summary: Summary) -> str:
        off = off_proportion(summary, SCENARIO_A, A_LOCAL) if summary.parameters.allow_slow_storage else ""
        return " and ".join(filter(None, (departs(*arms)(summary), off)))

    return what


def _too_few(summary: Summary, arms: Iterable[str]) -> Iterable[str]:
    """Fewer transactions per page than the notes had, in the configuration of these that made the most."""
    for part, least in LEAST_PER_PAGE.items():
        known = summary.having({*arms} & {*summary.of_part(part)}, "transactions_per_account_page")
        most = max(
            (float(np.mean(summary.values(arm, "transactions_per_account_page"))) for arm in known), default=least
        )
        if most < least:
            yield f"{most:.2f} transactions per page of the accounts where the claim names {least:g}"


def _other_storage(summary: Summary, arms: Iterable[str]) -> Iterable[str]:
    if not {*arms} & {*summary.of_part(Part.RESTART)}:
        return
    if not summary.parameters.allow_slow_storage:
        yield "storage as fast as this machine's disk where the claim names a cap"
    if not summary.parameters.allow_vm_settings:
        yield "this machine's own dirty limits where the claim names 4 and 1 %"
