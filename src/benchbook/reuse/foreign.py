"""Runs of other people, which were added: kept apart from those made here and those published, and called foreign."""

from dataclasses import replace
from pathlib import Path

from benchbook import project, store
from benchbook.model import Run
from benchbook.store import Entry, read_entry
from benchbook.store.catalogue import folders


def folder() -> Path:
    """Where they lie, by experiment and id."""
    return project.root() / "foreign"


def entries(experiment: str | None = None) -> list[Entry]:
    """All of them, or those of one experiment, by their ids; damaged ones are listed as such."""
    return [entry(each) for each in folders(folder(), experiment)]


def entry(place: Path) -> Entry:
    """The one in a folder."""
    return replace(read_entry(place, published=False), foreign=True)


def read(given: Entry) -> Run:
    """A foreign run with its tables, marked as one; raises StoredRunError for a damaged one."""
    return replace(store.read_run(given.folder, published=False), foreign=True)
