"""Pieces of sentences about a run that every chapter has: which run, how it departs from a design."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook.model import Run

WANTED_BLOCKS = 6
"""Blocks that the claims' protocol asks for at least."""


def source(run: Run) -> str:
    """Such as "published run 5af96c0db2ea-20261121T092806 (standard profile)"; all of them where several are pooled."""
    kind, where = ("published ", "") if run.published else ("", " on this machine")
    names = " and ".join(part.id for part in run.parts)
    return f"{kind}run{'s' if run.pool else ''}{where} {names}{', pooled' if run.pool else ''} ({run.profile} profile)"


def opening(run: Run) -> str:
    """The beginning of a chapter's design, up to what a block holds."""
    names = " and ".join(f"`{part.id}`" for part in run.parts)
    what = f"runs {names}, pooled" if run.pool else f"run {names}"
    return f"This page shows {what} ({run.profile} profile): {run.blocks} blocks of"


def too_few_blocks(run: Run) -> list[str]:
    """The departure of a run with fewer blocks than are asked for; none of any other."""
    return [f"{run.blocks} blocks instead of at least {WANTED_BLOCKS}"] if run.blocks < WANTED_BLOCKS else []


def departing(departures: Sequence[str], design: str = "Not the design that the claims were registered for") -> str:
    """The paragraph that a chapter's design ends with when its run departs from what was asked, else nothing."""
    if not departures:
        return ""
    return f"\n\n**{design}:** this run has {'; '.join(departures)}. Its verdicts are those of this run alone."
