"""What can be set in the simulation, and its cells: families by number of blocks, single trials, visits."""

from __future__ import annotations

import math
from itertools import product
from typing import Literal, Self

from pydantic import Field, model_validator

from benchbook.model import Configuration
from benchbook.parameters.base import ExperimentParameters

FamilyName = Literal["normal", "lognormal", "gamma", "pareto", "stalls"]


LABELS = {
    "normal": "normal",
    "lognormal": "lognormal",
    "gamma": "gamma",
    "pareto": "Pareto requests",
    "stalls": "stalled trials",
}
FEELING = {"alike": 1.0, "far": 0.3}
"""How much of a visit's slowdown the changed arm feels; the baseline feels all of it."""
PROCESSORS = {"one": 1, "two": 2}
"""Models that the visits of a run may meet."""


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
    luck_visits: tuple[int, ...] = Field(
        (4, 6), min_length=1, description="visits of a run whose visits may agree by luck, each 4 to 20"
    )
    luck_blocks: tuple[int, ...] = Field((2, 4), min_length=1, description="blocks of each of them, each 2 to 40")
    luck_trial_sd: float = Field(
        0.03, ge=0.001, le=0.2, description="standard deviation between the trials of a block in them"
    )
    visit_sds: tuple[float, ...] = Field(
        (0, 0.03, 0.1),
        min_length=1,
        description="standard deviations between them of the logarithm of a ratio or a level, each 0 to 0.5",
    )
    visit_repetitions: int = Field(2_500, ge=10, le=100_000, description="simulated runs of visits in each batch")
    visit_moves: tuple[float, ...] = Field(
        (0.06, 0.10),
        min_length=1,
        description="standard deviations of what a visit moves a ratio by, as shares of its logarithm, each 0 to 0.5",
    )
    block_sds: tuple[float, ...] = Field(
        (0.02, 0.05, 0.10),
        min_length=1,
        description="standard deviations of the log ratio between blocks of a visit, each 0.001 to 0.5",
    )
    edge_ratios: tuple[float, ...] = Field(
        (1.05, 1.25, 2, 5), min_length=1, description="true ratios, each on the edge of a claim, each 1.001 to 100"
    )
    other_processor: float = Field(
        0.5, ge=0, le=1, description="probability that a later visit meets the second of two processor models"
    )
    slower_percent: float = Field(
        2,
        ge=0,
        le=400,
        description="slowdown of a visit, in %, as the standard deviation of a half-normal distribution",
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        bounds: dict[str, tuple[float, float]] = {
            "sizes": (2, 200), "timelines_s": (20, 3_600), "alone_sds": (0.001, 0.2), "luck_visits": (4, 20),
            "luck_blocks": (2, 40), "visit_sds": (0, 0.5), "visit_moves": (0, 0.5), "block_sds": (0.001, 0.5),
            "edge_ratios": (1.001, 100),
        }  # fmt: skip
        for name, (low, high) in bounds.items():
            values = getattr(self, name)
            if any(not low <= value <= high for value in values):
                raise ValueError(f"{name}={values} must lie between {low:g} and {high:,g}")
        if any(not 0 < effect <= 100 or not math.isfinite(effect) for effect in self.effects_percent):
            raise ValueError(f"effects_percent={self.effects_percent} must be above 0 and at most 100")
        for name in ("families", *bounds, "effects_percent"):
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


def luck_name(visit_sd: float) -> str:
    """Configuration name of runs whose visits differ so much, such as luck_3 for 3 %."""
    return f"luck_{100 * visit_sd:g}".replace(".", "_")


def design_name(visits: int, blocks: int) -> str:
    """How the metrics of runs of so many visits of so many blocks begin, such as visits_4x2."""
    return f"visits_{visits}x{blocks}"


def visits_name(move: float, block_sd: float, arms: str, processors: str) -> str:
    """Configuration name of visits to a machine, such as visits_6_sd2_alike_one."""
    return f"visits_{100 * move:g}_sd{100 * block_sd:g}_{arms}_{processors}".replace(".", "_")


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
    luck = [
        Configuration(luck_name(sd), f"several visits that differ by {sd:.3g}", {"luck": sd})
        for sd in parameters.visit_sds
    ]
    visits = [
        Configuration(
            visits_name(move, sd, arms, processors),
            f"visits move by {move:.3g}, blocks by {sd:.3g}, {arms}, {processors}",
            {"move": move, "block_sd": sd, "arms": arms, "processors": processors},
        )
        for move, sd, arms, processors in product(parameters.visit_moves, parameters.block_sds, FEELING, PROCESSORS)
    ]
    return (*runs, *trials, *alone, *luck, *visits)
