"""Whether what is to make throughput fall acted in a run, and where a run departs from what the claims name."""

from __future__ import annotations

import numpy as np

from benchbook.chapters.io_cliff import arms
from benchbook.chapters.io_cliff.trials import Summary
from benchbook.measuring.pgbench.parameters import NOTE_SECONDS
from benchbook.measuring.pgbench.treatment import off_proportion
from benchbook.numbers.estimands import Words

MOST = 0.5
"""A cause has acted where it did in more than this share of the trials."""
PAGES_NAMED = 0.62
"""Transactions per page of pgbench_accounts in the note's baseline: 21,199 in each of 60 s on 1,250 x 1,640 pages."""


def counted(which: np.ndarray) -> str:
    """How many of the trials these are."""
    return f"{int(which.sum())} of {which.size} trials"


def nothing_slowed(arm: str) -> Words:
    """Why dirty data cannot have slowed the writers of this configuration; "" where they can."""

    def why(summary: Summary) -> str:
        evicting = summary.values(arm, "evictions") > 0
        if not evicting.all():
            return f"the pool of “{summary.label(arm)}” evicted no page in {counted(~evicting)}"
        reached = summary.values(arm, "limit_reached") > 0
        if reached.mean() > MOST:
            return ""
        near = "the data waiting to be written came near the point at which the kernel slows writers in only"
        return f"{near} {counted(reached)} of “{summary.label(arm)}”"

    return why


def same_pools(summary: Summary) -> str:
    """Why the larger pool did the same work as the smaller one, or had nothing to remove; "" where neither."""
    small, large = (summary.mean(arm, "evictions") for arm in (arms.A, arms.B))
    if small > 0 and large >= small:
        return f"the larger pool evicted {large:,.0f} pages in a trial and the smaller one {small:,.0f}"
    return nothing_slowed(arms.A)(summary)


def background_not_reached(summary: Summary) -> str:
    """Why limits in the background were not in force in one of two configurations; "" where they were in both."""
    for arm in (arms.A_10_1, arms.A_10_5):
        above = summary.values(arm, "dirty_peak_bytes") >= summary.values(arm, "dirty_background_bytes")
        if above.mean() <= MOST:
            limit = "the limit from which the kernel writes in the background"
            return f"the data waiting to be written reached {limit} in only {counted(above)} of “{summary.label(arm)}”"
    return ""


def departs_in_course(summary: Summary) -> str:
    """How the trials from a restart differ from what the claims name; "" where they do not."""
    p, found = summary.parameters, []
    if p.trial_seconds < NOTE_SECONDS:
        found.append(f"trials of {p.trial_seconds} s where the claim names {NOTE_SECONDS} s")
    if not p.allow_vm_settings:
        found.append("the machine's own limits of dirty data where the claim names 4 and 1 % of the memory")
    if summary.has(arms.B, "transactions_per_account_page"):
        made = summary.mean(arms.B, "transactions_per_account_page")
        if made < PAGES_NAMED:
            found.append(f"{made:.2f} transactions per page of the accounts where the claim names {PAGES_NAMED}")
    return " and ".join(found)


def departs_in_depth(summary: Summary) -> str:
    """The same, and that the cap is not in the proportion to the transactions that decides how deep a fall is."""
    return " and ".join(filter(None, (departs_in_course(summary), off_proportion(summary, arms.A, arms.A_FREE))))
