"""Accounts under which root runs what refuses to run as root, and whose folders and processes may therefore be ours."""

import os
import pwd
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePath

from benchbook.errors import MachineError, NoEngineError

OWN = "benchbook"
"""A system account that nothing else uses; ``make setup`` makes it where it runs as root on Debian."""
SHARED = ("postgres", "nobody")
"""Taken where there is none. Other services may run under them, and so did servers of earlier releases."""
MAKE = f"useradd --system --no-create-home --shell /usr/sbin/nologin {OWN}"
_NO_LOGIN = ("nologin", "false")


def unprivileged() -> pwd.struct_passwd:
    """The account under which root starts a server; raises MachineError when there is none."""
    for found in _known():
        return found
    raise MachineError(
        f"PostgreSQL refuses to run as root, and there is no account {OWN!r}, 'postgres' or 'nobody'",
        f"{MAKE}, or run as an ordinary user",
    )


def ours() -> set[int]:
    """Whose folders and processes may be ours: this account and, for root, those under which it runs servers."""
    own = os.geteuid()
    return {own, *(found.pw_uid for found in _known())} if own == 0 else {own}


def check_named() -> None:
    """Raise NoEngineError where this account has no name, as in a container under a number: initdb asks for it."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise NoEngineError(
            f"this account, {os.geteuid()}, has no name on this machine, and PostgreSQL starts under none without one",
            "start the container as root or as an account of its image, or add a line for this one to /etc/passwd",
        ) from None


def give_home() -> None:
    """Set HOME to / where nothing names a home: libraries ask for one when they are loaded."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = "/"


def _known() -> Iterator[pwd.struct_passwd]:
    """Those that this machine has; the one of our own name only where nobody can log in, so that it is no person's."""
    for name in (OWN, *SHARED):
        with suppress(KeyError):
            found = pwd.getpwnam(name)
            if name != OWN or (found.pw_uid != 0 and PurePath(found.pw_shell).name in _NO_LOGIN):
                yield found
