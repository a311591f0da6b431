"""The nouns of the book as frozen records: what is planned, what was measured, what is concluded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Scalar = bool | int | float | str | None
TURNS, READS = "turn", "read"
"""Series of a trial's samples without times of operations: one number for each turn, and blocks read by each."""
UNTIMED = (TURNS, READS)


@dataclass(frozen=True)
class Configuration:
    """One setting under test. ``name`` is its identity in tables, ``label`` what a figure shows.

    group: configurations of one group, "" for none, are measured side by side in turns where their family can, else one
    after the other without any other between them.
    """

    name: str
    label: str
    settings: Mapping[str, Scalar] = field(default_factory=dict)
    group: str = ""


@dataclass(frozen=True)
class PlannedTrial:
    """One configuration to be measured once in a fresh server or process.

    index: place in the run, from 0. block: complete block it belongs to, from 0.
    seed: of everything random in the trial; the trials of one block share it, so that they draw the same keys.
    """

    index: int
    block: int
    configuration: Configuration
    seed: int


@dataclass(frozen=True)
class Plan:
    """All trials of a run in the order in which they are measured, shuffled within each block."""

    configurations: tuple[Configuration, ...]
    trials: tuple[PlannedTrial, ...]


@dataclass(frozen=True)
class Trial:
    """What one trial gave: the independent replicate.

    metrics: one number per metric, units in the name; a missing key or None means "not estimable", never 0.
    labels: short texts, such as the certified cache state. samples: operations' latencies in ns, per series,
    in the order in which they happened, beside the series of UNTIMED; int64, shape (operations,).
    """

    planned: PlannedTrial
    started_at: str
    duration_s: float
    metrics: Mapping[str, float | None]
    labels: Mapping[str, str]
    samples: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Part:
    """One of the runs of which a pooled run is made: a measuring session.

    blocks: how many of the pool's it has. first_block: the place of its first one in the plan.
    """

    id: str
    blocks: int
    provenance: Mapping[str, Any]
    first_block: int = 0


@dataclass(frozen=True)
class Run:
    """All trials of a plan, one execution, as stored; or several executions of one plan, pooled.

    trials: one row per trial; columns ``trial block configuration seed session started_at duration_s``,
    then one column per metric (float, missing = not estimable) and per label (string).
    samples: columns ``trial series latency_ns``, in the order in which they happened; of
    a series of UNTIMED the last column holds another number.
    canary: one row per look at the machine itself, around each trial; around each block in runs of earlier versions.
    first_block: the place of its first block in the plan; above 0 where it added blocks to what had been measured.
    pool: the runs of which a pooled run is made, in its order of blocks; empty for a run as stored. A pooled run has
    the id and the provenance of its newest part.
    machines: of each block the id of the machine that measured it, "" where it has none; empty where no block has one.
    foreign: somebody else's run that was added, or a pool with one.
    """

    id: str
    experiment: str
    measurement_version: int
    parameters: Mapping[str, Any]
    profile: str
    seed: int
    blocks: int
    provenance: Mapping[str, Any]
    trials: pd.DataFrame
    samples: pd.DataFrame
    canary: pd.DataFrame
    published: bool = False
    first_block: int = 0
    pool: tuple[Part, ...] = ()
    machines: tuple[str, ...] = ()
    foreign: bool = False

    @property
    def origin(self) -> str:
        """In a word, where it comes from."""
        return "published" if self.published else "foreign" if self.foreign else "local"

    @property
    def parts(self) -> tuple[Part, ...]:
        """The measuring sessions of which it is made, at least one."""
        return self.pool or (Part(self.id, self.blocks, self.provenance, self.first_block),)


