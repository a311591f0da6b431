"""The machine's lock as a name of an abstract Unix socket: seen in whatever folders, accounts and process namespaces.

Linux keeps a name as long as a process has its socket open, and gives it to one socket at a time. Two names: one is
inherited by the programs that measure, the other shows that the process that started them lives.
"""

import errno
import hashlib
import os
import socket
import stat
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchbook.children import end_if
from benchbook.errors import MachineError
from benchbook.runner import lock_file

PROC = Path("/proc")
PATIENCE_S = 10.0
"""For what was killed to be gone."""


def taken() -> tuple[socket.socket, socket.socket] | None:
    """The owner's socket and the one to be inherited; None while somebody else measures.

    Programs that an owner left behind, and that would measure on, are ended first if this account started them.
    """
    name = _name()
    owner = _bound(f"{name}-owner")
    if owner is None:
        return None
    try:
        machine = _bound(name) or _bound_after(name)
    except BaseException:
        owner.close()
        raise
    if machine is None:
        owner.close()
        return None
    return owner, machine


def is_taken() -> bool:
    return _inode(_name()) is not None


def _bound_after(name: str) -> socket.socket | None:
    """The socket once those have ended that an owner left behind; None where they cannot be ended from here."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        ended = _end_holders(name)
        time.sleep(0.05)  # also where there are none: an owner that was just killed closes one after the other
        found = _bound(name)
        if found is not None or not ended or time.monotonic() > deadline:
            return found


def _name() -> str:
    """One for the machine; another one for each lock folder that is not the usual one."""
    folder = str(lock_file.path().parent)
    if folder == lock_file.USUAL:
        return "benchbook-host"
    return f"benchbook-host-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"


def _bound(name: str) -> socket.socket | None:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(f"\0{name}")
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise MachineError(
            f"the lock of this machine cannot be taken: no Unix socket can be named {name} ({error.strerror})",
            "let this program bind abstract Unix sockets: what confines it does not",
        ) from None
    return made


def _end_holders(name: str) -> int:
    """Kill what has the named socket open, if this account bound it; how many processes.

    Only for who holds the owner's name: then nobody but programs of an owner that is gone can have it.
    """
    number = _inode(name)
    if number is None:
        return 0
    processes = [int(each.name) for each in PROC.glob("[0-9]*")]
    return sum(end_if(each, partial(_holds, each, number)) for each in processes if _holds(each, number))


def _inode(name: str) -> int | None:
    for line in (PROC / "net/unix").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=7)  # address, references, protocol, flags, type, state, inode, name
        if len(fields) == 8 and fields[7] == f"@{name}":
            return int(fields[6])
    return None


def _holds(process: int, inode: int) -> bool:
    """Whether a process has this socket open, and this account made it: sockets can be handed to any process."""
    try:
        opened = list((PROC / str(process) / "fd").iterdir())
    except OSError:
        return False
    for link in opened:
        with suppress(OSError):
            if link.readlink() == Path(f"socket:[{inode}]"):
                about = link.stat()
                return stat.S_ISSOCK(about.st_mode) and about.st_uid == os.geteuid()
    return False
