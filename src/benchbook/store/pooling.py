"""Several executions of one plan as one run with all of their blocks, and each of them out of it again."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
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
        trials=_stacked(trials).copy(),  # as ``read_run`` has them
        samples=_stacked(samples),
        canary=_stacked(canary),
        pool=tuple(Part(run.id, run.blocks, run.provenance, run.first_block) for run in ordered),
        machines=_known(machine for run in ordered for machine in run.machines or ("",) * run.blocks),
    )


def parts(run: Run) -> tuple[Run, ...]:
    """The runs of which a run is made, in the order of its blocks, each numbered from 0 again; of one as stored itself.

    The tables are gone through once, however many parts there are.
    """
    if not run.pool:
        return (run,)
    ends = np.cumsum([each.blocks for each in run.pool])
    places = np.searchsorted(ends, run.trials["block"].to_numpy(), side="right")
    of_trial = np.zeros(int(run.trials["trial"].max()) + 1, dtype=np.int64)
    of_trial[run.trials["trial"].to_numpy()] = places
    trials = _split(run.trials, places, len(ends))
    samples = _split(run.samples, of_trial[run.samples["trial"].to_numpy(dtype=np.int64)], len(ends))
    looks: Iterable[pd.DataFrame] = [run.canary] * len(ends)
    if len(run.canary):
        looks = _split(run.canary, np.searchsorted(ends, run.canary["block"].to_numpy(), side="right"), len(ends))
    found = []
    for own, end, rows, drawn, seen in zip(run.pool, ends.tolist(), trials, samples, looks, strict=True):
        start, first = end - own.blocks, int(rows["trial"].min())
        numbered = {"trial": rows["trial"] - first, "block": rows["block"] - start}
        found.append(
            replace(
                run,
                id=own.id,
                blocks=own.blocks,
                provenance=own.provenance,
                first_block=own.first_block,
                trials=rows.assign(**numbered, session=rows["session"] - rows["session"].min()),
                samples=drawn.assign(trial=drawn["trial"] - first),
                canary=seen.assign(block=seen["block"] - start) if len(seen) else seen,
                pool=(),
                machines=_known(run.machines[start:end]),
            )
        )
    return tuple(found)


def _split(table: pd.DataFrame, places: np.ndarray, count: int) -> Iterator[pd.DataFrame]:
    """The rows of each of so many places, shape (rows,), in their order."""
    if (places[:-1] > places[1:]).any():
        order = np.argsort(places, kind="stable")
        table, places = table.iloc[order], places[order]
    bounds = np.searchsorted(places, np.arange(count + 1))
    for start, end in pairwise(bounds.tolist()):
        yield table.iloc[start:end].reset_index(drop=True)


def part_of_blocks(run: Run) -> np.ndarray:
    """The place of the part that each block is of, shape (blocks,); 0 for all of a run as stored."""
    return np.repeat(np.arange(len(run.parts)), [part.blocks for part in run.parts])


def without(run: Run, blocks: Collection[int]) -> Run:
    """The same run as if these blocks had not been measured, the others numbered from 0 in their order.

    Raises BenchbookError where no block is left.
    """
    left = [block for block in range(run.blocks) if block not in blocks]
    kept = [*_kept(run.pool, left)]
    if not left:
        raise BenchbookError(f"no block of run {run.id} is left", "measure more blocks")
    trials = _renumbered(run.trials, left)
    return replace(
        run,
        blocks=len(left),
        trials=trials,
        samples=run.samples[run.samples["trial"].isin(trials["trial"])].reset_index(drop=True),
        canary=_renumbered(run.canary, left) if len(run.canary) else run.canary,
        pool=tuple(kept),
        machines=_known(run.machines[block] for block in left if run.machines),
    )


def _kept(pool: Sequence[Part], left: Sequence[int]) -> Iterator[Part]:
    """The parts of which blocks are left, each with so many."""
    ends = np.cumsum([each.blocks for each in pool])
    of_part = Counter(np.searchsorted(ends, left, side="right").tolist())
    for place, part in enumerate(pool):
        if of_part[place]:
            yield replace(part, blocks=of_part[place])


def _known(machines: Iterable[str]) -> tuple[str, ...]:
    """A machine's id for each block, as a run has them."""
    found = tuple(machines)
    return found if any(found) else ()


def _renumbered(table: pd.DataFrame, left: Sequence[int]) -> pd.DataFrame:
    own = table[table["block"].isin(left)]
    return own.assign(block=own["block"].map({block: place for place, block in enumerate(left)})).reset_index(drop=True)


def _stacked(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat([table for table in tables if len(table)] or [tables[-1]], ignore_index=True)
