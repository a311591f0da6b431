"""Opening what may have been exchanged: a link is refused, a pipe is not waited for."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NOTE_BYTES = 1 << 16


@contextmanager
def entered(folder: Path | str, within: int | None = None) -> Iterator[int]:
    """An open folder, or one of that name in an open one; raises OSError where it is anything else, such as a link."""
    descriptor = os.open(folder, _FOLDER, dir_fd=within)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def opened(file: Path | str, within: int | None = None) -> FileIO:
    """A regular file for reading, unbuffered; raises OSError where it is anything else, such as a link or a pipe."""
    descriptor = os.open(file, READ, dir_fd=within)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb", buffering=0)
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file", os.fspath(file))


def text(file: Path) -> str:
    """What stands in a small file; raises OSError as ``opened`` does."""
    with opened(file) as reading:
        return reading.read(_NOTE_BYTES).decode(errors="replace")


def files_below(folder: Path) -> Iterator[FileIO]:
    """The regular files below a folder, each open for reading while the caller looks at it."""
    with suppress(FileNotFoundError):
        for _, _, names, within in os.fwalk(folder, follow_symlinks=False):
            for name in names:
                with suppress(OSError), opened(name, within) as file:
                    yield file
