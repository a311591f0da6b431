"""Writing that a crash cannot tear: temporary name, fsync, rename, fsync of the folder."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchbook.errors import MachineError

FILE_MODE, FOLDER_MODE = 0o644, 0o755
"""The widest that files and folders get; a narrower umask makes them narrower."""


def write(path: Path, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write a temporary file beside ``path``, then put it in place at once.

    Raises MachineError when the disk is full or read-only; whatever was at ``path`` before is then untouched.
    """
    with told_as_machine_error(path):
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(descriptor)
        temporary = Path(name)
        try:
            fill(temporary)
            sync_file(temporary)
            temporary.chmod(FILE_MODE & ~_umask())
            temporary.replace(path)
            sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def make_folder(folder: Path) -> None:
    """Make a folder and what is missing above it, in which nobody but their owner may write, whatever the umask."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(FOLDER_MODE, exist_ok=True)


def _umask() -> int:
    """Python tells it only by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextmanager
def told_as_machine_error(path: Path) -> Iterator[None]:
    """Turn the system's refusal to write ``path`` into a MachineError."""
    try:
        yield
    except OSError as error:
        raise MachineError(
            f"{path} could not be written: {error.strerror or error}",
            "free disk space or change the permissions, then repeat",
        ) from error


def json_text(content: Any) -> str:
    """Indented JSON with a line end; ValueError for NaN, since it is no JSON."""
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write_json(path: Path, content: Any) -> None:
    """Write what ``json_text`` gives."""
    write_text(path, json_text(content))


def write_text(path: Path, text: str) -> None:
    """Write text in UTF-8."""

    def fill(temporary: Path) -> None:
        temporary.write_text(text, encoding="utf-8")

    write(path, fill)


def sync_file(path: Path) -> None:
    """Make a file's content durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
