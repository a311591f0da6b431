"""Copying a finished run to where the book cites it; what is cited is never overwritten."""

import shutil
from pathlib import Path

from benchbook import nofollow, project
from benchbook.errors import BenchbookError, StoredRunError
from benchbook.store import atomic, schema, sums
from benchbook.store.catalogue import Entry, find_entry, read_entry
from benchbook.store.checks import check_files

LARGEST_BYTES = 5_000_000


def publish(identity: str) -> Path:
    """Copy a run to ``data/published/<experiment>/<id>`` and list its files in SHA256SUMS; returns the folder.

    Raises BenchbookError when it is damaged, unfinished, published already, or larger than 5 MB.
    """
    entry = _here(find_entry(identity))
    if entry.record is None:
        raise BenchbookError(f"run {entry.id} is damaged: {entry.damage}", "measure it again")
    target: Path = project.published() / str(entry.record["experiment"]) / entry.id
    if target.exists():
        raise BenchbookError(f"run {entry.id} is published already", "nothing to do: published runs never change")
    if entry.measured_since is not None:
        raise StoredRunError(f"run {entry.id} is not finished: it is being measured", "publish it when it is complete")
    check_files(entry.folder, entry.record)
    size = sum((entry.folder / name).stat().st_size for name in (schema.RUN, schema.TRIALS, schema.SAMPLES))
    if size > LARGEST_BYTES:
        raise BenchbookError(
            f"run {entry.id} has {size / 1e6:.1f} MB, more than the 5 MB that a published run may have",
            "measure with fewer blocks or requests",
        )
    making = target.with_name(f".{target.name}.new")
    try:
        with atomic.told_as_machine_error(target):
            shutil.rmtree(making, ignore_errors=True)
            atomic.make_folder(making)
            for name in (schema.TRIALS, schema.SAMPLES, schema.RUN):
                content = nofollow.content(entry.folder / name, schema.MOST_TABLE_BYTES, nofollow.RUN)
                atomic.write_bytes(making / name, content)
            # Listed first: what is listed and missing is put in place when the command is repeated.
            sums.add(project.published(), f"{target.parent.name}/{target.name}", making)
            making.rename(target)
            atomic.sync_folder(target.parent)
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return target


def _here(entry: Entry) -> Entry:
    """Of a run whose publication was cut off, and that is therefore listed and missing, the one to be copied."""
    local = project.runs() / entry.folder.parent.name / entry.id
    return read_entry(local, published=False) if not entry.folder.exists() and local.is_dir() else entry
