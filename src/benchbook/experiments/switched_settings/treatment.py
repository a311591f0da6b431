"""Whether commit_delay fired where two configurations differ in it: by how many commits a flush of the log carried."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook.experiments.config_ladder import chapter as ladder
from benchbook.experiments.config_ladder.treatment import applied
from benchbook.experiments.shape.inert import published

Words = Callable[[Any], str]
MOVES = 0.05
"""Commits per flush that differ by less are the same: those of equal configurations differ by up to 2 %."""
CARRIED = "commits_per_flush"


def fired(setting: str, top: str, bottom: str) -> Words:
    """Why a setting of group commit changed nothing that a flush carries; "" where it did.

    A turn is too short for these counters. The same two configurations were measured one after the other as well, with
    as many clients, and what they counted is read from those runs; nothing is said where there are none.
    """

    def why(summary: Any) -> str:
        if same := applied(setting, top, bottom)(summary):
            return same
        counted = [published(ladder.name, arm, CARRIED) for arm in (top, bottom)]
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
