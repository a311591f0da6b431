"""Pieces of sentences about a run that every chapter has: which run, how it departs from a design."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook import statistics, store
from benchbook.model import Run
from benchbook.numbers.host_kinds import mixture, processor

WANTED_BLOCKS = 6
"""Blocks that the claims' protocol asks for at least."""


def source(run: Run) -> str:
    """Such as "measured in 4 visits on 2 kinds of host (standard profile; intervals over the means of visits)".

    The ids of the runs stand on the figure's page and in its folds, not below every figure.
    """
    visits = int(store.visits_of(run).max(initial=-1)) + 1
    where = "" if run.published else " on this machine"
    kinds = len({processor(part.provenance) for part in run.parts})
    on = f" on {kinds} kinds of host" if kinds > 1 else ""
    over = "; intervals over the means of visits" if visits >= statistics.VISITS else ""
    return f"measured{where} in {visits or 1} visit{'s' if visits > 1 else ''}{on} ({run.profile} profile{over})"


def opening(run: Run) -> str:
    """The beginning of a chapter's design, up to what a block holds."""
    names = " and ".join(f"`{part.id}`" for part in run.parts)
    what = f"runs {names}, pooled" if run.pool else f"run {names}"
    mixed = mixture(run.parts)
    where = f"; measured on {mixed}" if mixed else ""
    return f"This page shows {what} ({run.profile} profile{where}): {run.blocks} blocks of"


def too_few_blocks(run: Run) -> list[str]:
    """The departure of a run with fewer blocks than are asked for; none of any other."""
    return [f"{run.blocks} blocks instead of at least {WANTED_BLOCKS}"] if run.blocks < WANTED_BLOCKS else []


def departing(departures: Sequence[str], design: str = "Not the registered design") -> str:
    """The paragraph that a chapter's design ends with when its run departs from what was asked, else nothing."""
    if not departures:
        return ""
    return f"\n\n**{design}:** this run has {'; '.join(departures)}. Its verdicts apply only to this run."
