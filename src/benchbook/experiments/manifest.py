"""A chapter: what it is, by the head of its page, and what it does, by the names in its module.

A chapter is a module of ``benchbook.chapters`` and a page beside it, ``x.py`` and ``x.md``. The page has all words and
what the chapter is (``pages.page``, ``parameters.heads``). The module holds

``Parameters``      what can be set; the defaults are the standard profile
``configurations``  ``(parameters)``, what is compared; ``plan(parameters)`` where blocks are not enough
``needs``, ``session``, ``reduce``  how it is measured: ``(parameters)``, ``(parameters, progress)``, ``(latencies)``
``METRICS``         of its trials, in words
``Summary``         the family's, with what a run is asked for beside what every run is
``NUMBERS``         by name; where there are any ``WORDS`` and ``TABLES``, and what it says of all claims
                    (``numbers.answers.Answers``)
``FIGURES``         short name to what draws it

An analysis measures nothing: it has no configurations, needs, session or reduce; its ``Summary`` is an ``Analysis``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, overload

from benchbook.errors import BenchbookError
from benchbook.experiments import parts
from benchbook.experiments.mistakes import located, naming
from benchbook.parameters.kinds import Kind

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from benchbook.experiments.mistakes import Named
    from benchbook.experiments.paged import Paged
    from benchbook.figures import Figure, Lesson, Opening, Prose
    from benchbook.model import Configuration, Plan, Run, Verdict
    from benchbook.numbers.analysis import Analysis, Summarized
    from benchbook.numbers.answers import Answers
    from benchbook.numbers.metrics import Metrics
    from benchbook.numbers.summary import Summary
    from benchbook.parameters.base import AnalysisParameters, ExperimentParameters
    from benchbook.parameters.needs import Needs


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    package: full name of its module. question, title and the rest: as ``parameters.heads.Facts`` has them.
    """

    package: str
    question: str
    title: str
    engine: str = ""
    version: int = 0
    kind: Kind = Kind.MEASUREMENT
    device: bool = False
    reads: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Of its module, page and notebook."""
        return self.package.rpartition(".")[2]

    @property
    def page(self) -> Paged:
        return parts.paged(self.package)

    @property
    def answers(self) -> Answers:
        """To its claims."""
        return self.page.answers

    @property
    def Parameters(self) -> type[Any]:  # noqa: N802  # a class
        """The class of its parameters; the defaults are the standard profile."""
        found: type[Any] = parts.held(self.package, "Parameters")
        return found

    @property
    def METRICS(self) -> Metrics:  # noqa: N802  # as in its module
        """Of its trials, in words; a simulation may have none."""
        found: Metrics = vars(parts.module(self.package)).get("METRICS", {})
        return found

    def configurations(self, parameters: ExperimentParameters) -> Mapping[str, Configuration]:
        """What is measured, by name, in the order of the figures. Raises BenchbookError where two have one name."""
        configurations = parts.held(self.package, "configurations")
        with located(self.name):
            every = tuple(configurations(parameters))
        twice = [name for name, times in Counter(arm.name for arm in every).items() if times > 1]
        if twice:
            raise BenchbookError(f"{self.name} has two configurations called {twice[0]}", "rename one of them")
        return {arm.name: arm for arm in every}

    def plan(self, parameters: ExperimentParameters, *, first_block: int = 0, blocks: int | None = None) -> Plan:
        """All configurations once per block, in an order drawn from the seed, unless the chapter has a plan of its own.

        first_block, blocks: of further blocks of the same plan, where they begin and how many they are; without them
        the parameters' own blocks. Raises BenchbookError for more trials than are useful.
        """
        from benchbook.parameters.planning import blocked, continued

        own, end = parts.module(self.package), first_block + (parameters.blocks if blocks is None else blocks)
        if "plan" in vars(own):
            made: Plan = own.plan(parameters.model_copy(update={"blocks": end}))
            return continued(made, first_block)
        return continued(blocked(tuple(own.configurations(parameters)), end, parameters.seed), first_block)

    def needs(self, parameters: ExperimentParameters) -> Needs:
        """What a run takes of the machine."""
        needs = parts.held(self.package, "needs")
        with located(self.name):
            found: Needs = needs(parameters)
        return found

    @contextmanager
    def session(self, parameters: ExperimentParameters, progress: Callable[[str, float], None]) -> Iterator[Named]:
        """The engine made ready; tidied up at the end. What goes wrong in a trial names chapter and configuration."""
        with parts.held(self.package, "session")(parameters, progress) as made:
            yield naming(self.name, made)

    def reduce(self, latencies: np.ndarray) -> Mapping[str, float | None]:
        """Metrics that follow from the stored latencies of a trial alone."""
        found: Mapping[str, float | None] = parts.held(self.package, "reduce")(latencies)
        return found

    @overload
    def summarize(self, given: Run) -> Summary: ...
    @overload
    def summarize(self, given: AnalysisParameters) -> Analysis: ...
    def summarize(self, given: Run | AnalysisParameters) -> Summarized:
        """A run, or for an analysis its parameters, ready for figures and verdicts.

        Raises BenchbookError when the run does not hold every configuration once per block.
        """
        summary = parts.held(self.package, "Summary")
        if self.kind is Kind.ANALYSIS:
            of_notes: Analysis = summary(self, given)
            return of_notes
        from benchbook.numbers import void_blocks
        from benchbook.numbers.summary import check_whole

        run = cast("Run", given)
        parameters = self.Parameters.given(run.parameters)
        configurations = self.configurations(parameters)
        check_whole(run, configurations)
        left_out = void_blocks.blocks(run, configurations)
        found: Summary = summary(self, void_blocks.without(run, left_out), parameters, configurations)
        return replace(found, left_out=tuple(void_blocks.told(left_out))) if left_out else found

    def figures(self, summary: Summarized) -> dict[str, Figure]:
        """All figures by short name, in reading order, each with where it is from."""
        drawn: dict[str, Figure] = {}
        page = self.page
        for name, draw in parts.held(self.package, "FIGURES").items():
            with located(f"{self.name}, figure {name}"):
                figure: Figure = page.figure(name, draw)(summary)
            drawn[name] = figure if figure.origin else replace(figure, origin=summary.origin())
        return drawn

    def say(self, summary: Summarized, name: str) -> Prose:
        """A part of the chapter's page, with the run's numbers."""
        with located(f"{self.name}, part {name}"):
            return self.page.say(summary, name)

    def table(self, summary: Summarized, name: str) -> pd.DataFrame:
        """A table of the chapter's page."""
        with located(f"{self.name}, table {name}"):
            return self.page.table(summary, name)

    def judge(self, summary: Summarized) -> list[Verdict]:
        """A verdict on every claim of the chapter, in the ledger's order; judged once for a summary."""
        from benchbook.numbers import judging

        with located(self.name):
            return [answered.verdict for answered in judging.answered(summary)]

    def lesson(self, summary: Summarized) -> Lesson:
        """What the chapter teaches, in words that follow the run."""
        from benchbook.experiments.paged import basis
        from benchbook.pages import lessons

        with located(self.name):
            found, page = lessons.lesson(summary, self.page.teaching), self.page
            return replace(found, numbers=page.numbers(summary), basis=basis(summary))

    def opening(self, summary: Summarized) -> Opening:
        """What the chapter answers before anything else."""
        from benchbook.pages import openings

        with located(self.name):
            return openings.opening(summary, self.page.teaching)
