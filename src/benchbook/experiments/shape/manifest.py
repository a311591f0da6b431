"""What a chapter is, known before anything of it is loaded; its parts are found by the names of their modules.

A chapter is a package of ``benchbook.experiments`` whose ``__init__`` holds one ``chapter = Chapter(...)``:

=============  ====================================================================================================
``arms``       ``Parameters`` and ``configurations(parameters)``; ``plan(parameters)`` where blocks are not enough
``measure``    ``needs(parameters)``, ``session(parameters, progress)``, ``reduce(latencies)``: the family's, adapted
``summary``    ``Summary``, only where a run is asked for more than every run is
``answers``    ``ANSWERS`` to the claims and their ``checks(summary, answer)``
``lesson``     ``LESSON``: its title, what stands beside the answers, and the advice
``figures``    ``FIGURES``: short name to what draws it
``prose``      the sentences that the notebook shows
=============  ====================================================================================================

An analysis measures nothing: its ``arms`` has ``Parameters`` alone, and its ``Summary`` is an ``Analysis``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbook.experiments.kinds import Kind

if TYPE_CHECKING:
    import numpy as np

    from benchbook.figures import Figure, Lesson
    from benchbook.model import Configuration, Plan, Run, Verdict


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    package: full name of its package. question: what it asks, which is its package's docstring. engine: as a reader
    calls it, "" where nothing is measured. version: of the measurement; it goes up when a stored run would no longer
    answer the same question; 0 where nothing is stored. device: whether its trials read from or write to the disk, so
    that the canary's reads bear on their verdicts too.
    """

    package: str
    question: str | None
    title: str
    engine: str = ""
    version: int = 0
    kind: Kind = Kind.MEASUREMENT
    device: bool = False

    @property
    def name(self) -> str:
        """Of its package and of its notebook."""
        return self.package.rpartition(".")[2]

    def part(self, name: str) -> Any:
        """One of its modules."""
        return importlib.import_module(f"{self.package}.{name}")

    def has(self, name: str) -> bool:
        """Whether it has such a module."""
        return importlib.util.find_spec(f"{self.package}.{name}") is not None

    @property
    def Parameters(self) -> Any:  # noqa: N802  # a class
        """The class of its parameters; the defaults are the standard profile."""
        return self.part("arms").Parameters

    def configurations(self, parameters: Any) -> Mapping[str, Configuration]:
        """What is measured, by name, in the order of the figures."""
        return {arm.name: arm for arm in self.part("arms").configurations(parameters)}

    def plan(self, parameters: Any) -> Plan:
        """All configurations once per block, in an order drawn from the seed, unless the chapter has a plan of its own.

        Raises BenchbookError for more trials than are useful.
        """
        arms = self.part("arms")
        if hasattr(arms, "plan"):
            own: Plan = arms.plan(parameters)
            return own
        from benchbook.experiments.planning import blocked

        return blocked(arms.configurations(parameters), parameters.blocks, parameters.seed)

    def needs(self, parameters: Any) -> Any:
        """What a run takes of the machine."""
        return self.part("measure").needs(parameters)

    def session(self, parameters: Any, progress: Callable[[str, float], None]) -> AbstractContextManager[Any]:
        """The engine made ready; tidied up at the end."""
        session: AbstractContextManager[Any] = self.part("measure").session(parameters, progress)
        return session

    def reduce(self, latencies: np.ndarray) -> Mapping[str, float | None]:
        """Metrics that follow from the stored latencies of a trial alone."""
        found: Mapping[str, float | None] = self.part("measure").reduce(latencies)
        return found

    @property
    def measuring(self) -> tuple[str, ...]:
        """Names of the modules from which all that decides a measurement can be reached."""
        return (f"{self.package}.arms", f"{self.package}.measure", "benchbook.experiments.planning")

    def summarize(self, given: Any) -> Any:
        """A run, or for an analysis its parameters, ready for figures and verdicts.

        Raises BenchbookError when the run does not hold every configuration once per block.
        """
        if self.kind is Kind.ANALYSIS:
            return self.part("summary").Summary(self, given)
        from benchbook.experiments.shape.summary import Summary, check_whole

        run: Run = given
        parameters = self.Parameters.given(run.parameters)
        configurations = self.configurations(parameters)
        check_whole(run, configurations)
        made = self.part("summary").Summary if self.has("summary") else Summary
        return made(self, run, parameters, configurations)

    def figures(self, summary: Any) -> dict[str, Figure]:
        """All figures by short name, in reading order."""
        return {name: draw(summary) for name, draw in self.part("figures").FIGURES.items()}

    def judge(self, summary: Any) -> list[Verdict]:
        """A verdict on every claim of the chapter, in the ledger's order; judged once for a summary."""
        from benchbook.experiments.shape import judging

        return [answered.verdict for answered in judging.answered(summary)]

    def lesson(self, summary: Any) -> Lesson:
        """What the chapter teaches, in words that follow the run."""
        from benchbook.experiments.shape import lessons

        return lessons.lesson(summary, self.part("lesson").LESSON)
