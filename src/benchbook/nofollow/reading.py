"""The one way to read the project's data, packs and notes: regular files, no link on the way, none beyond its bound.

A change of data alone, a pack and a folder that machines share may hold a link, a pipe, a device or a huge file in the
place of any of them. Whoever reads such a file comes here; a test looks for whoever does not.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import FileIO
from pathlib import Path

from benchbook.errors import StoredRunError
from benchbook.nofollow.opening import READ, entered

TEXT_BYTES = 32 << 20
"""The most of a ledger, a list, a note or a notebook; the longest has half a MB."""
DATA, PUBLISHED, RUN = 2, 5, 3
"""Levels of a file in ``data``, of one of a published run, and of one of a run in a folder of runs."""
_LARGEST = 1 << 50
"""Bytes of a file that is hashed, which is never held as a whole."""
_MEND = "put the file itself there, or restore it with `git checkout`"


@contextmanager
def reading(path: Path, most: int, levels: int = 1) -> Iterator[FileIO]:
    """A file, open and unbuffered. most: bytes that it may have. levels: how many of its path's last parts may not be
    links, the file's own name included; what lies above is the user's own.

    Raises StoredRunError for a link, for what is no regular file and for a larger one, OSError where there is none.
    """
    with ExitStack() as stack:
        folder = stack.enter_context(_entered(path, levels))
        try:
            descriptor = os.open(path.name, READ, dir_fd=folder)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENODEV):  # a link, a socket, a device without a driver
                raise _refused(path, _named(os.lstat(path).st_mode)) from None
            raise type(error)(error.errno, error.strerror, str(path)) from None
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            os.close(descriptor)
            raise _refused(path, _named(about.st_mode))
        file = stack.enter_context(os.fdopen(descriptor, "rb", buffering=0))
        if about.st_size > most:
            raise StoredRunError(f"{path} has {about.st_size:,} bytes, more than the {most:,} that it may have", _MEND)
        yield file


def content(path: Path, most: int = TEXT_BYTES, levels: int = 1) -> bytes:
    """The bytes of a file; raises as ``reading`` does, and for one that grows beyond its bound meanwhile."""
    with reading(path, most, levels) as file:
        parts, left = [], most + 1
        while left and (part := file.read(left)):
            parts.append(part)
            left -= len(part)
    if not left:
        raise StoredRunError(f"{path} has more than the {most:,} bytes that it may have", _MEND)
    return b"".join(parts)


def words(path: Path, most: int = TEXT_BYTES, levels: int = 1) -> str:
    """The text of a file in UTF-8, line ends as they are told everywhere; raises UnicodeDecodeError besides."""
    return content(path, most, levels).decode("utf-8").replace("\r\n", "\n")


def rows(path: Path, levels: int = DATA) -> csv.DictReader[str]:
    """A CSV file with its names in the first line, row by row; raises as ``words`` does."""
    return csv.DictReader(io.StringIO(words(path, levels=levels), newline=""))


def sha256(path: Path, levels: int = 1) -> str:
    """SHA-256 of a file's content, 64 hex digits; raises as ``reading`` does."""
    with reading(path, _LARGEST, levels) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_folder(path: Path, levels: int = 1) -> bool:
    """Whether a folder is there, and it and the last ones above it are no links."""
    try:
        with _entered(path / "file", levels + 1):
            return True
    except (OSError, StoredRunError):
        return False


@contextmanager
def _entered(path: Path, levels: int) -> Iterator[int]:
    """The open folder of a file, whose last parts are entered one by one."""
    above, *inner = [*reversed(path.parents[: max(1, levels)])]
    with ExitStack() as stack:
        folder = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        stack.callback(os.close, folder)
        for each in inner:
            try:
                folder = stack.enter_context(entered(each.name, folder))
            except OSError as error:
                if each.is_symlink():
                    raise _refused(each, "a link") from None
                raise type(error)(error.errno, error.strerror, str(each)) from None
        yield folder


def _named(mode: int) -> str:
    kinds = {
        "a link": stat.S_ISLNK, "a folder": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a socket": stat.S_ISSOCK,
    }  # fmt: skip
    return next((name for name, of in kinds.items() if of(mode)), "a device")


def _refused(path: Path, what: str) -> StoredRunError:
    return StoredRunError(f"{path} is {what}, and only a regular file is read here", _MEND)
