"""What can be set in the simulation, and its cells: families by number of blocks, single trials, machine states."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.experiments.parameters import ExperimentParameters
from benchbook.model import Configuration

FamilyName = Literal["normal", "lognormal", "gamma", "pareto", "stalls"]
StateName = Literal["quiet", "wandering", "jumps", "bursts", "rare", "trend", "level", "days", "follow"]


LABELS = {
    "normal": "normal",
    "lognormal": "lognormal",
    "gamma": "gamma",
    "pareto": "Pareto requests",
    "stalls": "stalled trials",
}
STATES = {
    "quiet": "quiet",
    "wandering": "wandering (autoregressive)",
    "jumps": "jumps between two levels",
    "bursts": "bursts, a tenth of the time",
    "rare": "rare bursts, 3 % of the time",
    "trend": "slower and slower",
    "level": "slow throughout",
    "days": "another level each session",
    "follow": "each session's level follows the last",
}
"""What the machine does, by the name that cells have."""
SENSITIVITIES = {
    "alike": (1.0, 1.0),
    "base_more": (1.0, 0.5),
    "changed_more": (0.5, 1.0),
    "base_alone": (1.0, 0.0),
    "changed_alone": (0.0, 1.0),
}
"""How much of the slowdown the baseline (with its A/A arm) and the changed arm feel."""
ALIKE, CLOSE, FAR = "alike", "close", "far"
FEELING = {ALIKE: 1.0, CLOSE: 0.8, FAR: 0.3}
"""In runs of several sessions: how much of what the baseline feels the changed arm feels. The baseline feels all."""
LEVELS = {"known": "known", "read": "read from other sessions", "noisy": "read by a noisy canary"}
"""How the processor's quiet level is found."""


