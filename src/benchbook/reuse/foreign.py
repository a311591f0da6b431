"""Runs of other people: passed on as one file, checked, and kept apart from those made here and those published."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

from benchbook import project
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.store import Entry, atomic, check_files, read_entry, schema

FILES = (schema.RUN, schema.TRIALS, schema.SAMPLES)
MOST_BYTES = 200 * 2**20
"""Of one file in a pack; a run of an hour has some MB."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def folder() -> Path:
    """Where they lie, by experiment and id."""
    return project.root() / "foreign"


def entries(experiment: str | None = None) -> list[Entry]:
    """All of them, or those of one experiment, by their ids; damaged ones are listed as such."""
    pattern = f"{experiment or '*'}/*"
    return [read_entry(each, published=False) for each in sorted(folder().glob(pattern)) if each.is_dir()]


def packed(entry: Entry) -> bytes:
    """A complete run as one zip file, the same bytes each time.

    Raises StoredRunError for a damaged run, BenchbookError for one that is not complete.
    """
    if entry.record is None:
        raise StoredRunError(f"run {entry.id} is damaged: {entry.damage}", "measure it again")
    if entry.record["state"] != "complete":
        raise BenchbookError(f"run {entry.id} is not complete", "repeat its `benchbook run` command, which resumes it")
    check_files(entry.folder, entry.record)
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            info = zipfile.ZipInfo(f"{entry.folder.parent.name}/{entry.id}/{name}", _EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, (entry.folder / name).read_bytes())
    return found.getvalue()


def add(path: Path) -> Entry:
    """Unpack a run beside the other foreign ones; its seal, its files and its schema are checked before it is there.

    Raises BenchbookError for what is no pack and for a run that is there already, StoredRunError for a damaged one.
    """
    members = _members(path)
    experiment, identity = next(iter(members)).split("/")[:2]
    target = folder() / experiment / identity
    if target.exists():
        raise BenchbookError(f"run {identity} was added already", "nothing to do: a run never changes")
    making = folder() / f".{identity}.new" / experiment / identity
    try:
        with atomic.told_as_machine_error(target), zipfile.ZipFile(path) as archive:
            atomic.make_folder(making)
            for name in members:
                (making / name.rpartition("/")[2]).write_bytes(archive.read(name))
        _check(making)
        with atomic.told_as_machine_error(target):
            for name in FILES:
                atomic.sync_file(making / name)
            atomic.make_folder(target.parent)
            making.rename(target)
            atomic.sync_folder(target.parent)
    finally:
        shutil.rmtree(making.parents[1], ignore_errors=True)
    return read_entry(target, published=False)


def _check(made: Path) -> None:
    found = read_entry(made, published=False)
    mend = "ask for it again, or make it again with `benchbook pack`"
    if found.record is None:
        raise StoredRunError(f"the run in the pack is damaged: {found.damage}", mend)
    if found.record["state"] != "complete":
        raise StoredRunError("the run in the pack is not complete", mend)
    check_files(made, found.record)


def _members(path: Path) -> list[str]:
    """The names of the three files in a pack, and nothing else: none may lead elsewhere."""
    mend = "give a file that `benchbook pack` wrote"
    try:
        with zipfile.ZipFile(path) as archive:
            known = {info.filename: info.file_size for info in archive.infolist()}
    except FileNotFoundError:
        raise BenchbookError(f"there is no file {path}", "check its name") from None
    except (OSError, zipfile.BadZipFile) as error:
        raise BenchbookError(f"{path} is no pack of a run ({error})", mend) from None
    parts = [name.split("/") for name in known]
    places = {tuple(each[:-1]) for each in parts}
    plain = all(len(each) == 3 and all(_is_plain(part) for part in each) for each in parts)
    if not plain or len(places) != 1 or sorted(each[-1] for each in parts) != sorted(FILES):
        raise BenchbookError(f"{path} is no pack of a run: it holds other files", mend)
    if any(size > MOST_BYTES for size in known.values()):
        raise BenchbookError(f"{path} holds a file of more than {MOST_BYTES / 2**20:.0f} MiB", mend)
    return list(known)


def _is_plain(part: str) -> bool:
    return bool(part) and not part.startswith(".") and all(each.isalnum() or each in "._-" for each in part)


def named(text: str) -> Iterator[Entry]:
    """Those whose id begins so."""
    return (each for each in entries() if each.id.startswith(text))
