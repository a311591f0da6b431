"""How the numbers of the chapter are made: ratios and what they depart from, the best of several, onsets, codecs."""

from __future__ import annotations

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.config_ladder.treatment import Words, departs, other_codec
from benchbook.experiments.families.pgbench.ladder.arms import CODECS, OFF, ROUND_2, Parameters
from benchbook.experiments.shape.estimands import Arm, Estimand, counts, custom, ratio
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

__all__ = ["Parameters", "compressed", "onset", "restarts", "times", "uncompressed", "within"]


def times(top: Arm, bottom: Arm, metric: str = "tps", *, idle: Words | None = None, **ground: Words | None) -> Estimand:
    """Ratio of a metric of two configurations that takes time. ground: ``departs`` or ``working`` of its own."""
    ground.setdefault("departs", departs(top, bottom))
    return ratio(top, bottom, metric, idle=idle, departs=ground["departs"], working=ground.get("working"))


def within(
    arm: str, above: str, below: str, *, bounded: bool = False, aa: str = "", idle: Words | None = None
) -> Estimand:
    """Ratio of two metrics of each trial of one configuration. aa: metric of the A/A pair, by default the first's."""
    return ratio((arm, above), (arm, below), aa=aa or above, bounded=bounded, departs=departs(arm), idle=idle)


def onset(top: str, bottom: str, *, idle: Words, departs: Words) -> Estimand:
    """Ratio of the time at which throughput falls, over the blocks in which it falls in both configurations."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        above, below = (_slots(summary, arm) for arm in (top, bottom))
        both = ~(np.isnan(above) | np.isnan(below))
        if both.sum() < 2:
            raise NotEstimableError(
                f"{int(both.sum())} of {both.size} blocks show a cliff in both configurations; two are needed",
                "give a lower storage_iops, or longer trials",
            )
        # the first slot is 0, and a fall in it has still taken time
        return statistics.ratio(
            above[both] + 1, below[both] + 1, confidence=confidence, sessions=summary.sessions[both]
        )  # fmt: skip

    return custom(compute, Quantity.COMPARISON, top, bottom, aa="tps", idle=idle, departs=departs)


def _slots(summary: Summary, arm: str) -> np.ndarray:
    summary.values(arm, "cliff")  # or why there is none
    return summary.in_blocks(arm)["cliff_slot"].to_numpy(dtype=float)


def compressed(summary: Summary) -> str:
    """The configuration with lz4: on the second server, or where it was not measured, that with the best codec."""
    return CODECS["lz4"] if CODECS["lz4"] in summary.configurations else ROUND_2


def uncompressed(summary: Summary) -> str:
    """The same without compression, on the same server."""
    return CODECS["off"] if CODECS["lz4"] in summary.configurations else OFF


def _other_codec(summary: Summary) -> str:
    """That another codec stands for lz4; "" where lz4 was measured."""
    return other_codec(summary) if compressed(summary) == ROUND_2 else ""


def of_codecs(metric: str, *, idle: Words) -> Estimand:
    """Ratio of a count without compression over that with lz4."""

    def off(summary: Summary) -> str:
        return " and ".join(filter(None, (departs(uncompressed, compressed)(summary), _other_codec(summary))))

    return counts(uncompressed, compressed, metric, departs=off, idle=idle)


def restarts(summary: Summary) -> float:
    """How many of the three worker settings need a restart."""
    contexts = summary.run.provenance.get("contexts") or {}
    if not contexts:
        raise NotEstimableError("this run did not record pg_settings", "measure again")
    return float(list(contexts.values()).count("postmaster"))
