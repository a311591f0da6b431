"""The cells of the simulation as configurations: a family with a number of blocks, or the seconds of one trial."""

from __future__ import annotations

from benchbook.experiments.calibration.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan

LABELS = {
    "normal": "normal",
    "lognormal": "lognormal",
    "gamma": "gamma",
    "pareto": "Pareto requests",
    "stalls": "stalled trials",
}


def cell_name(family: str, size: int) -> str:
    """Configuration name of a family with a number of blocks, such as gamma_n6."""
    return f"{family}_n{size}"


def timeline_name(seconds: int) -> str:
    """Configuration name of one trial of so many seconds, such as seconds_60."""
    return f"seconds_{seconds}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every cell, in the order of the figures."""
    runs = [
        Configuration(cell_name(family, size), f"{LABELS[family]}, {size} blocks", {"family": family, "size": size})
        for family in parameters.families
        for size in parameters.sizes
    ]
    trials = [
        Configuration(timeline_name(seconds), f"one trial of {seconds} s", {"seconds": seconds})
        for seconds in parameters.timelines_s
    ]
    return (*runs, *trials)


def plan(parameters: Parameters) -> Plan:
    """Every cell once per block; a block is one batch of repetitions with a seed of its own."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
