"""What shows that a switched setting acted, and how far a run departs from what the claims name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook.experiments.families.pgbench.treatment import BUSY, PER_PAGE_002, PER_PAGE_003, applied, images
from benchbook.experiments.shape.inert import published

Words = Callable[[Any], str]
MOVES = 0.05
"""Commits per flush that differ by less are the same: those of equal configurations differ by up to 2 %."""
LADDER, CARRIED = "config_ladder", "commits_per_flush"
"""The chapter that measures one configuration after the other, and what it counts."""


def fired(setting: str, top: str, bottom: str) -> Words:
    """Why a setting of group commit changed nothing that a flush carries; "" where it did.

    A turn is too short for these counters. The same two configurations were measured one after the other as well, with
    as many clients, and what they counted is read from those runs; nothing is said where there are none.
    """

    def why(summary: Any) -> str:
        if same := applied(setting, top, bottom)(summary):
            return same
        counted = [published(summary.chapter, LADDER, arm, CARRIED) for arm in (top, bottom)]
        if not all(counted):
            return ""
        more, less = (float(np.exp(np.mean(np.log(each)))) for each in counted)
        if abs(more / less - 1) >= MOVES:
            return ""
        wanted, others = summary.in_force(top, "commit_siblings")[0], summary.parameters.clients - 1
        few = ""
        if wanted.isdigit() and others < int(wanted):
            few = (
                f"; commit_delay waits only while {wanted} other transactions are open, and of "
                f"{others + 1} clients at most {others} others are. More clients would get there"
            )
        return (
            f"a flush of the log carries {more:.3f} commits with it and {less:.3f} without, in "
            f"{len(counted[0])} trials of each, where less than {MOVES:.0%} counts as the same{few}"
        )

    return why


def processors_idle(*arms: str) -> Words:
    """That there was nothing to compress, or the processors were not short; "" where both were so in all trials."""

    def why(summary: Any) -> str:
        least = min(float(summary.values(arm, "cpu_busy_share").min()) for arm in arms)
        busy = f"the processors were busy for as little as {least:.0%} of the time in some trial"
        return images(arms[-1])(summary) or (busy if least < BUSY else "")

    return why


def departing(*arms: str, limits: bool = False, codec: bool = False) -> Words:
    """What the claim names and this run does not have. limits: of dirty data; codec: lz4."""

    def what(summary: Any) -> str:
        least = PER_PAGE_002 if limits else PER_PAGE_003
        known = summary.having(arms, "transactions_per_account_page")
        made = min((summary.mean(arm, "transactions_per_account_page") for arm in known), default=least)
        found = {
            f"{made:.2f} transactions per page of the accounts where the claim names {least:g}": made < least,
            "this machine's own dirty limits where the claim names 4 and 1 %": (
                limits and not summary.parameters.allow_vm_settings
            ),
            "no lz4, which the claim names": codec and not summary.parameters.has_second,
        }
        return " and ".join(text for text, departs in found.items() if departs)

    return what
