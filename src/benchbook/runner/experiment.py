"""What an experiment must offer to be run; the contract tests hold every experiment to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, runtime_checkable

import numpy as np

from benchbook.model import Plan, PlannedTrial, Trial


class Session(Protocol):
    """An engine made ready, on which trials are measured one after the other."""

    def provenance(self) -> dict[str, Any]:
        """Engine, version, effective settings, data set."""
        ...

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once, in a fresh server or process."""
        ...


@runtime_checkable
class SideBySide(Protocol):
    """A session whose configurations of one group can live side by side and be measured in turns."""

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Measure each once, in fresh processes that take turns.

        between: called between fillings and before each round. say: told where the group has to be divided. An arm that
        fails ends alone: the others are returned before its error is raised.
        """
        ...


class Needs(Protocol):
    """What the run needs of the machine."""

    @property
    def estimate(self) -> str | None:
        """Time and disk in words, said before the run starts; None where nobody estimated them."""
        ...

    @property
    def minutes(self) -> float | None:
        """How long measuring takes; None where nobody estimated it."""
        ...

    @property
    def engine(self) -> Callable[[], Mapping[str, Any]]:
        """Says which engine would be measured, as the run's provenance will; raises MachineError if it is unusable."""
        ...

    def check(self) -> None:
        """Raise MachineError when the machine has less."""
        ...


class Experiment(Protocol):
    """A chapter that is measured or simulated."""

    @property
    def name(self) -> str:
        """That of its notebook."""
        ...

    @property
    def version(self) -> int:
        """Of the measurement."""
        ...

    def plan(self, parameters: Any, *, first_block: int = 0, blocks: int | None = None) -> Plan:
        """Blocks x configurations, shuffled; or so many further blocks of the same plan."""
        ...

    def needs(self, parameters: Any) -> Needs:
        """Disk and memory."""
        ...

    def session(self, parameters: Any, progress: Callable[[str, float], None]) -> AbstractContextManager[Session]:
        """Load and make ready; tidy up at the end."""
        ...

    def reduce(self, latencies: np.ndarray) -> Mapping[str, float | None]:
        """Metrics that follow from the latencies alone."""
        ...
