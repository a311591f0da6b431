"""Randomised complete blocks: every configuration once per block, in an order drawn from the run's seed."""

from collections.abc import Sequence

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.model import Configuration, Plan, PlannedTrial

MOST_TRIALS = 150_000
"""Of a plan; nobody would wait for more."""


def blocked(configurations: Sequence[Configuration], blocks: int, seed: int) -> Plan:
    """A plan of ``blocks`` complete blocks. The trials of one block share a seed, those of two blocks do not.

    Configurations of one group follow each other in each block. A plan of more blocks begins with those of fewer.
    Raises BenchbookError for more trials than anybody would wait for.
    """
    if len(configurations) * blocks > MOST_TRIALS:
        raise BenchbookError(
            f"{len(configurations):,} configurations in {blocks:,} blocks are more than {MOST_TRIALS:,} trials",
            "ask for fewer blocks, or for fewer values in the lists",
        )
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    block_seeds = np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(blocks, np.uint32)
    units = together(configurations)
    trials: list[PlannedTrial] = []
    for block in range(blocks):
        for place in order.permutation(len(units)):
            unit = units[place]
            for member in order.permutation(len(unit)) if len(unit) > 1 else (0,):
                trials.append(PlannedTrial(len(trials), block, unit[member], int(block_seeds[block])))
    return Plan(tuple(configurations), tuple(trials))


def together(configurations: Sequence[Configuration]) -> list[list[Configuration]]:
    """What is measured as one: each group, and each configuration without a group alone; in order of first mention."""
    found: dict[object, list[Configuration]] = {}
    for each in configurations:
        found.setdefault(each.group or (each.name,), []).append(each)
    return list(found.values())


def continued(plan: Plan, first_block: int) -> Plan:
    """What of a plan is left from a block on, numbered from 0 again."""
    rest = [trial for trial in plan.trials if trial.block >= first_block]
    trials = (
        PlannedTrial(index, trial.block - first_block, trial.configuration, trial.seed)
        for index, trial in enumerate(rest)
    )
    return Plan(plan.configurations, tuple(trials))
