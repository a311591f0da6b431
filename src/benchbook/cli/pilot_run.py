"""Which stored run a plan is made from: one that is named, or all with the parameters asked for; and what it lacks."""

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbook import store
from benchbook.cli import parameter_options, pilot
from benchbook.errors import BenchbookError, NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import STANDARD
from benchbook.parameters.wording import shape
from benchbook.reuse import named_runs
from benchbook.runner.growth import MOST
from benchbook.store import Entry


@dataclass(frozen=True)
class Asked:
    """The pilot's parameters as the user gave them on the command line."""

    profile: str = STANDARD
    file: Path | None = None
    settings: Sequence[str] = field(default=())

    def command(self, module: Chapter, pilot: Run) -> str:
        """The command that measures the pilot's parameters, whatever its blocks and seed."""
        parts = [f"benchbook run {module.name}"]
        parts += [] if self.profile == STANDARD else [f"--profile {self.profile}"]
        parts += [] if self.file is None else [f"-f {self.file}"]
        return " ".join([*parts, *(f"-p {shlex.quote(each)}" for each in self.of(module, pilot))])

    def of(self, module: Chapter, pilot: Run) -> list[str]:
        """The same settings and those, as name=value, that the pilot has another value of, such as its blocks."""
        own = parameter_options.parameters(module, self.profile, self.file, self.settings).model_dump(mode="json")
        other = {name: value for name, value in pilot.parameters.items() if own.get(name) != value}
        kept = [each for each in self.settings if each.partition("=")[0].strip() not in other]
        return [*kept, *(f"{name}={_spelt(value)}" for name, value in other.items())]


def _spelt(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def named(module: Chapter, identity: str) -> Run:
    """The run of this id alone. Raises BenchbookError where it is another experiment's, or is not complete."""
    entry = named_runs.complete_entry(identity)
    if (of := _record(entry)["experiment"]) != module.name:
        raise BenchbookError(f"run {entry.id} is one of {of}, not of {module.name}", "see `benchbook runs`")
    return store.read_run(entry.folder, published=entry.published)


def newest(module: Chapter, asked: Asked) -> Run:
    """All blocks with the parameters of the newest run that has those asked for, but for blocks and seed; pooled."""
    given = parameter_options.parameters(module, asked.profile, asked.file, asked.settings)
    wanted = shape(given.model_dump(mode="json"))
    for entry in reversed(chosen_runs.complete(module)):
        if shape(_record(entry)["parameters"]) == wanted:
            found = chosen_runs.pooled(module, str(_record(entry)["key"]), public=None)
            assert found is not None  # the entry is one of its parts
            return found
    raise NoStoredRunError(
        f"no complete run of {module.name} with these parameters is stored, so its spread is not known",
        f"measure a pilot with `benchbook run {module.name} -p blocks=3` and the same parameters, or "
        f"`benchbook run {module.name} --profile quick` and plan with --profile quick",
    )


def _record(entry: Entry) -> dict[str, Any]:
    return entry.record or {}


def arms(module: Chapter, run: Run) -> list[str]:
    """The run's configurations in the order of its plan."""
    planned = module.plan(module.Parameters.given(run.parameters)).configurations
    stored = set(run.trials["configuration"])
    found = [configuration.name for configuration in planned if configuration.name in stored]
    if set(found) != stored:
        unknown = ", ".join(sorted(stored - set(found)))
        raise BenchbookError(f"run {run.id} holds configurations that are not planned any more: {unknown}", "run anew")
    blocks = run.trials["block"].nunique()
    if blocks < 2:
        raise BenchbookError(
            f"run {run.id} has {blocks} block, and a spread between blocks needs two", "measure a pilot of three blocks"
        )
    if len(found) < 2:
        raise BenchbookError(f"run {run.id} has one configuration, so there is no ratio", "plan another experiment")
    return found


@dataclass(frozen=True)
class Lacking:
    """blocks: to add, 0 where all numbers are so narrow. numbers: which. settings: of what is stored, as name=value."""

    blocks: int
    numbers: tuple[str, ...]
    settings: list[str]

    def said(self, half_width: float) -> str:
        """What is added, and for which numbers."""
        what = (
            f"{self.blocks} block{'s are' if self.blocks > 1 else ' is'} added" if self.blocks else "nothing is added"
        )
        return f"{what} for ±{100 * half_width:.3g} % of {', '.join(self.numbers)}"


def lacking(module: Chapter, asked: Asked, half_width: float, numbers: Sequence[str]) -> Lacking:
    """What half-widths lack. numbers: of the chapter, or claims; without any those of its first screen.

    Raises BenchbookError where no plan has so many blocks, NoStoredRunError where nothing is stored of which the
    spread could be known.
    """
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{module.name} measures nothing, so it has no blocks to add", "leave out --half-width")
    found = newest(module, asked)
    arms(module, found)
    aims = pilot.numbers(module, found, numbers)
    worst, blocks = pilot.widest(aims, half_width)
    if blocks is None or blocks > MOST:
        raise BenchbookError(
            f"{worst.name} needs more than the {MOST:,} blocks of a plan",
            "ask for a wider half-width, or name other numbers with --number",
        )
    return Lacking(max(0, blocks - found.blocks), tuple(each.name for each in aims), asked.of(module, found))
