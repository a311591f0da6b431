"""Who measures on this machine and who waits for it: first come, first served.

A place is a numbered file beside the lock file, locked by whoever has it, so that the place of a process that was
killed is nobody's at once, in whatever process namespace it is looked at. The lowest number comes first; that of who
measures stays until the end. The order is kept here; that no two measure at once is the lock's.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchbook import nofollow
from benchbook.errors import MachineError, shortened
from benchbook.runner import lock_file

PREFIX, SUFFIX = "benchbook-host-place-", ".json"
WRITTEN_S = 5.0
"""What is expected is written so often at most."""
_BYTES = 2_048
_WORDS = ("command", "came", "measures", "ends")
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
        self._write()

    def begins(self) -> None:
        """The machine is held from now on."""
        self._said["measures"] = self._said["measures"] or _now()
        self._write()

    def expect(self, left_s: float | None) -> None:
        """So many seconds are left; None: nobody knows. Writes a line between two trials, now and then."""
        if not self.whole and time.monotonic() - self._written_at > WRITTEN_S:
            self._said["ends"] = "" if left_s is None else _now(left_s)
            self._write()
            self._written_at = time.monotonic()

    def leave(self) -> None:
        """Let the next one have it."""
        with suppress(OSError):
            nofollow.remove_lock(_path(self.number), self._descriptor)

    def _write(self) -> None:
        with suppress(OSError):  # on a full disk it says less
            os.pwrite(self._descriptor, _text(self._said), 0)


def taken() -> Place:
    """A place after all that are taken. Raises MachineError where none can be had."""
    said = dict.fromkeys(_WORDS, "") | {"command": _command(), "came": _now()}
    _remove_abandoned()
    last = max((turn.number for turn in turns()), default=0)
    for number in range(last + 1, last + _ATTEMPTS):
        path = _path(number)
        try:
            descriptor = nofollow.locked(path, os.O_RDWR)
        except OSError as error:
            if not os.path.lexists(path):
                raise lock_file.not_made(path, error) from None
            continue  # what was planted, or left by another account
        if descriptor is not None:  # else somebody's who came at the same moment
            return Place(number, descriptor, said)
    raise MachineError(f"no place to wait can be had in {lock_file.path().parent}", "find out what fills it")


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
    return [Turn(number, *(_word(said, name) for name in _WORDS)) for number, said in found if said is not None]


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


def _said(path: Path) -> dict[str, object] | None:
    """What the owner of a place says; None where nobody has it."""
    with suppress(OSError), nofollow.opened(path) as file:
        if nofollow.is_free(file.fileno()):
            return None
        with suppress(ValueError, RecursionError):
            found = json.loads(file.read(_BYTES))
            return found if isinstance(found, dict) else {}
        return {}
    return None


def _remove_abandoned() -> None:
    """Remove the places of this account, for root of every, whose owners are gone."""
    for path in map(_path, _numbers()):
        with suppress(OSError):
            if os.geteuid() in (0, path.lstat().st_uid):
                descriptor = nofollow.locked(path)
                if descriptor is not None:
                    nofollow.remove_lock(path, descriptor)


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
