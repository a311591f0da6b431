"""The cells of the simulation as configurations: families by number of blocks, seconds of one trial, machine states."""

from __future__ import annotations

from benchbook.experiments.calibration.machine import SENSITIVITIES, STATES
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


def alone_name(sd: float, size: int) -> str:
    """Configuration name of runs in which one arm alone stalls, such as alone_2_n6 for a spread of 2 %."""
    return f"alone_{100 * sd:g}_n{size}".replace(".", "_")


def state_name(state: str, arms: str) -> str:
    """Configuration name of a machine's state under a pair of arms, such as state_jumps_alike."""
    return f"state_{state}_{arms}"


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
    alone = [
        Configuration(alone_name(sd, size), f"one arm stalls, {sd:.3g}, {size} blocks", {"alone": sd, "size": size})
        for sd in parameters.alone_sds
        for size in parameters.sizes
    ]
    states = [
        Configuration(state_name(state, arms), f"{STATES[state]}, {arms}", {"state": state, "arms": arms})
        for state in parameters.states
        for arms in SENSITIVITIES
    ]
    return (*runs, *trials, *alone, *states)


def plan(parameters: Parameters) -> Plan:
    """Every cell once per block; a block is one batch of repetitions with a seed of its own."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
