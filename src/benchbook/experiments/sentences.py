"""Pieces of sentences about a run that every chapter has: which run, how it departs from a design."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook import statistics, store
from benchbook.experiments.host_kinds import mixture, processor
from benchbook.model import Run

WANTED_BLOCKS = 6
"""Blocks that the claims' protocol asks for at least."""


def source(run: Run) -> str:
    """Such as "published run 5af96c0db2ea-20261121T092806 (standard profile)", and with how many others it is pooled.

    Where sessions are the replicates of its intervals, it says so.
    """
    kind, where = ("published ", "") if run.published else ("", " on this machine")
    newest, others = run.parts[-1].id, len(run.parts) - 1
    more = f", pooled with {others} other{'s' if others > 1 else ''}" if others else ""
    kinds = len({processor(part.provenance) for part in run.parts})
    more += f" on {kinds} kinds of host" if kinds > 1 else ""
    return f"{kind}run{where} {newest}{more} ({run.profile} profile{_over_sessions(run)})"


def _over_sessions(run: Run) -> str:
    sessions = int(store.sessions_of(run).max(initial=-1)) + 1
    return f"; intervals over the means of {sessions} sessions" if sessions >= statistics.SESSIONS else ""


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
