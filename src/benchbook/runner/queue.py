"""Who measures on this machine and who waits for it: first come, first served.

A place is a numbered file beside the lock file, locked by whoever has it, so that the place of a process that was
killed is nobody's at once, in whatever process namespace it is looked at. The lowest number comes first; that of who
measures stays until the end. The order is kept here; that no two measure at once is the lock's.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchbook.errors import MachineError, shortened
from benchbook.runner import lock_file

PREFIX, SUFFIX = "benchbook-host-place-", ".json"
WRITTEN_S = 5.0
"""What is expected is written so often at most."""
_BYTES = 2_048
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ATTEMPTS = 1_000
_kept: Place | None = None


@dataclass(frozen=True)
class Turn:
    """What somebody says of their place. number: lower ones come first. Times are UTC, "" where not known.

    command: what was started. came: when. measures: since when they hold the machine. ends: when they expect to end.
    """

    number: int
    command: str
    came: str
    measures: str
    ends: str


class Place:
    """A place of this process. Make it with ``taken``. whole: when all will be done was said; parts say nothing."""

    whole = False

    def __init__(self, number: int, descriptor: int, said: dict[str, str]) -> None:
        self.number = number
        self._descriptor = descriptor
        self._said = said
        self._written_at = 0.0

    def begins(self) -> None:
        """The machine is held from now on."""
        self._said["measures"] = self._said["measures"] or _now()
        self._write()
        self._written_at = 0.0

    def expect(self, left_s: float | None) -> None:
        """So many seconds are left; None: nobody knows. Writes a line between two trials, now and then."""
        if not self.whole and time.monotonic() - self._written_at > WRITTEN_S:
            self._said["ends"] = "" if left_s is None else _now(left_s)
            self._write()

    def leave(self) -> None:
        """Let the next one have it."""
        with suppress(OSError):
            path = _path(self.number)
            if os.path.samestat(path.lstat(), os.fstat(self._descriptor)):
                path.unlink()
        os.close(self._descriptor)

    def _write(self) -> None:
        self._written_at = time.monotonic()
        with suppress(OSError):  # on a full disk it says less
            os.pwrite(self._descriptor, _text(self._said), 0)


def taken() -> Place:
    """A place after all that are taken. Raises MachineError where none can be had."""
    folder = lock_file.path().parent
    said = {"command": _command(), "came": _now(), "measures": "", "ends": ""}
    _remove_abandoned()
    try:
        descriptor, new = tempfile.mkstemp(prefix=f".{PREFIX}", dir=folder)
    except OSError as error:
        raise lock_file.not_made(folder / f"{PREFIX}1{SUFFIX}", error) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # before it has a name by which others look
        os.fchmod(descriptor, 0o644)
        with suppress(OSError):  # on a full disk it says nothing
            os.pwrite(descriptor, _text(said), 0)
        last = max((turn.number for turn in turns()), default=0)
        for number in range(last + 1, last + _ATTEMPTS):
            with suppress(FileExistsError):  # somebody's who came at the same moment, or was killed
                os.link(new, _path(number))
                return Place(number, descriptor, said)
    except OSError as error:
        os.close(descriptor)
        raise lock_file.not_made(_path(1), error) from None
    finally:
        Path(new).unlink()
    os.close(descriptor)
    raise MachineError(f"no place to wait can be had in {folder}", "find out what fills it")


def told(before: list[Turn]) -> str:
    """Who measures, in words that follow what is waited for; "" where nobody who came before can be seen."""
    first = next((turn for turn in before if turn.measures), None)
    said = []
    if first is not None:
        ends = f", and may end about {_hour(first.ends)}" if first.ends else ""
        said.append(f"{first.command or 'another program'} has had it since {_hour(first.measures)}{ends}")
    others = len(before) - (first is not None)
    if others:
        said.append(f"{others} more came before this one")
    return f" ({'; '.join(said)}; see `benchbook queue`)" if said else ""


def turns() -> list[Turn]:
    """Everybody who has a place, first come first; those whose owner is gone, and what is no place, are left out."""
    found = ((number, _said(_path(number))) for number in sorted(_numbers()))
    names = ("command", "came", "measures", "ends")
    return [Turn(number, *(_word(said, name) for name in names)) for number, said in found if said is not None]


@contextmanager
def kept(left_s: float | None) -> Iterator[None]:
    """Have one place for all that this process measures meanwhile; left_s: how long that takes, None if unknown."""
    global _kept
    place = taken()
    place.expect(left_s)
    place.whole, _kept = True, place
    try:
        yield
    finally:
        _kept = None
        place.leave()


@contextmanager
def place() -> Iterator[Place]:
    """The place that is kept, else one of its own."""
    if _kept is not None:
        yield _kept
        return
    own = taken()
    try:
        yield own
    finally:
        own.leave()


def ahead(number: int) -> list[Turn]:
    """Those who came before this place."""
    return [turn for turn in turns() if turn.number < number]


def _said(path: Path) -> dict[str, object] | None:
    """What the owner of a place says; None where nobody has it."""
    try:
        descriptor = os.open(path, _LOOK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        with suppress(ValueError, RecursionError):
            found = json.loads(os.pread(descriptor, _BYTES, 0))
            return found if isinstance(found, dict) else {}
        return {}
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _remove_abandoned() -> None:
    """Remove the places of this account, for root of every, whose owners are gone."""
    for number in _numbers():
        path = _path(number)
        with suppress(OSError):
            descriptor = os.open(path, _LOOK)
            try:
                about = os.fstat(descriptor)
                if stat.S_ISREG(about.st_mode) and os.geteuid() in (0, about.st_uid):
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # of two who clean, one has it
                    if os.path.samestat(path.lstat(), about):
                        path.unlink()
            finally:
                os.close(descriptor)


def _numbers() -> list[int]:
    names = []
    with suppress(OSError), os.scandir(lock_file.path().parent) as entries:
        names = [each.name for each in entries if each.name.startswith(PREFIX) and each.name.endswith(SUFFIX)]
    found = (name.removeprefix(PREFIX).removesuffix(SUFFIX) for name in names)
    return [int(each) for each in found if each.isascii() and each.isdecimal() and len(each) <= 9]


def _path(number: int) -> Path:
    return lock_file.path().parent / f"{PREFIX}{number}{SUFFIX}"


def _word(said: dict[str, object], name: str) -> str:
    found = said.get(name)
    return "".join(sign for sign in found if sign.isprintable())[:200] if isinstance(found, str) else ""


def _text(said: dict[str, str]) -> bytes:
    """Always of one length, so that what was longer before leaves nothing behind."""
    return json.dumps(said).encode().ljust(_BYTES)[:_BYTES]


def _command() -> str:
    started = Path(sys.argv[0])
    name = started.parent.name if started.name == "__main__.py" else started.name
    if name == "benchbook":
        return shortened(shlex.join(["benchbook", *sys.argv[1:]]))
    return "a notebook" if name.startswith("ipykernel") else "a program that calls Benchbook"


def _hour(iso: str) -> str:
    return f"{iso[:16].replace('T', ' ')} UTC"


def _now(after_s: float = 0.0) -> str:
    return (datetime.now(UTC) + timedelta(seconds=after_s)).isoformat(timespec="seconds")
