"""Whether a stored run is what its record says: files present, whole, and of the columns named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchbook import files
from benchbook.errors import StoredRunError
from benchbook.store import schema


def check_files(folder: Path, record: dict[str, Any]) -> None:
    """Raise StoredRunError that names the first file whose size or SHA-256 is not the recorded one."""
    mend = f"restore {folder.name} from git or a copy, or delete the folder and measure again"
    if record["state"] != "complete":
        raise StoredRunError(
            f"run {record['id']} is not finished", "repeat its `benchbook run` command, which resumes it"
        )
    for name in (schema.TRIALS, schema.SAMPLES):
        path, sealed = folder / name, record["files"].get(name)
        if sealed is None or not path.is_file():
            raise StoredRunError(f"{path} is missing", mend)
        size = path.stat().st_size
        if size != sealed["bytes"]:
            raise StoredRunError(
                f"{path} has {size:,} bytes instead of {sealed['bytes']:,}: truncated or changed", mend
            )
        if files.sha256(path) != sealed["sha256"]:
            raise StoredRunError(f"{path} is damaged: its SHA-256 is not the recorded one", mend)
