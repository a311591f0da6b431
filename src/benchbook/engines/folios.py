"""Files in the OS cache page by page: what the kernel reads ahead it keeps, and counts as dirty, in large pieces.

Since ext4 has large folios (Linux 6.16), a write of 8 KiB into a piece of 2 MiB makes the whole piece count as dirty,
although no more than the 8 KiB are written to the disk. Limits of dirty data then act on much less data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from benchbook import nofollow
from benchbook.engines.postgres.counters import segments

READ_BYTES = 8192


def read_in_pages(paths: Iterable[tuple[int, Path]]) -> None:
    """Drop every data file from the OS cache and read it again without read-ahead: it is then cached in single pages.

    paths: (number, first data file). What waits to be written is written first.
    """
    for _, first in paths:
        for path in segments(first):
            _read(path)


def _read(path: Path) -> None:
    with nofollow.opened(path) as file:
        descriptor = file.fileno()
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        place = 0
        while got := len(os.pread(descriptor, READ_BYTES, place)):
            place += got
