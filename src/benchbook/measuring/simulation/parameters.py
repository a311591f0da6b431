"""What can be set in the simulation."""

from __future__ import annotations

from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from benchbook import kit

FamilyName = Literal["normal", "lognormal", "gamma", "pareto", "stalls"]
LESS_HIT, FEW_MISSES = 0.9, 3
"""Of the second hit ratio to the first; misses that a trial of the configuration with hardly any has on average."""
BOUNDS: dict[str, tuple[float, float]] = {
    "sizes": (2, 200), "timelines_s": (20, 3_600), "alone_sds": (0.001, 0.2), "luck_visits": (4, 20),
    "luck_blocks": (2, 40), "visit_sds": (0, 0.5), "visit_moves": (0, 0.5), "block_sds": (0.001, 0.5),
    "edge_ratios": (1.001, 100),
}  # fmt: skip


def _some(default: Any, words: str) -> Any:
    return Field(default, min_length=1, description=words)


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: 20,000 repetitions of every cell, trials that spread by 5 %."""

    families: tuple[FamilyName, ...] = _some(get_args(FamilyName), "distributions of trials and requests")
    sizes: tuple[int, ...] = _some((3, 6, 10, 20, 40), "numbers of blocks that a simulated run has, each 2 to 200")
    repetitions: int = kit.param(2_500, 10, 100_000, "simulated runs of each cell in each batch")
    slow_repetitions: int = kit.param(125, 2, 10_000, "of them for intervals that draw resamples themselves")
    effects_percent: tuple[float, ...] = _some(
        (2, 5, 10, 25), "planted effects in %, above 0 and at most 100; 0 (A/A) is always among them"
    )
    between_block_sd: float = kit.param(0.05, 0, 0.5, "standard deviation between blocks of a level's logarithm")
    between_trial_sd: float = kit.param(
        0.05, 0.001, 0.2, "standard deviation between trials of a block, as a share of the level"
    )
    operations: int = kit.param(10_000, 10_000, 1_000_000, "requests in a trial; a P99 needs 10,000")
    tail_index: float = kit.param(2.5, None, 10, "of the Pareto distributions; below 2 a variance is infinite", above=1)
    timelines_s: tuple[int, ...] = _some(
        (60, 120, 300), "seconds in a trial, each 20 to 3,600; trials of a run have the first"
    )
    autocorrelation: float = kit.param(0.6, 0, 0.95, "correlation between successive seconds of a trial")
    second_sd: float = kit.param(0.1, None, 0.2, "standard deviation of a second's throughput, as a share", above=0)
    hit_ratio: float = kit.param(
        0.97, words="typical hit ratio of a trial, and success rate of Wilson", above=0, below=1
    )
    page_requests: int = kit.param(30_000, 100, 10**9, "page requests behind a trial's hit ratio")
    settings: int = kit.param(6, 3, 20, "settings of a simulated sweep; the first is the baseline")
    cliff_percent: float = kit.param(10, words="drop planted in the middle of a sweep, in %", above=0, below=100)
    resamples: int = kit.param(999, 99, 10_000, "resamples of a bootstrap interval")
    alone_sds: tuple[float, ...] = _some(
        (0.02, 0.05), "spreads between trials, each 0.001 to 0.2, at which one arm alone stalls now and then"
    )
    luck_visits: tuple[int, ...] = _some((4, 6), "visits of a run whose visits may agree by luck, each 4 to 20")
    luck_blocks: tuple[int, ...] = _some((2, 4), "blocks of each of them, each 2 to 40")
    luck_trial_sd: float = kit.param(0.03, 0.001, 0.2, "standard deviation between the trials of a block in them")
    visit_sds: tuple[float, ...] = _some(
        (0, 0.03, 0.1), "standard deviations between them of the logarithm of a ratio or a level, each 0 to 0.5"
    )
    visit_repetitions: int = kit.param(2_500, 10, 100_000, "simulated runs of visits in each batch")
    visit_moves: tuple[float, ...] = _some(
        (0.06, 0.10), "standard deviations of what a visit moves a ratio by, as shares of its logarithm, each 0 to 0.5"
    )
    block_sds: tuple[float, ...] = _some(
        (0.02, 0.05, 0.10), "standard deviations of the log ratio between blocks of a visit, each 0.001 to 0.5"
    )
    edge_ratios: tuple[float, ...] = _some(
        (1.05, 1.25, 2, 5), "true ratios, each on the edge of a claim, each 1.001 to 100"
    )
    other_processor: float = kit.param(0.5, 0, 1, "probability that a later visit meets the second processor model")
    slower_percent: float = kit.param(
        2, 0, 400, "slowdown of a visit, in %, as the standard deviation of a half-normal distribution"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        for name, (low, high) in BOUNDS.items():
            wrong = any(not low <= value <= high for value in getattr(self, name))
            kit.refuse(wrong, f"{name}={getattr(self, name)} must lie between {low:g} and {high:,g}")
        wrong = any(not 0 < effect <= 100 for effect in self.effects_percent)
        kit.refuse(wrong, f"effects_percent={self.effects_percent} must be above 0 and at most 100")
        for name in ("families", *BOUNDS, "effects_percent"):
            values = getattr(self, name)
            told = {f"{value:g}" if isinstance(value, float) else str(value) for value in values}
            kit.refuse(len(told) != len(values), f"{name}={values} names a value twice")
        return self

    @property
    def effects(self) -> tuple[float, ...]:
        """True ratios that are planted, 1 (A/A) first."""
        return (1.0, *(1 + percent / 100 for percent in sorted(self.effects_percent)))

    @property
    def hit_ratios(self) -> tuple[float, float, float]:
        """Of three configurations, the last with hardly any misses."""
        return self.hit_ratio, LESS_HIT * self.hit_ratio, 1 - FEW_MISSES / self.page_requests
