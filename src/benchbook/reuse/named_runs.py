"""The run that a user means by an id, also a foreign one's, or by an experiment's name: its published runs, pooled."""

from benchbook import store
from benchbook.errors import BenchbookError, NoStoredRunError, StoredRunError
from benchbook.experiments import catalogue, chosen_runs
from benchbook.experiments.manifest import Chapter
from benchbook.model import Run
from benchbook.parameters.kinds import Kind
from benchbook.reuse import foreign
from benchbook.store import Entry
from benchbook.store.catalogue import called


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
    entry = complete_entry(text)
    found = foreign.read(entry) if entry.foreign else store.read_run(entry.folder, published=entry.published)
    module = _measuring(found.experiment)
    if found.measurement_version != module.version:
        raise BenchbookError(
            f"run {entry.id} is of version {found.measurement_version} of its measurement, and the chapter reads "
            f"version {module.version}",
            "measure again, or use the edition that the run is of",
        )
    return module, found


def found_entry(text: str) -> Entry:
    """The run whose id it is, or uniquely begins so, here or added; one that was added is never taken for another.

    Raises BenchbookError where it could be several, and where an added run has the id of another one.
    """
    matching = called(text, [*store.catalogue(), *foreign.entries()])
    added = [each for each in matching if each.foreign]
    own = [each for each in matching if not each.foreign]
    if added and any(each.record is None or each.record != added[0].record for each in own):
        raise BenchbookError(
            f"there are two runs {matching[0].id}: one is {own[0].place}, and one with other content was added",
            f"remove the added one, {added[0].folder}",
        )
    return max(matching, key=lambda each: (each.published, not each.foreign))


def complete_entry(text: str) -> Entry:
    """The same of a complete run; raises StoredRunError for a damaged one, BenchbookError for an unfinished one."""
    entry = found_entry(text)
    if entry.record is None:
        raise StoredRunError(f"run {entry.id} is damaged: {entry.damage}", "restore it, or measure again")
    if entry.record["state"] != "complete":
        raise BenchbookError(f"run {entry.id} is not complete", "repeat its `benchbook run` command, which resumes it")
    return entry


def _measuring(name: str) -> Chapter:
    module = catalogue.experiment(name)
    if module.kind is Kind.ANALYSIS:
        raise BenchbookError(f"{name} recomputes the notes' numbers and has no runs", "name one that measures")
    return module
