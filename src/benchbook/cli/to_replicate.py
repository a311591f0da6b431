"""Which published runs are measured once more here, how many blocks of each, and a time that measuring keeps to."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import typer

from benchbook import lab, store
from benchbook.cli.formatting import duration
from benchbook.cli.request import Asked
from benchbook.errors import BenchbookError, MachineError, NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.kinds import Kind
from benchbook.reuse.estimates import estimates

LEAST_BLOCKS, MOST_BLOCKS = 3, 100


@dataclass(frozen=True)
class Wanted:
    """A published run and how many blocks of it are measured here. block_s: of one, where it was published."""

    module: Chapter
    published: Run
    block_s: float
    blocks: int

    @cached_property
    def asked(self) -> Asked:
        """The same parameters, so many blocks."""
        given = {**self.published.parameters, "blocks": self.blocks}
        return Asked(self.module, cast(ExperimentParameters, self.module.Parameters.given(given)))

    @property
    def seconds(self) -> float:
        """Of measuring, where it was published."""
        return self.blocks * self.block_s


def published(experiment: str) -> Wanted:
    """The published run of an experiment; raises BenchbookError where there is none."""
    module = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so there is nothing to replicate", "name another one")
    run = chosen_runs.run(module)
    if run is None:
        raise NoStoredRunError(f"no run of {experiment} is published", f"measure it: `benchbook run {experiment}`")
    block_s = sum(store.measuring_s(part.trials) for part in store.parts(run)) / run.blocks
    return Wanted(module, run, block_s, max(LEAST_BLOCKS, int(run.parameters["blocks"])))


def every(quiet: bool) -> list[Wanted]:
    """Those that this machine can measure; of the others it is said why not."""
    found = []
    for name in lab.names():
        try:
            each = published(name)
            each.asked.check()
        except MachineError as lacking:
            if not quiet:
                typer.echo(f"{name} is left out: {lacking.problem}", err=True)
        except BenchbookError:  # nothing is measured, or nothing published
            continue
        else:
            found.append(each)
    if not found:
        raise NoStoredRunError("no published run can be measured here", "`benchbook doctor` says what is missing")
    return found


def sized(
    wanted: Sequence[Wanted], blocks: int | None, limit_s: float | None, half_width: float | None
) -> list[Wanted]:
    """With the blocks asked for; a time is divided as the published plans divide theirs."""
    if limit_s is None:
        return [_resized(each, blocks or _precise(each, half_width) or each.blocks) for each in wanted]
    least_s = sum(LEAST_BLOCKS * each.block_s for each in wanted)
    if limit_s < least_s:
        raise BenchbookError(
            f"{LEAST_BLOCKS} blocks{' of each' if len(wanted) > 1 else ''} take {duration(least_s)}, so that not even "
            f"{LEAST_BLOCKS} fit",
            "give more time",
        )
    spare = (limit_s - least_s) / sum(each.seconds for each in wanted)
    return [_resized(each, LEAST_BLOCKS + int(spare * each.blocks)) for each in wanted]


def _resized(each: Wanted, blocks: int) -> Wanted:
    return Wanted(each.module, each.published, each.block_s, min(MOST_BLOCKS, max(LEAST_BLOCKS, blocks)))


def _precise(each: Wanted, half_width: float | None) -> int | None:
    """Blocks for ratios so narrow, by the published intervals, whose width shrinks as the root of the blocks grows.

    None where nothing is asked. Raises BenchbookError where that takes more than a run has.
    """
    if half_width is None:
        return None
    whole = estimates(each.module, each.module.summarize(each.published))
    ratios = [found for found in whole if found.claims and found.scale == "ratio" and found.estimate.low > 0]
    widths = {found.name: math.log(found.estimate.high / found.estimate.low) / 2 for found in ratios}
    for name, width in widths.items():
        blocks = each.published.blocks * (width / math.log1p(half_width)) ** 2
        if blocks > MOST_BLOCKS:
            raise BenchbookError(
                f"{each.module.name}: {name} needs more than {MOST_BLOCKS} blocks for ±{100 * half_width:g} %",
                "give a wider one, or --blocks",
            )
    widest = max(widths.values(), default=0.0)
    return math.ceil(each.published.blocks * (widest / math.log1p(half_width)) ** 2)


class Within:
    """One time for all that a command measures; it runs from the first preparation on, not while others measure.

    limit_s: seconds.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._began: float | None = None

    def check(self, experiment: str, blocks: int, done: int, total: int, left_s: float | None) -> None:
        """Ask before each trial. done of total: trials that are stored; left_s: expected for the others, where known.

        Raises MachineError where the time is over, and after a whole block where the others would not fit.
        """
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        spent_s = now - self._began
        if done == total or left_s is None:
            return
        if spent_s < self._limit_s and (done < total / blocks or spent_s + left_s <= self._limit_s):
            return
        least = f"{max(spent_s + left_s, self._limit_s) / 60 + 1:.0f}m"
        raise MachineError(
            f"{experiment}: {blocks} blocks do not fit into {duration(self._limit_s)} on this machine: "
            f"{done} of {total} trials took {duration(spent_s)} with loading, and the others need {duration(left_s)}",
            f"what is stored is kept: `benchbook replicate {experiment} --blocks {blocks}` goes on with it; or give "
            f"--budget {least}",
        )
