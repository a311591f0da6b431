"""Whether the storage was capped in the proportion of note 002, on which the depth of a fall depends."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchbook.experiments.families.pgbench.parameters import NOTE_WRITES_PER_TRANSACTION
from benchbook.experiments.families.pgbench.summary import Summary

NEAR = 1.25
"""How far the cap may lie from the note's proportion for the depth of a fall to be compared with the note's."""


def cap_share(summary: Summary[Any], capped: str, free: str) -> float:
    """Writes that the cap lets pass, as measured, for each transaction of the same pool without a cap."""
    return float(np.exp(np.log(summary.values(capped, "storage_write_iops") / summary.values(free, "tps")).mean()))


def off_proportion(summary: Summary[Any], capped: str, free: str) -> str:
    """That the cap is not in the note's proportion, in words; "" where it is."""
    share = cap_share(summary, capped, free)
    if 1 / NEAR <= share / NOTE_WRITES_PER_TRANSACTION <= NEAR:
        return ""
    return (
        f"a cap of {share:.2f} writes for each transaction that is made without it, where the claim names "
        f"{NOTE_WRITES_PER_TRANSACTION}"
    )
