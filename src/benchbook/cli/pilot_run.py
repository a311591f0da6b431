"""Which stored run a plan is made from: the one that is named, or all blocks with the parameters asked for, pooled."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchbook import store
from benchbook.cli import parameter_options
from benchbook.errors import BenchbookError, NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.parameters.profiles import STANDARD
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
    entry = store.find_entry(identity)
    if entry.record is not None and entry.record["experiment"] != module.name:
        raise BenchbookError(
            f"run {entry.id} is one of {entry.record['experiment']}, not of {module.name}", "see `benchbook runs`"
        )
    if entry.record is not None and entry.record["state"] != "complete":
        raise BenchbookError(f"run {entry.id} is not complete", "repeat its `benchbook run` command, which resumes it")
    return store.read_run(entry.folder, published=entry.published)


def newest(module: Chapter, asked: Asked) -> Run:
    """All blocks with the parameters of the newest run that has those asked for, but for blocks and seed; pooled."""
    given = parameter_options.parameters(module, asked.profile, asked.file, asked.settings)
    wanted = _shape(given.model_dump(mode="json"))
    for entry in reversed(chosen_runs.complete(module)):
        if _shape(_record(entry)["parameters"]) == wanted:
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


def _shape(values: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in {"blocks", "seed"}}


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
