"""Pieces of sentences about a run that every chapter has: which run, how it departs from a design."""

from __future__ import annotations

from collections.abc import Sequence

from benchbook import statistics, store
from benchbook.experiments import environment
from benchbook.model import Part, Run
from benchbook.store.answers import MACHINE

WANTED_BLOCKS = 6
"""Blocks that the claims' protocol asks for at least."""


def source(run: Run) -> str:
    """Such as "published run 5af96c0db2ea-20261121T092806 (standard profile)", and with how many others it is pooled.

    Where sessions are the replicates of its intervals, it says so.
    """
    kind, where = ("published ", "") if run.published else ("", " on this machine")
    newest, others = run.parts[-1].id, len(run.parts) - 1
    more = f", pooled with {others} other{'s' if others > 1 else ''}" if others else ""
    kinds = len({environment.processor(part.provenance) for part in run.parts})
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


def mixture(parts: Sequence[Part]) -> str:
    """Which hosts a pooled run mixes, such as "2 kinds of host, AMD EPYC with 2 cores (9 blocks) and ..."; "" for one.

    How many machines there were is said as far as the parts say it: runs of before machines had an id do not.
    """
    blocks: dict[str, int] = {}
    for part in parts:
        kind = environment.processor(part.provenance)
        blocks[kind] = blocks.get(kind, 0) + part.blocks
    ids = [part.provenance.get(MACHINE) for part in parts]
    known = len({each for each in ids if each})
    machines = "" if known < 2 else f"{known} machines" if all(ids) else f"at least {known} machines"
    if len(blocks) < 2:
        return f"{machines} of one kind" if machines else ""
    names = {environment.processor(part.provenance): _host(part) for part in parts}
    shared = len({*names.values()}) < len(names)
    listed = [f"{kind if shared else names[kind]} ({count} block{'s' * (count > 1)})" for kind, count in blocks.items()]
    kinds = f"{len(blocks)} kinds of host, {', '.join(listed[:-1])} and {listed[-1]}"
    return f"{machines} of {kinds}" if machines else kinds


def _host(part: Part) -> str:
    name, cores = environment.processor_name(part.provenance), part.provenance.get("cores")
    return f"{name or 'an unnamed processor'}{f' with {cores} cores' if cores else ''}"


def too_few_blocks(run: Run) -> list[str]:
    """The departure of a run with fewer blocks than are asked for; none of any other."""
    return [f"{run.blocks} blocks instead of at least {WANTED_BLOCKS}"] if run.blocks < WANTED_BLOCKS else []


def departing(departures: Sequence[str], design: str = "Not the registered design") -> str:
    """The paragraph that a chapter's design ends with when its run departs from what was asked, else nothing."""
    if not departures:
        return ""
    return f"\n\n**{design}:** this run has {'; '.join(departures)}. Its verdicts apply only to this run."
