"""What an experiment must offer to be run; the contract tests hold every experiment to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

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


class Needs(Protocol):
    """What the run needs of the machine."""

    @property
    def estimate(self) -> str | None:
        """Time and disk in words, said before the run starts; None where nobody estimated them."""
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

    @property
    def measuring(self) -> Iterable[str]:
        """Full names of the modules from which all that decides a measurement can be reached."""
        ...

    def plan(self, parameters: Any) -> Plan:
        """Blocks x configurations, shuffled."""
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
