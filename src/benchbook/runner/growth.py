"""Which blocks of its plan a run measures, the first ones or those that follow what is stored, and what as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from benchbook.errors import BenchbookError, NoStoredRunError
from benchbook.experiments.manifest import Chapter
from benchbook.model import PlannedTrial
from benchbook.store import Entry, answers, catalogue, complete, find_being_measured, find_unfinished

MOST = 1_000
"""Blocks of one plan; more would not make an interval noticeably narrower."""


@dataclass(frozen=True)
class Growth:
    """first_block: place in the plan of the first one, from 0. blocks: how many are measured."""

    first_block: int
    blocks: int

    def same_as(self, record: Mapping[str, Any]) -> bool:
        return (record["first_block"], record["blocks"]) == (self.first_block, self.blocks)


def growth(experiment: Chapter, parameters: Any, more: int) -> Growth:
    """The blocks that follow those stored of these parameters, published or not; an interrupted growth is gone on with.

    Blocks that another process measures now, on whatever machine, count as stored. Whether one took the same blocks at
    the same moment, ``is_alone`` says once the run is there. Raises BenchbookError when no complete run has these
    parameters, this version of the measurement and this engine, and says what the stored ones have instead.
    """
    key = parameters.key(experiment.name, experiment.version)
    found = {each.id: each for each in complete(experiment.name, key, published=None)}
    if not found:
        raise NoStoredRunError(
            f"there is no complete run of {experiment.name} to add blocks to: {_why(experiment, parameters)}",
            f"measure the first blocks with `benchbook run {experiment.name}` and the same parameters",
        )
    now = experiment.needs(parameters).engine()
    other = next((each for each in found.values() if not answers.same_engine(each.provenance, now)), None)
    if other is not None:
        raise BenchbookError(
            f"run {other.id} was measured with {answers.engine_in_words(other.provenance)}, and here is "
            f"{answers.engine_in_words(now)}: their blocks do not mix",
            "install that engine, or start a new run with --fresh",
        )
    unfinished = find_unfinished(experiment.name, key, grown=True)
    if unfinished is not None and unfinished.record is not None and is_alone(unfinished.record):
        return _go_on(unfinished.record, more)
    taken = [*found.values(), *find_being_measured(experiment.name, key, grown=True)]
    first = max(int(each.record["first_block"]) + int(each.record["blocks"]) for each in taken if each.record)
    if first + more > MOST:
        raise BenchbookError(f"{first} blocks are stored and {more} more are too many", f"ask for {MOST} in all")
    return Growth(first, more)


def is_alone(record: Mapping[str, Any]) -> bool:
    """Whether no other run has a block of this growth: none that is complete, and none that a process measures now."""
    name, key = str(record["experiment"]), str(record["key"])
    others: list[Entry] = [*complete(name, key, published=None), *find_being_measured(name, key, grown=True)]
    theirs = [_blocks(each.record) for each in others if each.record and each.id != record["id"]]
    return {*_blocks(record)}.isdisjoint(block for blocks in theirs for block in blocks)


def _blocks(record: Mapping[str, Any]) -> range:
    return range(int(record["first_block"]), int(record["first_block"]) + int(record["blocks"]))


def _go_on(record: Mapping[str, Any], more: int) -> Growth:
    if record["blocks"] != more:
        raise BenchbookError(
            f"run {record['id']}, which adds {record['blocks']} blocks, was interrupted",
            f"complete it with --blocks +{record['blocks']} first, or delete its folder",
        )
    return Growth(int(record["first_block"]), int(record["blocks"]))


def _why(experiment: Chapter, parameters: Any) -> str:
    """What the newest complete run has instead, by name."""
    every = [each.record for each in catalogue(experiment.name) if each.record and each.record["state"] == "complete"]
    if not every:
        return "none is stored"
    newest = every[-1]
    wanted, stored = parameters.model_dump(mode="json"), newest["parameters"]
    differ = [f"{name}={stored.get(name)!r} instead of {wanted.get(name)!r}" for name in {**stored, **wanted}
              if stored.get(name) != wanted.get(name)]  # fmt: skip
    if newest["measurement_version"] != experiment.version:
        differ.insert(0, f"version {newest['measurement_version']} of the measurement instead of {experiment.version}")
    return f"run {newest['id']} has {', '.join(differ)}"


def units(trials: Sequence[PlannedTrial], *, turns: bool) -> list[list[PlannedTrial]]:
    """Planned trials in their order, those that follow each other in one group and block as one unit.

    turns: whether the session measures a group in turns; else every trial is a unit, with looks at the machine around
    it, and a group only stands together in its block.
    """

    def unit(trial: PlannedTrial) -> tuple[int, object]:
        if not turns:
            return trial.block, trial.index
        return trial.block, trial.configuration.group or (trial.configuration.name, trial.index)

    return [list(found) for _, found in groupby(trials, key=unit)]
