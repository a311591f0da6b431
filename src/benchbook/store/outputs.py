"""Bytes into the file, device or pipe that the user named; nothing that is there already is lost unasked."""

import os
import stat
from enum import Enum, auto
from pathlib import Path
from typing import BinaryIO

from benchbook import nofollow
from benchbook.errors import BenchbookError, MachineError, shortened
from benchbook.store import atomic

STANDARD_OUTPUT = Path("-")


class Kind(Enum):
    """What stands where the user wants an output, after symbolic links."""

    ABSENT = auto()
    FILE = auto()
    STREAM = auto()
    """A character device, a pipe or standard output: written into, never replaced."""


def kind(out: Path) -> Kind:
    """What ``out`` is; raises BenchbookError for a folder, a socket, a block device and what cannot be reached."""
    if out == STANDARD_OUTPUT:
        return Kind.STREAM
    shown = shortened(str(out))
    try:
        mode = out.stat().st_mode
    except FileNotFoundError:
        folder = _target(out).parent
        if not folder.is_dir():
            raise BenchbookError(f"{shortened(str(folder))} is not a folder", "make it, or name another file") from None
        return Kind.ABSENT
    except OSError as error:
        raise BenchbookError(f"{shown} cannot be written: {error.strerror}", "name another file") from None
    if stat.S_ISREG(mode):
        return Kind.FILE
    if stat.S_ISCHR(mode) or stat.S_ISFIFO(mode):
        return Kind.STREAM
    if stat.S_ISDIR(mode):
        raise BenchbookError(f"{shown} is a folder", "name a file in it")
    what = "a block device" if stat.S_ISBLK(mode) else "a socket" if stat.S_ISSOCK(mode) else "no file"
    raise BenchbookError(f"{shown} is {what}", "name a file, a pipe or a character device, or - for standard output")


def write(out: Path, content: bytes, standard_output: BinaryIO, *, force: bool = False) -> None:
    """Write into a stream; put a file in place at once, at the end of symbolic links.

    Nothing in a file says for certain that Benchbook wrote it. So a file that exists is replaced only with ``force``;
    one with the same bytes stays as it is, and an empty one has nothing to lose. Raises BenchbookError when it differs,
    and as ``kind`` does; MachineError when the system refuses; BrokenPipeError when a pipe's reader goes away.
    """
    found = kind(out)
    if found is Kind.STREAM:
        _pour(out, content, standard_output)
        return
    target = _target(out)
    if found is Kind.FILE and not force:
        if not _holds(target, content):
            raise taken(out)
        if target.stat().st_size:
            return

    atomic.write_bytes(target, content)


def taken(out: Path) -> BenchbookError:
    """That a file exists and would be replaced by other bytes."""
    return BenchbookError(
        f"{shortened(str(out))} exists and differs from what would be written",
        "replace it with --force, or name another file",
    )


def _target(out: Path) -> Path:
    return Path(os.path.realpath(out))


def _holds(path: Path, content: bytes) -> bool:
    try:
        size = path.stat().st_size
        return not size or (size == len(content) and nofollow.content(path, len(content)) == content)
    except OSError:
        return False


def _pour(out: Path, content: bytes, standard_output: BinaryIO) -> None:
    try:
        if out == STANDARD_OUTPUT:
            standard_output.write(content)
            standard_output.flush()
            return
        # Neither made nor cut: what was a device a moment ago and is a file now keeps its content.
        with os.fdopen(os.open(out, os.O_WRONLY | os.O_NOCTTY), "wb") as stream:
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise BenchbookError(f"{shortened(str(out))} became a file", "repeat the command")
            stream.write(content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise MachineError(
            f"{shortened(str(out))} could not be written: {error.strerror or error}", "write to another place"
        ) from error
