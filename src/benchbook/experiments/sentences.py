"""A run in, pieces of sentences about it that every chapter has out: which run, how it departs from a design."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchbook.model import Run

WANTED_BLOCKS = 6
"""Blocks that the claims' protocol asks for at least."""


def source(run: Run) -> str:
    """Such as "published run 5af96c0db2ea-20261121T092806 (paper profile)"."""
    kind = "published run" if run.published else "run on this machine"
    return f"{kind} {run.id} ({run.profile} profile)"


def opening(run: Run) -> str:
    """The beginning of a chapter's design, up to what a block holds."""
    return f"This page shows run `{run.id}` ({run.profile} profile): {run.blocks} blocks of"


def too_few_blocks(run: Run) -> list[str]:
    """The departure of a run with fewer blocks than are asked for; none of any other."""
    return [f"{run.blocks} blocks instead of at least {WANTED_BLOCKS}"] if run.blocks < WANTED_BLOCKS else []


def other_numbers(wanted: Iterable[tuple[int, int, str]]) -> list[str]:
    """A departure for each parameter that is not as asked. wanted: value, value asked for, what it counts."""
    return [f"{value:,} {what} where {asked:,} are asked" for value, asked, what in wanted if value != asked]


def departing(departures: Sequence[str], design: str = "Not the design that the claims were registered for") -> str:
    """The paragraph that a chapter's design ends with when its run departs from what was asked, else nothing."""
    if not departures:
        return ""
    return f"\n\n**{design}:** this run has {'; '.join(departures)}. Its verdicts are those of this run alone."