FEWEST = 3
"""Blocks; fewer show points and decide nothing."""
_OVER_BLOCKS = ("Student t", "Welch t", "chi-square", "Fieller")
"""Words in the names of intervals that rest on how blocks differ."""


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    n: independent trials (or blocks) behind it. method: the interval's name, for captions.
    low and high are never NaN: where no interval exists, no Estimate is made.
    """

    point: float
    low: float
    high: float
    n: int
    method: str
    confidence: float = 0.95

    @property
    def fields(self) -> dict[str, Any]:
        """What tables and programs are told of it."""
        return {name: getattr(self, name) for name in ("point", "low", "high", "confidence", "n", "method")}

    @property
    def bare(self) -> bool:
        """Whether it is of fewer than three blocks: their interval says nothing, and is neither drawn nor written."""
        return self.n < FEWEST and self.low < self.high and any(each in self.method for each in _OVER_BLOCKS)


@dataclass(frozen=True)
class Effect(Estimate):
    """A comparison of two configurations: a ratio (1 = the same) or, for shares, a difference (0 = the same).

    scale: "ratio" or "difference". sd: standard deviation of the per-block comparison on the scale on which
    the interval was made (log for ratios); the planning of further trials needs it. typical: low and high of the median
    block, where some blocks lie so far out that the interval of the mean may not hold; None elsewhere.
    """

    scale: str = "ratio"
    sd: float = 0.0
    typical: tuple[float, float] | None = None


class Outcome(StrEnum):
    """How a claim came out: names as in the protocol, values as readers see them. The methods page explains each."""

    REPRODUCED = "holds"
    DIRECTION_ONLY = "another size"
    NO_EFFECT = "no effect"
    CONTRADICTED = "wrong"
    HOST = "depends on the host"
    CONDITION = "depends on a condition"
    ONE_VISIT = "open: one visit"
    INCONCLUSIVE = "open: interval"
    OPEN_HOST = "open: host"
    OPEN_CONDITION = "open: condition"
    CHECK = "open: a check failed"
    DESIGN = "open: not by this design"
    NOT_TESTABLE = "not testable here"
    NOT_A_MEASUREMENT = "not a measurement"
    NOT_YET_RUN = "not yet run"


class Evidence(StrEnum):
    """What a verdict stands on; counted apart, since a sum that comes out shows nothing of a cache."""

    MEASURED = "measured"
    CONSTRUCTION = "by construction"
    REPORT = "from the note's own report"
    RECOMPUTED = "recomputed"


@dataclass(frozen=True)
class OnHost:
    """A claim's number on one kind of host where kinds lie apart, or under one condition that a claim leaves out.

    name: its processor, or the condition. told: what else is known of the host, such as its kernel builds. blocks,
    visits: measured there.
    """

    name: str
    told: str
    estimate: Estimate
    outcome: Outcome
    blocks: int
    visits: int


class Again(StrEnum):
    """How a verdict came out in a visit after the protocol was frozen."""

    SAME = "came out again"
    WITHIN = "not apart"
    OTHER = "came out differently"


@dataclass(frozen=True)
class Retest:
    """A verdict of all visits before the protocol was frozen, and the first visit after.

    outcome, before: the verdict and its number. low, high: where a further visit was expected. now: its number alone.
    """

    answer: Again
    outcome: Outcome
    before: Estimate
    low: float
    high: float
    now: Estimate

    @property
    def as_expected(self) -> bool:
        """Whether the number lies where it was expected."""
        return self.low <= self.now.point <= self.high


@dataclass(frozen=True)
class Verdict:
    """What the stored trials say of one claim.

    reason: one sentence with the computed numbers. figure_id: the figure that shows it, or "". rests_on: in words, what
    kind of quantity it is, and the visits and processors behind it. error: of a decided one, how often chance alone
    gives a number so far from the edge that would change it, or further; allowed: the most that its rule lets it be.
    None where not decided so. why: of an open one, what leaves it open, in few words. failed: names of the checks that
    its trials did not pass, such as "A/A". evidence: what decided it. quiet: whether it could also be said of a quiet
    machine; None where that is not asked. hosts: a row for each kind of host where these lie apart, or each condition
    that a claim leaves out and its number depends on; no number then stands for all, and estimate is None. carried: the
    estimate with the interval that the verdict had to bear, widened for what visits may do to it; None elsewhere.
    visits: when and where it was measured. processors: the models that it was measured on. look: the planned look at
    which it fell, from 1; None where it is open or nothing was timed. visits_needed: further visits that would decide
    an open one, were point and spread to stay. retest: what a visit after the protocol was frozen says of it; None
    without one.
    """

    claim_id: str
    outcome: Outcome
    reason: str
    estimate: Estimate | None = None
    figure_id: str = ""
    rests_on: str = ""
    error: float | None = None
    allowed: float | None = None
    why: str = ""
    failed: tuple[str, ...] = ()
    evidence: Evidence = Evidence.MEASURED
    quiet: bool | None = None
    hosts: tuple[OnHost, ...] = ()
    carried: Estimate | None = None
    visits: int = 0
    processors: tuple[str, ...] = ()
    look: int | None = None
    visits_needed: int | None = None
    retest: Retest | None = None
