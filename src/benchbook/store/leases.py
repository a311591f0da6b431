"""Who measures an unfinished run: a file in its folder, locked by its owner and dated again after each trial.

On one machine the lock tells exactly, in whatever process namespace. Of another machine, whose locks may not be seen in
a shared folder, the file's age decides. The files are numbered: the last one counts, and whoever makes the next one,
which only one can, has taken the run over. They go when the run is complete.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import stat
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchbook.errors import BusyError, StoredRunError

EXPIRES_S = 3_600.0
"""A lease of another machine that was not dated for so long is no longer held; no profile has a trial that long."""
RENEWED_S = 60.0
"""How old its date may become while its owner writes."""
_PREFIX, _SUFFIX = "lease-", ".json"
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MACHINE = Path("/etc/machine-id")


class HeldError(StoredRunError):
    """Another process measures this run, or may: it cannot be gone on with."""

    code = BusyError.code


class Lease:
    """The right to write to a run's folder. Make it with ``take``; folder: the run's, which may be renamed."""

    def __init__(self, folder: Path, number: int, descriptor: int) -> None:
        self.folder = folder
        self._number = number
        self._descriptor: int | None = descriptor
        self._dated_at = time.monotonic()

    @classmethod
    def take(cls, folder: Path) -> Lease:
        """The lease of a run that nobody measures. Raises HeldError where somebody does, OSError for a full disk."""
        while True:
            last = _last(folder)
            since = None if last is None else _held_since(_path(folder, last))
            if since is not None:
                raise HeldError(
                    f"run {folder.name} is being measured elsewhere, since {since}",
                    f"wait for it to end; if nobody measures it, remove {_path(folder, last or 0)}",
                )
            number = 1 if last is None else last + 1
            path = _path(folder, number)
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
            except FileExistsError:
                time.sleep(0.01)  # a list of a shared folder may be some seconds old
                continue
            os.fchmod(descriptor, 0o644)  # whatever the umask: every account that sees the run may look
            with suppress(OSError):  # where locks are unknown, the age decides for all
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            with suppress(OSError):  # on a full disk it says less; the run's own next write tells why it fails
                os.write(descriptor, json.dumps(_here()).encode())
            for earlier in _numbers(folder):
                if earlier < number:
                    with suppress(OSError):  # what is no file stays: the last one counts
                        _path(folder, earlier).unlink(missing_ok=True)
            return cls(folder, number, descriptor)

    def renew(self) -> None:
        """Say that the owner lives. Raises StoredRunError when somebody else has taken the run over."""
        if not self._is_own():
            raise StoredRunError(
                f"run {self.folder.name} was taken over by another process, or its lease was removed",
                "let that one end; what was stored until then is whole",
            )
        if self._descriptor is not None and time.monotonic() - self._dated_at > RENEWED_S:
            os.utime(self._descriptor)
            self._dated_at = time.monotonic()

    def give_back(self) -> None:
        """Let anybody, on any machine, go on with the run at once."""
        if self._descriptor is not None:
            if self._is_own():
                with suppress(OSError):
                    os.utime(self._descriptor, (0, 0))  # older than any lease that is held
            self.close()

    def remove(self) -> None:
        """Of a run that is complete, which needs none: its lease goes."""
        for number in _numbers(self.folder):
            _path(self.folder, number).unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        """No longer hold it, as when the owner is killed."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _is_own(self) -> bool:
        if self._descriptor is None or _last(self.folder) != self._number:
            return False
        try:
            return os.path.samestat(_path(self.folder, self._number).lstat(), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False


def held_since(folder: Path) -> str | None:
    """When whoever measures this run took it, in UTC; None when nobody does."""
    last = _last(folder)
    return None if last is None else _held_since(_path(folder, last))


def _held_since(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError:  # somebody else's, and nobody knows whether they live
        return "a time that cannot be read"
    try:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            return None  # a folder, a pipe, a device: nobody's
        dated_s = about.st_mtime
        owner = _read(descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            told = owner.get("kernel") == _kernel()
        except BlockingIOError:
            return _since(owner, dated_s)
        except OSError:
            told = False
    finally:
        os.close(descriptor)
    rebooted = bool(_machine()) and owner.get("machine") == _machine() and dated_s < _booted_s()
    held = not told and not rebooted and time.time() - dated_s < EXPIRES_S
    return _since(owner, dated_s) if held else None


def _since(owner: dict[str, Any], dated_s: float) -> str:
    """As the owner says; when the file was dated where that is no time: anybody may have written into it."""
    with suppress(KeyError, TypeError, ValueError):
        return datetime.fromisoformat(owner["since"]).isoformat(timespec="seconds")
    return datetime.fromtimestamp(dated_s, UTC).isoformat(timespec="seconds")


def _read(descriptor: int) -> dict[str, Any]:
    """What the owner says of itself; nothing where it could not say it, or has only begun to."""
    try:
        found = json.loads(os.pread(descriptor, 10_000, 0))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _here() -> dict[str, str]:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return {"kernel": _kernel(), "machine": _machine(), "since": since}


def _kernel() -> str:
    """Who sees the same locks as this process: all processes of one boot of one kernel, in whatever container."""
    try:
        return _BOOT.read_text().strip()
    except OSError:  # no Linux
        return _hidden(os.uname().nodename)


def _machine() -> str:
    """The same after the next boot; "" where the system has no such name."""
    try:
        return _hidden(_MACHINE.read_text().strip())
    except OSError:
        return ""


def _hidden(name: str) -> str:
    """A name that says nothing of what it was made from."""
    return hmac.new(b"benchbook lease", name.encode(), hashlib.sha256).hexdigest()[:16] if name else ""


def _booted_s() -> float:
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)


def _last(folder: Path) -> int | None:
    return max(_numbers(folder), default=None)


def _numbers(folder: Path) -> list[int]:
    found = (path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"))
    return [int(number) for number in found if number.isdecimal()]


def _path(folder: Path, number: int) -> Path:
    return folder / f"{_PREFIX}{number}{_SUFFIX}"
