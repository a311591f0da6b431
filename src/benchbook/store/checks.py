"""Whether a stored run is what its record says: files present, whole, and of the columns named."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchbook import nofollow
from benchbook.errors import StoredRunError
from benchbook.store import schema
from benchbook.store.catalogue import Entry


def check_files(folder: Path, record: dict[str, Any], levels: int = nofollow.RUN) -> None:
    """Raise StoredRunError that names the first file whose size or SHA-256 is not the recorded one.

    levels: as ``nofollow.reading`` takes them, PUBLISHED for a published run.
    """
    mend = f"restore {folder.name} from git or a copy, or delete the folder and measure again"
    if record["state"] != "complete":
        raise StoredRunError(
            f"run {record['id']} is not finished", "repeat its `benchbook run` command, which resumes it"
        )
    for name in (schema.TRIALS, schema.SAMPLES):
        path, sealed = folder / name, record["files"].get(name)
        try:
            with nofollow.reading(path, schema.MOST_TABLE_BYTES, levels) as file:
                size, digest = os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            sealed = None
        if sealed is None:
            raise StoredRunError(f"{path} is missing", mend)
        if size != sealed["bytes"]:
            raise StoredRunError(
                f"{path} has {size:,} bytes instead of {sealed['bytes']:,}: truncated or changed", mend
            )
        if digest != sealed["sha256"]:
            raise StoredRunError(f"{path} is damaged: its SHA-256 is not the recorded one", mend)


def checked(entry: Entry) -> Entry:
    """The same run after size and SHA-256 of its tables were looked at: one that is not whole has its damage.

    A run that is not finished has no tables yet, and stays as it is.
    """
    if entry.record is None or entry.record["state"] != "complete":
        return entry
    try:
        check_files(entry.folder, entry.record, entry.levels)
    except (StoredRunError, OSError) as error:
        return replace(entry, record=None, damage=error.problem if isinstance(error, StoredRunError) else str(error))
    return entry