class Parameters(ExperimentParameters):
    """Defaults are the standard profile: 20,000 repetitions of every cell, trials that spread by 5 %."""

    families: tuple[FamilyName, ...] = Field(
        ("normal", "lognormal", "gamma", "pareto", "stalls"),
        min_length=1,
        description="distributions that trials and requests are drawn from",
    )
    sizes: tuple[int, ...] = Field(
        (3, 6, 10, 20, 40), min_length=1, description="numbers of blocks that a simulated run has, each 2 to 200"
    )
    repetitions: int = Field(2_500, ge=10, le=100_000, description="simulated runs of each cell in each batch")
    slow_repetitions: int = Field(
        125, ge=2, le=10_000, description="simulated runs in each batch for intervals that draw resamples themselves"
    )
    effects_percent: tuple[float, ...] = Field(
        (2, 5, 10, 25),
        min_length=1,
        description="planted effects in %, above 0 and at most 100; 0 (A/A) is always among them",
    )
    between_block_sd: float = Field(
        0.05, ge=0, le=0.5, description="standard deviation between blocks of the logarithm of a trial's level"
    )
    between_trial_sd: float = Field(
        0.05, ge=0.001, le=0.2, description="standard deviation between trials of a block, as a share of the level"
    )
    operations: int = Field(10_000, ge=10_000, le=1_000_000, description="requests in a trial; a P99 needs 10,000")
    tail_index: float = Field(
        2.5, gt=1, le=10, description="tail index of the Pareto distributions; below 2 a request's variance is infinite"
    )
    timelines_s: tuple[int, ...] = Field(
        (60, 120, 300), min_length=1, description="seconds in a trial, each 20 to 3,600; trials of a run have the first"
    )
    autocorrelation: float = Field(0.6, ge=0, le=0.95, description="correlation between successive seconds of a trial")
    second_sd: float = Field(0.1, gt=0, le=0.2, description="standard deviation of a second's throughput, as a share")
    hit_ratio: float = Field(0.97, gt=0, lt=1, description="typical hit ratio of a trial, and success rate of Wilson")
    page_requests: int = Field(30_000, ge=100, le=10**9, description="page requests behind a trial's hit ratio")
    settings: int = Field(6, ge=3, le=20, description="settings of a simulated sweep; the first is the baseline")
    cliff_percent: float = Field(10, gt=0, lt=100, description="drop planted in the middle of a sweep, in %")
    resamples: int = Field(999, ge=99, le=10_000, description="resamples of a bootstrap interval")
    alone_sds: tuple[float, ...] = Field(
        (0.02, 0.05),
        min_length=1,
        description="spreads between trials, each 0.001 to 0.2, at which one arm alone stalls now and then",
    )
    states: tuple[StateName, ...] = Field(
        ("quiet", "wandering", "jumps", "bursts", "rare", "trend", "level", "days", "follow"),
        min_length=1,
        description="what the machine does under the rules for verdicts",
    )
    state_repetitions: int = Field(500, ge=10, le=100_000, description="simulated runs of each state in each batch")
    state_blocks: int = Field(10, ge=2, le=100, description="blocks of a session on a machine that moves")
    state_ratios: tuple[float, ...] = Field(
        (1, 1.02, 1.05, 1.1, 1.25, 1.6, 2, 24),
        min_length=1,
        description="true ratios of two arms on the quiet machine, each from 0.01 to 100",
    )
    patience_sessions: tuple[int, ...] = Field(
        (4, 6), min_length=1, description="sessions of a run that is judged over sessions, each 4 to 20"
    )
    patience_blocks: tuple[int, ...] = Field(
        (2, 4), min_length=1, description="blocks of each of these sessions, each 2 to 40"
    )
    patience_trial_sd: float = Field(
        0.03, ge=0.001, le=0.2, description="standard deviation between the trials of a block in these sessions"
    )
    following: float = Field(
        0.8, ge=0, le=0.99, description="correlation of a session's level with the last one's, where it follows"
    )
    level_sessions: int = Field(
        20, ge=20, le=1_000, description="other sessions that a processor's quiet level is read from, where not known"
    )
    reading_sd: float = Field(
        0.075, ge=0.001, le=0.5, description="standard deviation of the logarithm of a noisy canary's readings"
    )
    session_sds: tuple[float, ...] = Field(
        (0, 0.03, 0.1),
        min_length=1,
        description="standard deviations between sessions of the logarithm of two arms' ratio, each 0 to 0.5",
    )
    host_ratios: tuple[float, ...] = Field(
        (1, 1.3, 2.3),
        min_length=1,
        description="by what the ratio differs between two kinds of hosts, each 0.01 to 100",
    )
    slower_percent: float = Field(30, gt=0, le=400, description="by how much a disturbed machine is slower, in %")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        bounds: dict[str, tuple[float, float]] = {
            "sizes": (2, 200), "timelines_s": (20, 3_600), "alone_sds": (0.001, 0.2), "state_ratios": (0.01, 100),
            "patience_sessions": (4, 20), "patience_blocks": (2, 40), "session_sds": (0, 0.5),
            "host_ratios": (0.01, 100),
        }  # fmt: skip
        for name, (low, high) in bounds.items():
            values = getattr(self, name)
            if any(not low <= value <= high for value in values):
                raise ValueError(f"{name}={values} must lie between {low:g} and {high:,g}")
        if any(not 0 < effect <= 100 or not math.isfinite(effect) for effect in self.effects_percent):
            raise ValueError(f"effects_percent={self.effects_percent} must be above 0 and at most 100")
        for name in ("families", *bounds, "effects_percent", "states"):
            values = getattr(self, name)
            if len({f"{value:g}" if isinstance(value, float) else str(value) for value in values}) != len(values):
                raise ValueError(f"{name}={values} names a value twice")
        return self

    @property
    def effects(self) -> tuple[float, ...]:
        """True ratios that are planted, 1 (A/A) first."""
        return (1.0, *(1 + percent / 100 for percent in sorted(self.effects_percent)))


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


def patience_name(state: str, arms: str) -> str:
    """Configuration name of a machine's state under runs of several sessions, such as patience_jumps_close."""
    return f"patience_{state}_{arms}"


def luck_name(session_sd: float) -> str:
    """Configuration name of runs whose sessions differ so much, such as luck_3 for 3 %."""
    return f"luck_{100 * session_sd:g}".replace(".", "_")


def hosts_name(session_sd: float) -> str:
    """Configuration name of runs on two kinds of hosts whose sessions differ so much, such as hosts_3."""
    return f"hosts_{100 * session_sd:g}".replace(".", "_")


def design_name(sessions: int, blocks: int) -> str:
    """How the metrics of runs of so many sessions of so many blocks begin, such as sessions_4x2."""
    return f"sessions_{sessions}x{blocks}"


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
    patience = [
        Configuration(
            patience_name(state, arms), f"several sessions, {STATES[state]}, {arms}", {"patience": state, "arms": arms}
        )
        for state in parameters.states
        for arms in FEELING
    ]
    luck = [
        Configuration(luck_name(sd), f"several sessions that differ by {sd:.3g}", {"luck": sd})
        for sd in parameters.session_sds
    ]
    hosts = [
        Configuration(hosts_name(sd), f"two kinds of hosts, sessions differ by {sd:.3g}", {"hosts": sd})
        for sd in parameters.session_sds
    ]
    return (*runs, *trials, *alone, *states, *patience, *luck, *hosts)
