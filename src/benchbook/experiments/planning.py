"""Randomised complete blocks: every configuration once per block, in an order drawn from the run's seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchbook.model import Configuration, Plan, PlannedTrial


def blocked(configurations: Sequence[Configuration], blocks: int, seed: int) -> Plan:
    """A plan of ``blocks`` complete blocks. The trials of one block share a seed, those of two blocks do not."""
    order = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    block_seeds = np.random.SeedSequence(seed, spawn_key=(1,)).generate_state(blocks, np.uint32)
    trials: list[PlannedTrial] = []
    for block in range(blocks):
        for place in order.permutation(len(configurations)):
            trials.append(PlannedTrial(len(trials), block, configurations[place], int(block_seeds[block])))
    return Plan(tuple(configurations), tuple(trials))
