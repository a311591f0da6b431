"""Several executions of one plan as one run with all of their blocks, and each of them out of it again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from benchbook.errors import BenchbookError
from benchbook.model import Part, Run


def pooled(runs: Sequence[Run]) -> Run:
    """All blocks of these runs, one run after the other in the order of time; a single run comes back as it is.

    Blocks, trials and sessions are numbered on, so that no two are taken for one. What a run carries besides, such as
    its id, is the newest one's. Raises BenchbookError without runs, and for runs of another experiment, measurement
    version or parameters.
    """
    if not runs:
        raise BenchbookError("no runs were given to be pooled", "name at least one")
    ordered = sorted(runs, key=lambda run: str(run.provenance.get("started_at") or run.id))
    newest = ordered[-1]
    for run in ordered:
        for name in ("experiment", "measurement_version", "parameters"):
            if getattr(run, name) != getattr(newest, name):
                raise BenchbookError(
                    f"runs {run.id} and {newest.id} have another {name.replace('_', ' ')}, so their blocks do not mix",
                    "pool runs of one plan alone",
                )
    if len(ordered) == 1:
        return newest
    trials, samples, canary = [], [], []
    blocks = sessions = first = 0
    for run in ordered:
        moved = {"trial": run.trials["trial"] + first, "block": run.trials["block"] + blocks}
        trials.append(run.trials.assign(**moved, session=run.trials["session"] + sessions))
        samples.append(run.samples.assign(trial=run.samples["trial"] + first))
        canary.append(run.canary.assign(block=run.canary["block"] + blocks) if len(run.canary) else run.canary)
        first += int(run.trials["trial"].max()) + 1
        sessions += int(run.trials["session"].max()) + 1
        blocks += run.blocks
    return replace(
        newest,
        blocks=blocks,
        trials=_stacked(trials),
        samples=_stacked(samples),
        canary=_stacked(canary),
        pool=tuple(Part(run.id, run.blocks, run.provenance, run.first_block) for run in ordered),
    )


def part(run: Run, place: int) -> Run:
    """One of the runs of which a run is made, counted from 0 in the order of its blocks, numbered from 0 again."""
    if not run.pool:
        return run
    own = run.pool[place]
    start = sum(each.blocks for each in run.pool[:place])
    blocks = range(start, start + own.blocks)
    trials = _renumbered(run.trials, blocks)
    first = int(trials["trial"].min())
    samples = run.samples[run.samples["trial"].isin(trials["trial"])]
    return replace(
        run,
        id=own.id,
        blocks=own.blocks,
        provenance=own.provenance,
        first_block=own.first_block,
        trials=trials.assign(trial=trials["trial"] - first, session=trials["session"] - trials["session"].min()),
        samples=samples.assign(trial=samples["trial"] - first).reset_index(drop=True),
        canary=_renumbered(run.canary, blocks) if len(run.canary) else run.canary,
        pool=(),
    )


def without(run: Run, blocks: Collection[int]) -> Run:
    """The same run as if these blocks had not been measured, the others numbered from 0 in their order.

    Raises BenchbookError where no block is left.
    """
    left = [block for block in range(run.blocks) if block not in blocks]
    if not left:
        raise BenchbookError(f"no block of run {run.id} is left", "measure more blocks")
    trials = _renumbered(run.trials, left)
    return replace(
        run,
        blocks=len(left),
        trials=trials,
        samples=run.samples[run.samples["trial"].isin(trials["trial"])].reset_index(drop=True),
        canary=_renumbered(run.canary, left) if len(run.canary) else run.canary,
        pool=(),
    )


def _renumbered(table: pd.DataFrame, left: Sequence[int]) -> pd.DataFrame:
    own = table[table["block"].isin(left)]
    return own.assign(block=own["block"].map({block: place for place, block in enumerate(left)})).reset_index(drop=True)


def _stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([table for table in tables if len(table)] or [tables[-1]], ignore_index=True)
