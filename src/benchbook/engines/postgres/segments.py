"""Shared memory that a killed server left behind: found by its own records, and removed only when all of them agree.

A server that was killed cannot remove its segments. The lock file of its data directory names one, whose header says
which server made it, on which directory, and which second one lists the others. Source of the layouts: PostgreSQL's
storage/pg_shmem.h and storage/ipc/dsm.c, the same from 14 to 18 on 64-bit machines.
"""

from __future__ import annotations

import ctypes
import stat
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from benchbook import nofollow

SHM = Path("/dev/shm")
TABLE = Path("/proc/sysvipc/shm")
_HEADER = struct.Struct("@iiNNIPNN")
"""magic, creator, total size, free offset, number of the list, index, device and inode of the data directory."""
_MAGIC, _LIST_MAGIC = 679834894, 0x9A503D32
_LIST = struct.Struct("@III")
_ITEM = struct.Struct("@IINNP?7x")
_LIST_START = 16
_IPC_RMID, _SHM_RDONLY = 0, 0o10000
_MOST_BYTES = 1 << 24
"""A list of segments is far smaller."""


@dataclass(frozen=True)
class _Segment:
    """A System V segment, as the kernel lists it."""

    number: int
    size: int
    attached: int
    owner: int


def remove_left(data: Path) -> list[str]:
    """Remove the segments of a dead server on a data directory; returns their names.

    Nothing is removed unless the segment that the directory's lock file names is of the directory's owner, attached by
    nobody, and says itself that this server made it for this very directory.
    """
    if sys.platform != "linux" or struct.calcsize("P") != 8:
        return []
    try:
        lines = nofollow.text(data / "postmaster.pid").splitlines()
        creator, (key, number) = int(lines[0]), map(int, lines[6].split())
        where = data.lstat()
    except (OSError, ValueError, IndexError):
        return []
    segment = _listed(key, number)
    if segment is None or segment.attached or segment.owner != where.st_uid or segment.size < _HEADER.size:
        return []
    content = _read(number, _HEADER.size)
    if content is None:
        return []
    magic, made_by, _, _, listing, _, device, inode = _HEADER.unpack(content)
    if (magic, made_by, device, inode) != (_MAGIC, creator, where.st_dev, where.st_ino):
        return []
    removed = [name for name in _of_list(listing, where.st_uid) if _unlink(name, where.st_uid)]
    if _libc().shmctl(number, _IPC_RMID, None) == 0:
        removed.append(f"System V {number}")
    return removed


def _of_list(listing: int, owner: int) -> list[str]:
    """Names of the segments in a server's list, and of the list itself, which comes last."""
    name = f"PostgreSQL.{listing}"
    if not listing or not _is_owned(name, owner):
        return []
    try:
        with nofollow.opened(SHM / name) as file:
            content = file.read(_MOST_BYTES)
    except OSError:
        return []
    if len(content) < _LIST_START:
        return []
    magic, items, _ = _LIST.unpack_from(content)
    if magic != _LIST_MAGIC:
        return []
    found = []
    for place in range(items):
        at = _LIST_START + place * _ITEM.size
        if at + _ITEM.size > len(content):
            break
        number, references, *_ = _ITEM.unpack_from(content, at)
        if references and not number & 1:  # odd ones lie in the server's main memory
            found.append(f"PostgreSQL.{number}")
    return [*found, name]


def _is_owned(name: str, owner: int) -> bool:
    try:
        about = (SHM / name).lstat()
    except OSError:
        return False
    return about.st_uid == owner and stat.S_ISREG(about.st_mode)


def _unlink(name: str, owner: int) -> bool:
    if not _is_owned(name, owner):
        return False
    (SHM / name).unlink(missing_ok=True)
    return True


def _listed(key: int, number: int) -> _Segment | None:
    try:
        head, *rows = TABLE.read_text().splitlines()
    except OSError:
        return None
    names = head.split()
    for row in rows:
        fields = dict(zip(names, map(int, row.split()), strict=False))
        if fields["shmid"] == number and fields["key"] & 0xFFFFFFFF == key & 0xFFFFFFFF:
            return _Segment(number, fields["size"], fields["nattch"], fields["uid"])
    return None


def _read(number: int, size: int) -> bytes | None:
    libc = _libc()
    libc.shmat.restype = ctypes.c_void_p
    address = libc.shmat(number, None, _SHM_RDONLY)
    if address in (None, ctypes.c_void_p(-1).value):
        return None
    try:
        return ctypes.string_at(address, size)
    finally:
        libc.shmdt(ctypes.c_void_p(address))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
