"""A run in, what every chapter asks of it out: values of a configuration in block order, levels, ratios, shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self

import numpy as np
import pandas as pd
from typing_extensions import TypeVar

from benchbook import statistics, store
from benchbook.errors import BenchbookError
from benchbook.model import Configuration, Effect, Estimate, Run
from benchbook.numbers import environment
from benchbook.numbers.keeping import Keeping, T
from benchbook.numbers.metrics import Metrics, in_words
from benchbook.numbers.sentences import source, too_few_blocks
from benchbook.parameters.base import AnalysisParameters, ExperimentParameters, other_numbers
from benchbook.parameters.kinds import Kind
from benchbook.statistics import Gate
from benchbook.statistics.visits import borne, count, worth
from benchbook.store.answers import named

if TYPE_CHECKING:
    from benchbook.numbers.answers import Answers

P = TypeVar("P", bound=AnalysisParameters, covariant=True, default=ExperimentParameters)
Value = tuple[str, str]
"""A configuration and a metric."""


class NotEstimableError(BenchbookError):
    """The run holds too little for this number; the text says what is missing."""


class NotRunError(NotEstimableError):
    """The run left out what this number is about."""


class OfChapter(Protocol):
    """What a summary and those who read it ask of their chapter; ``manifest.Chapter`` has the words."""

    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def kind(self) -> Kind: ...
    @property
    def device(self) -> bool: ...
    @property
    def reads(self) -> tuple[str, ...]: ...
    @property
    def METRICS(self) -> Metrics: ...  # noqa: N802
    @property
    def answers(self) -> Answers: ...
    def summarize(self, given: Any) -> Any: ...
    def needs(self, parameters: Any) -> Any: ...


@dataclass(frozen=True, eq=False)
class Summary(Keeping, Generic[P]):
    """One run, ready for figures and verdicts; the base of the chapters' own.

    configurations: by name, in the order of the figures. confidence: of its intervals. left_out: void blocks, in words.
    MEND: what helps where a trial lacks a metric.
    """

    chapter: OfChapter
    run: Run
    parameters: P
    configurations: Mapping[str, Configuration]
    confidence: float = field(default=0.95, kw_only=True)
    left_out: tuple[str, ...] = field(default=(), kw_only=True)
    MEND: ClassVar[str] = "raise the number of look-ups, or see `benchbook verify`"

    @property
    def METRICS(self) -> Metrics:  # noqa: N802  # as in the chapter's module
        """The chapter's metrics in words."""
        return self.chapter.METRICS

    @property
    def arms(self) -> list[str]:
        """Configuration names in the order of the figures."""
        return list(self.configurations)

    def label(self, arm: str) -> str:
        """What a figure calls a configuration."""
        return self.configurations[arm].label if arm in self.configurations else arm

    @property
    def sessions(self) -> np.ndarray:
        """The measuring session of each block, shape (blocks,)."""
        return self.once("sessions", lambda: store.sessions_of(self.run))

    @property
    def visits(self) -> np.ndarray:
        """The visit of each block, shape (blocks,), for ``visits`` of statistics over blocks."""
        return self.once("visits", lambda: store.visits_of(self.run))

    @property
    def contended(self) -> tuple[int, ...]:
        """Blocks in which somebody else had the disk, by the run's own looks at it; they stay in every number."""
        return self.once("contended", lambda: environment.contended(self.run))

    def in_blocks(self, arm: str) -> pd.DataFrame:
        """The trials of a configuration in block order, to be read alone; none where the run left it out."""
        by_arm = self.once(
            "in blocks",
            lambda: {str(name): rows.sort_values("block") for name, rows in self.run.trials.groupby("configuration")},
        )
        return by_arm[arm] if arm in by_arm else self.run.trials.iloc[:0]

    def of(self, arms: Iterable[str]) -> pd.DataFrame:
        """The trials of these configurations, in order of time."""
        return self.run.trials[self.run.trials["configuration"].isin(list(arms))]

    def values(self, arm: str, metric: str) -> np.ndarray:
        """Per-block values in block order, shape (blocks,).

        Raises NotEstimableError when the run lacks the configuration, or a trial the metric.
        """
        found = self.once(f"{arm}\0{metric}", lambda: self._values(arm, metric))
        if found is None:
            raise self.missing(arm, metric)
        return found.copy()

    def _values(self, arm: str, metric: str) -> np.ndarray | None:
        rows = self.in_blocks(arm)
        if not len(rows) or metric not in rows or rows[metric].isna().any():
            return None
        return rows[metric].to_numpy(dtype=float)

    def seen(self, arm: str, metric: str) -> np.ndarray:
        """The same with NaN where a trial lacks the metric; raises NotEstimableError where none has it."""
        rows = self.in_blocks(arm)
        if not len(rows) or metric not in rows:
            raise self.missing(arm, metric)
        return rows[metric].to_numpy(dtype=float)

    def positive(self, arm: str, metric: str) -> np.ndarray:
        """The same where a number at or below 0 has no meaning; a chapter whose metrics can be such says why not."""
        return self.values(arm, metric)

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """What to say where the run lacks a configuration or a trial a metric, with the mend that helps."""
        return NotEstimableError(
            f"{self.in_words(metric)} of “{self.label(arm)}” is not estimable in every trial", self.MEND
        )

    def in_words(self, metric: str) -> str:
        """What a sentence calls a metric."""
        return in_words(self.METRICS, metric)

    def has(self, arm: str, *metrics: str) -> bool:
        """Whether the run holds a configuration, and every trial of it these metrics."""
        try:
            for metric in metrics:
                self.values(arm, metric)
        except NotEstimableError:
            return False
        return True

    def having(self, arms: Iterable[str], *metrics: str) -> list[str]:
        """Those of the configurations of which every trial has these metrics."""
        return [arm for arm in arms if self.has(arm, *metrics)]

    def at(self, confidence: float) -> Self:
        """The same run with intervals of another confidence."""
        return self.once(f"at {confidence}", lambda: replace(self, confidence=confidence))

    def as_one_visit(self) -> Self:
        """The same run with its blocks as the replicates of every interval: a plan counts blocks, not visits."""
        found = replace(self)
        found.once("visits", lambda: np.zeros(self.run.blocks, dtype=np.int64))
        return found

    def estimated(self, statistic: Callable[..., T], *values: Any, of: Any = slice(None)) -> T:
        """An interval over blocks, or several by name: of one confidence, and told of the visits.

        statistic: of ``benchbook.statistics``. values: what it takes, arrays of shape (blocks,). of: the blocks whose
        values these are, as an index or a mask; all by default.
        """
        return statistic(*values, confidence=self.confidence, visits=self.visits[of])

    def level(self, arm: str, metric: str, unit: float = 1.0) -> Estimate:
        """Geometric mean over trials in a unit, with its interval: 1e6 for milliseconds of a metric in ns."""
        return self.estimated(statistics.geometric_mean, self.positive(arm, metric) / unit)

    def average(self, arm: str, metric: str, unit: float = 1.0) -> Estimate:
        """Arithmetic mean over trials with its interval, of what may be 0."""
        return self.estimated(statistics.arithmetic_mean, self.values(arm, metric) / unit)

    def mean(self, arm: str, metric: str) -> float:
        """Arithmetic mean over trials, of a count or a share that needs no interval."""
        return float(self.values(arm, metric).mean())

    def ratio(self, top: Value, bottom: Value) -> Effect:
        """Ratio of a metric of one configuration to one of another, paired within blocks."""
        return self.estimated(statistics.ratio, self.positive(*top), self.positive(*bottom))

    def share(self, arm: str, metric: str, of: str) -> Estimate:
        """Mean of a share over trials, resolved by the counts that it is a share of."""
        return self.estimated(statistics.share, self.values(arm, metric), self.values(arm, of))

    def aa_gate(self, again: str, first: str, metric: str, *, pairs: int = 1) -> Gate:
        """The baseline's second label against its first, with 99 %; together with 99 % for so many pairs (Bonferroni).

        Fails, saying so, where the pair cannot be compared.
        """
        wide = self.at(1 - (1 - statistics.AA_CONFIDENCE) / pairs)

        def compute() -> Effect:
            return wide.estimated(statistics.ratio, *(self.values(arm, metric) for arm in (again, first)))

        return self._held(compute)

    def aa_share_gate(self, again: str, first: str, metric: str, of: str) -> Gate:
        """The same for a share: by the difference of the two, resolved by the fewest counts of a trial."""

        def compute() -> Effect:
            one, other = (self.values(arm, metric) for arm in (again, first))
            fewest = int(min(self.values(arm, of).min() for arm in (again, first)))
            return self.at(statistics.AA_CONFIDENCE).estimated(statistics.shares_difference, one, other, fewest)

        return self._held(compute)

    def _held(self, compute: Callable[[], Effect]) -> Gate:
        """Whether the baseline equals itself, by the interval that its visits may have carried it to (item 20b)."""
        try:
            found, *_ = borne(compute(), count(self.visits), worth(self.visits))
            assert isinstance(found, Effect)
            return statistics.aa_gate(found)
        except BenchbookError as error:  # a trial of it failed, or it holds a 0
            return Gate("A/A", False, 0.0, f"the baseline cannot be held against itself: {error.problem}")

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        return [*other_numbers(self.parameters), *too_few_blocks(self.run), *self.left_out]

    def origin(self) -> str:
        """Half a sentence under figures: which run, how many blocks, on what."""
        on = self.on()
        return (
            f"{self.run.blocks} blocks with one trial of each configuration{self.sizes()}; {source(self.run)}"
            f"{f', {on}' if on else ''}"
        )

    def sizes(self) -> str:
        """What that says of sizes after the blocks, such as ", 10,000 rows unless another number is named"."""
        return ""

    def on(self) -> str:
        """Engine and version, for figures."""
        return named(self.chapter.engine, str(self.run.provenance.get("engine_version", "unknown")))


def check_whole(run: Run, names: Iterable[str]) -> None:
    """Raise BenchbookError when the run does not hold each configuration once per block, and no other."""
    counts = run.trials.groupby("configuration").size()
    if set(counts.index) != set(names) or not (counts == run.blocks).all():
        raise BenchbookError(f"run {run.id} does not hold each configuration once per block", "see `benchbook verify`")
