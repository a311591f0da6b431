"""Writing that a crash cannot tear: temporary name, fsync, rename, fsync of the folder."""

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchbook import nofollow
from benchbook import temporary as temporary_folders
from benchbook.errors import BenchbookError, MachineError, StoredRunError

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EMLINK)
"""How file systems say that they know no second name of a file."""

FILE_MODE, FOLDER_MODE = 0o644, 0o755
"""The widest that files and folders get; a narrower umask makes them narrower."""


def write(path: Path, fill: Callable[[Path], object], *, once: bool = False) -> None:
    """Let ``fill`` write a temporary file beside ``path``, then put it in place at once.

    once: nothing may be there, also from another process at the same moment; else StoredRunError is raised.
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
            if once:
                _place(temporary, path)
            else:
                temporary.replace(path)
            sync_folder(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


def _place(temporary: Path, path: Path) -> None:
    try:
        path.hardlink_to(temporary)  # unlike a rename it never replaces what is there
        return
    except FileExistsError:
        pass
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if not path.exists():
            temporary.replace(path)
            return
    raise StoredRunError(
        f"{path} is there already, and what is stored is never overwritten",
        "see whether another process measures the same run; when it has ended, repeat the command",
    )


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to fill that appears as ``target`` when all is in it; nothing is replaced or removed that was not made.

    In a folder where others may write too: what is filled has a name that nobody could know, lets nobody in before it
    is in place, and is reached without its name, so that no link leads elsewhere. Raises BenchbookError where the
    target exists, MachineError where the system refuses.
    """
    with told_as_machine_error(target):
        refuse_existing(target)
        made = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", dir=target.parent))
    try:
        with told_as_machine_error(target), nofollow.entered(made) as opened:
            by_descriptor = Path("/proc/self/fd", str(opened))
            yield by_descriptor if by_descriptor.exists() else made
            os.fchmod(opened, FOLDER_MODE & ~_umask())
            refuse_existing(target)
            target.mkdir(0o700)  # ours from here on, and empty: the rename replaces nothing else
            try:
                made.rename(target)
            except OSError:
                target.rmdir()
                raise
            if not nofollow.is_at(target, opened):
                raise OSError(errno.ESTALE, "something else was put in its place")
            sync_folder(target.parent)
    finally:
        temporary_folders.remove(made)


def refuse_existing(target: Path) -> None:
    """Raise BenchbookError for what is there already, be it a link to nothing."""
    if os.path.lexists(target):
        raise BenchbookError(f"{target} exists already", "name a folder that is not there yet, with --out")


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


def write_json(path: Path, content: Any, *, once: bool = False) -> None:
    """Write what ``json_text`` gives. once: as ``write`` takes it."""
    write_text(path, json_text(content), once=once)


def write_text(path: Path, text: str, *, once: bool = False) -> None:
    """Write text in UTF-8. once: as ``write`` takes it."""
    write_bytes(path, text.encode(), once=once)


def write_bytes(path: Path, content: bytes, *, once: bool = False) -> None:
    """Write bytes as they are. once: as ``write`` takes it."""
    write(path, lambda temporary: temporary.write_bytes(content), once=once)


def sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make renames in ``folder`` durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
