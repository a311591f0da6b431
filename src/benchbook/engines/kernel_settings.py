"""Settings of this machine's kernel, changed for a while and put back whatever happens.

The former values are on disk, synced, before the first change. They are put back at the end; by a guardian process
when the owner is killed; and by the next start of any command when both were. Where that note is damaged, the next
command says so, moves it aside and goes on. Run as ``python -m benchbook.engines.kernel_settings`` it is the guardian:
it waits until its standard input closes.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from benchbook.engines import kernel_note
from benchbook.engines.kernel_note import DamagedNoteError, Note
from benchbook.errors import MachineError

ROOT = Path("/proc/sys")
NOTE = Path("/run/benchbook-kernel-settings.json")
"""Where /run is cleared at boot, the note goes when the kernel forgets what was set; elsewhere boot_id tells."""

PATIENCE_S = 120.0

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_OTHER_HALF = {
    "vm/dirty_bytes": "vm/dirty_ratio",
    "vm/dirty_background_bytes": "vm/dirty_background_ratio",
}
"""Two spellings of one setting: writing one of them sets the other to 0."""


def refusal() -> str | None:
    """Why kernel settings cannot be changed here, or None when they can."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.access(ROOT / "vm/dirty_bytes", os.W_OK):
        return "the kernel's settings are read-only here"
    if not os.access(NOTE.parent, os.W_OK):
        return f"{NOTE.parent} is not writable, so the former values could not be noted"
    return None


def read(name: str) -> int | None:
    """The value of a setting such as "vm/dirty_bytes", or None where it does not exist."""
    try:
        return int((ROOT / name).read_text())
    except (OSError, ValueError):
        return None


@contextmanager
def changed(values: Mapping[str, int]) -> Iterator[None]:
    """Set ``values`` (name below /proc/sys -> number) until the end.

    Waits for another process that changed some to end. Raises MachineError when it does not within two minutes, when
    changing is not allowed, or when a setting does not exist; nothing is then changed.
    """
    why = refusal()
    if why is not None:
        raise MachineError(f"the kernel's settings cannot be changed: {why}", "run as root, or leave them as they are")
    descriptor, former = _held(values)
    guardian = _guard()
    try:
        for name, value in values.items():
            (ROOT / name).write_text(str(value))
        yield
    finally:
        _write(former)
        _remove(descriptor)
        os.close(descriptor)
        assert guardian.stdin is not None
        with suppress(BrokenPipeError):
            guardian.stdin.close()
        try:
            guardian.wait(timeout=10)
        except subprocess.TimeoutExpired:
            guardian.kill()


def restore_leftovers(say: Callable[[str], object] | None = None) -> list[str]:
    """Put back what a killed owner left changed; the names restored. Does nothing while the owner lives.

    say: told in a sentence of a note that is damaged, which is then moved aside; without it such a note stays.
    """
    if os.geteuid() != 0:
        return []
    try:
        descriptor = kernel_note.opened(NOTE)
        if descriptor is None:
            return []
        try:
            return _put_back(descriptor)
        finally:
            os.close(descriptor)
    except DamagedNoteError as damage:
        if say is not None and (said := _set_aside(damage.problem)):
            say(said)
        return []


def _held(values: Mapping[str, int]) -> tuple[int, Mapping[str, int]]:
    """The descriptor that holds the note, once nobody else holds it, and what must be written at the end."""
    deadline = time.monotonic() + PATIENCE_S
    restore_leftovers(lambda said: sys.stderr.write(f"{said}\n"))  # in a notebook no command came first
    while True:
        restore_leftovers()
        former = _former(values)
        try:
            return _note(former), former
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise MachineError(
                    "another process has changed the kernel's settings for a measurement", "wait until it has ended"
                ) from None
            time.sleep(0.2)


def _former(values: Mapping[str, int]) -> dict[str, int]:
    """What must be written to have the present state back."""
    former = {}
    for name in values:
        value = read(name) if name in kernel_note.known() else None
        if value is None:
            raise MachineError(f"this kernel has no setting {name}", "leave it as it is")
        other = _OTHER_HALF.get(name)
        if other is not None and value == 0:
            name, value = other, read(other) or 0
        former[name] = value
    return former


def _note(former: Mapping[str, int]) -> int:
    """Write the note so that it is there whole or not at all; the descriptor holds it as long as it is open.

    Raises FileExistsError while another process holds one.
    """
    descriptor, name = tempfile.mkstemp(prefix=f".{NOTE.name}-", dir=NOTE.parent)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, kernel_note.text(Note(_boot(), former)))
        os.fsync(descriptor)
        os.link(name, NOTE)
    except FileExistsError:
        os.close(descriptor)
        raise
    except OSError as error:
        os.close(descriptor)
        raise MachineError(f"{NOTE} cannot be written ({error.strerror})", "leave the settings as they are") from error
    finally:
        Path(name).unlink()
    _sync(NOTE.parent)
    return descriptor


def _put_back(descriptor: int) -> list[str]:
    """Write the former values, then remove the note; the other way round a crash between would lose them."""
    note = kernel_note.read(descriptor)
    restored = []
    if note.boot == _boot():
        try:
            _write(note.former)
        except OSError as error:
            raise DamagedNoteError(f"has values that the kernel refuses ({error.strerror})") from error
        restored = [*note.former]
    _remove(descriptor)
    return restored


def _write(former: Mapping[str, int]) -> None:
    for name, value in former.items():
        (ROOT / name).write_text(str(value))


def _remove(descriptor: int) -> None:
    """Remove the note; what somebody else has laid in its place is looked at by the next command."""
    if kernel_note.is_at(descriptor, NOTE):
        NOTE.unlink()
        _sync(NOTE.parent)


def _set_aside(problem: str) -> str:
    """Give a damaged note another name beside its own, and say so; "" where somebody else has just done it."""
    first = aside = NOTE.with_name(f"{NOTE.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")
    number = 1
    while os.path.lexists(aside):
        number += 1
        aside = first.with_name(f"{first.name}-{number}")
    try:
        NOTE.rename(aside)
        _sync(NOTE.parent)
        done = f"it was moved to {aside}"
    except FileNotFoundError:
        return ""
    except OSError as error:
        done = f"it could not be moved aside ({error.strerror}), so remove it"
    now = ", ".join(f"{name.replace('/', '.')} = {value}" for name in kernel_note.known()
                    if (value := read(name)) is not None)  # fmt: skip
    return (
        f"{NOTE}, where a measurement notes the kernel's settings before it changes them, {problem}, so it cannot say "
        f"what they were; {done}; check by eye whether the settings are as you want them: {now}"
    )


def _boot() -> str:
    return _BOOT.read_text().strip()


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _guard() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True, cwd="/",
    )  # fmt: skip


def main() -> None:
    """The guardian."""
    sys.stdin.read()
    restore_leftovers()


if __name__ == "__main__":
    main()
