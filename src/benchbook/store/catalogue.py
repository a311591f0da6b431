"""The runs that exist here, local and published, without reading their tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchbook import nofollow, project
from benchbook.errors import BenchbookError, NoStoredRunError, StoredRunError
from benchbook.store import answers, run_lock, schema, sums
from benchbook.store.remembered import Remembered


@dataclass(frozen=True)
class Entry:
    """One stored run. record: its run.json, or None with ``damage`` saying what is wrong with it.

    foreign: somebody else's, which was added.
    """

    folder: Path
    published: bool
    record: dict[str, Any] | None
    damage: str = ""
    foreign: bool = False

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def levels(self) -> int:
        """How many of the last parts of its files' paths may be no links."""
        return nofollow.PUBLISHED if self.published else nofollow.RUN

    @property
    def place(self) -> str:
        """In a word, where it comes from."""
        return "published" if self.published else "foreign" if self.foreign else "local"

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What its record says of code, engine and machine; for runs whose record can be read."""
        return dict((self.record or {})["provenance"])

    @property
    def trials_stored(self) -> int:
        """Finished trials of a run that is still being measured, or was interrupted."""
        return len(list((self.folder / schema.PARTS).glob("*.json")))

    @property
    def measured_since(self) -> str | None:
        """Since when a process measures this run, in UTC; None where none does."""
        unfinished = not self.published and self.record is not None and self.record["state"] == "measuring"
        return run_lock.held_since(self.folder) if unfinished else None


def catalogue(experiment: str | None = None) -> list[Entry]:
    """All runs, oldest first; damaged ones, and published ones that are gone, are listed as such, never left out."""
    known = Remembered(project.runs())
    entries = [read_entry(folder, published=False, known=known) for folder in folders(project.runs(), experiment)]
    entries += [read_entry(folder, published=True, known=known) for folder in folders(project.published(), experiment)]
    entries += _gone(experiment)
    known.keep()
    return sorted(entries, key=lambda entry: (entry.record or {}).get("started_at") or "")


def read_entry(folder: Path, *, published: bool, known: Remembered | None = None) -> Entry:
    """The run in a folder; what is wrong with its record is part of the entry, not an exception.

    known: records found right before, as ``schema.read_record`` takes them.
    """
    try:
        return Entry(folder, published, schema.read_record(folder, published=published, known=known))
    except StoredRunError as error:
        return Entry(folder, published, None, error.problem)


def _gone(experiment: str | None) -> Iterator[Entry]:
    """Published runs that are listed and have no folder."""
    published = project.published()
    try:
        listed = sums.read(published)
    except StoredRunError:  # every published run says so
        return
    for name in listed:
        folder = published / name
        if experiment in (None, folder.parent.name) and not _is_there(folder):
            yield Entry(folder, True, None, f"run {folder.name} is listed in {sums.FILE}, and its folder is missing")


def folders(parent: Path, experiment: str | None) -> Iterator[Path]:
    """The folders of runs in a folder of experiments, or of one of these; a link among them is none of its owner's."""
    if not parent.is_dir():
        return
    for group in sorted(parent.iterdir()):
        if nofollow.is_folder(group) and experiment in (None, group.name) and not group.name.startswith("."):
            # A hidden folder is a run that is just being begun or published, or was when the power went.
            yield from (f for f in sorted(group.iterdir()) if _is_there(f) and not f.name.startswith("."))


def _is_there(folder: Path) -> bool:
    """Whether a run's folder is there, or a link, which is no run and is told as one that is damaged."""
    return nofollow.is_folder(folder.parent) and (folder.is_symlink() or folder.is_dir())


def find_complete(experiment: str, key: str, *, published: bool | None = None) -> Entry | None:
    """The newest of the runs that ``complete`` gives; of a published run the published copy."""
    return next(reversed(complete(experiment, key, published=published)), None)


