"""The run that a user means by an id, also a foreign one's, or by an experiment's name: its published runs, pooled."""

from __future__ import annotations

from benchbook import store
from benchbook.errors import BenchbookError, NoStoredRunError
from benchbook.experiments import catalogue, chosen_runs
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape.manifest import Chapter
from benchbook.model import Run
from benchbook.reuse import foreign as foreign_runs


def run(text: str) -> tuple[Chapter, Run]:
    """The chapter and the complete run.

    Raises BenchbookError for one that is not complete, of an earlier version of its measurement, or of an experiment
    that measures nothing; NoStoredRunError where there is none; StoredRunError for a damaged one.
    """
    return _published(text) if text in catalogue.names() else _by_id(text)


def _published(name: str) -> tuple[Chapter, Run]:
    module = _measuring(name)
    found = chosen_runs.run(module)
    if found is None:
        raise NoStoredRunError(f"no run of {name} is published", f"name a run made here: `benchbook runs {name}`")
    return module, found


def _by_id(text: str) -> tuple[Chapter, Run]:
    foreign = list(foreign_runs.named(text))
    if len(foreign) > 1:
        raise BenchbookError(f"{text!r} could be {', '.join(each.id for each in foreign)}", "give more of the id")
    entry = foreign[0] if foreign else store.find_entry(text)
    record = entry.record
    if record is not None and record["state"] != "complete":
        raise BenchbookError(f"run {entry.id} is not complete", "repeat its `benchbook run` command, which resumes it")
    found = store.read_run(entry.folder, published=entry.published)
    module = _measuring(found.experiment)
    if found.measurement_version != module.version:
        raise BenchbookError(
            f"run {entry.id} is of version {found.measurement_version} of its measurement, and the chapter reads "
            f"version {module.version}",
            "measure again, or use the edition that the run is of",
        )
    return module, found


def _measuring(name: str) -> Chapter:
    module = catalogue.experiment(name)
    if module.kind is Kind.ANALYSIS:
        raise BenchbookError(f"{name} recomputes the notes' numbers and has no runs", "name one that measures")
    return module