def complete(experiment: str, key: str, *, published: bool | None) -> list[Entry]:
    """All complete runs with this key, oldest first: the published ones, those of this machine, or for None both."""
    return [entry for entry in _with_key(experiment, key, "complete") if published in (None, entry.published)]


def _with_key(experiment: str, key: str, state: str) -> list[Entry]:
    runs = catalogue(experiment)
    return [run for run in runs if run.record and (run.record["key"], run.record["state"]) == (key, state)]


def find_damaged(experiment: str, key: str, *, published: bool | None) -> Entry | None:
    """The newest run whose id begins with this key and whose record cannot be read: it may be the one asked for.

    published: as in ``complete``.
    """
    found = [
        entry
        for entry in catalogue(experiment)
        if published in (None, entry.published) and entry.record is None and entry.id.startswith(f"{key}-")
    ]
    return max(found, key=lambda entry: entry.id, default=None)


def find_unfinished(experiment: str, key: str, *, grown: bool = False) -> Entry | None:
    """The newest local run with this key that was interrupted. grown: one that adds blocks to others.

    One that a process measures now was not interrupted.
    """
    return next(reversed(_interrupted(experiment, key, grown=grown)), None)


def find_being_measured(experiment: str, key: str, *, grown: bool) -> list[Entry]:
    """The local runs with this key that a process measures now, oldest first."""
    return [entry for entry in _incomplete(experiment, key, grown=grown) if entry.measured_since is not None]


def _interrupted(experiment: str, key: str, *, grown: bool) -> list[Entry]:
    """All of them, oldest first."""
    return [entry for entry in _incomplete(experiment, key, grown=grown) if entry.measured_since is None]


def _incomplete(experiment: str, key: str, *, grown: bool) -> list[Entry]:
    runs = [entry for entry in _with_key(experiment, key, "measuring") if not entry.published]
    return [entry for entry in runs if ((entry.record or {})["first_block"] > 0) == grown]


def find_begun_anew(experiment: str, key: str, now: Mapping[str, Any] | None = None) -> Entry | None:
    """The interrupted run that was begun after the newest complete one with this key; None where there is neither.

    now: what would be measured, as a provenance; an attempt of another engine or machine does not count.
    """
    found = reversed(_begun_anew(experiment, key))
    return next((entry for entry in found if now is None or _is_of(entry, now)), None)


def find_passed_over(experiment: str, key: str, now: Mapping[str, Any]) -> Entry | None:
    """The newest such run that does not count, since something else was measured in it."""
    return next((entry for entry in reversed(_begun_anew(experiment, key)) if not _is_of(entry, now)), None)


def _begun_anew(experiment: str, key: str) -> list[Entry]:
    newest = find_complete(experiment, key)
    if newest is None or newest.record is None:
        return []
    begun = str(newest.record["started_at"])
    # One that adds blocks to others begins nothing anew.
    interrupted = _interrupted(experiment, key, grown=False)
    return [entry for entry in interrupted if str((entry.record or {})["started_at"]) >= begun]


def _is_of(entry: Entry, now: Mapping[str, Any]) -> bool:
    return answers.agree(entry.provenance, now, answers.HERE)


def find_entry(identity: str) -> Entry:
    """The run whose id is, or uniquely begins with, ``identity``; a published copy before a local one."""
    return max(called(identity, catalogue()), key=lambda entry: entry.published)


def called(identity: str, every: Sequence[Entry]) -> list[Entry]:
    """All copies of the run whose id is, or uniquely begins with, ``identity``; raises BenchbookError without one."""
    # A second run of the same second has the first one's id and a number.
    matching = [each for each in every if each.id == identity] or [e for e in every if e.id.startswith(identity)]
    names = {entry.id for entry in matching}
    if not names:
        raise NoStoredRunError(f"no run {identity!r} is stored here", "see `benchbook runs`")
    if len(names) > 1:
        raise BenchbookError(f"{identity!r} could be {', '.join(sorted(names))}", "give more of the id")
    return matching
