"""Settings of this machine's kernel, changed for a while and put back whatever happens.

The former values are on disk, synced, before the first change: in one note for the machine and one for each loop
device. They are put back at the end; by a guardian process when the owner is killed; and by the next start of any
command when both were. Where a note is damaged, the next command says so, moves it aside and goes on.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from benchbook.engines import guardian, kernel_note, kernel_places
from benchbook.engines.kernel_note import DamagedNoteError, Note
from benchbook.engines.kernel_places import read
from benchbook.errors import MachineError

__all__ = ["NOTE", "HeldError", "changed", "kept", "put", "read", "refusal", "restore_leftovers"]

NOTE = Path("/run/benchbook-kernel-settings.json")
"""Where /run is cleared at boot, the note goes when the kernel forgets what was set; elsewhere boot_id tells."""

PATIENCE_S = 120.0
_GUARDED_S = 30.0

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_OTHER_HALF = {
    "vm/dirty_bytes": "vm/dirty_ratio",
    "vm/dirty_background_bytes": "vm/dirty_background_ratio",
}
"""Two spellings of one setting: writing one of them sets the other to 0."""
_noted: set[str] = set()
"""What this process may change, as ``kernel_places.subject`` names it."""


class HeldError(MachineError):
    """Another process has changed the same."""


def refusal() -> str | None:
    """Why kernel settings cannot be changed here, or None when they can."""
    if os.geteuid() != 0:
        return "needs root"
    if not os.access(kernel_places.ROOT / "vm/dirty_bytes", os.W_OK):
        return "the kernel's settings are read-only here"
    if not os.access(NOTE.parent, os.W_OK):
        return f"{NOTE.parent} is not writable, so the former values could not be noted"
    return None


@contextmanager
def changed(values: Mapping[str, int]) -> Iterator[None]:
    """Set ``values`` (name below /proc/sys -> number) until the end.

    Raises MachineError when changing is not allowed, and as ``kept`` does; nothing is then changed.
    """
    why = refusal()
    if why is not None:
        raise MachineError(f"the kernel's settings cannot be changed: {why}", "run as root, or leave them as they are")
    with kept(*values):
        for name, value in values.items():
            kernel_places.write(name, value)
        yield


@contextmanager
def kept(*names: str, patience_s: float | None = None) -> Iterator[None]:
    """Let the body ``put`` these settings, all of one subject; they are as before at the end.

    Those of a loop device are put back when no file is behind it, and until then by later commands. Raises HeldError
    when another process that changed some does not end within patience_s, by default two minutes, and MachineError
    when a setting does not exist or cannot be noted; nothing is then changed.
    """
    [subject] = {kernel_places.subject(name) for name in names}
    note = _note_of(subject)
    descriptor, former = _held(note, names, PATIENCE_S if patience_s is None else patience_s)
    _noted.add(subject)

    def end(note: Path) -> None:
        _noted.remove(subject)
        try:
            _end(note, descriptor, former)
        finally:
            os.close(descriptor)

    with guardian.guarded(note, end, after_a_kill):
        yield


def put(name: str, value: int) -> None:
    """Set one whose former value is noted; raises OSError where the kernel refuses."""
    if kernel_places.subject(name) not in _noted:
        raise ValueError(f"{name} is changed without a note of what it was")
    kernel_places.write(name, value)


def restore_leftovers(say: Callable[[str], object] | None = None) -> list[str]:
    """Put back what killed owners left changed; the names restored. Does nothing while the owner lives.

    say: told in a sentence of a note that is damaged, which is then moved aside; without it such a note stays.
    """
    if os.geteuid() != 0:
        return []
    return [name for note in notes() for name in _restored(note, say)]


def notes() -> list[Path]:
    """The notes that lie here: of settings that are changed now, or were left so."""
    return sorted({*NOTE.parent.glob(f"{NOTE.stem}-loop*{NOTE.suffix}"), *([NOTE] if os.path.lexists(NOTE) else [])})


def _restored(note: Path, say: Callable[[str], object] | None) -> list[str]:
    try:
        descriptor = kernel_note.opened(note)
        if descriptor is None:
            return []
        try:
            return _put_back(note, descriptor)
        finally:
            os.close(descriptor)
    except DamagedNoteError as damage:
        if say is not None and (said := _set_aside(note, damage.problem)):
            say(said)
        return []


def _note_of(subject: str) -> Path:
    return NOTE.with_stem(f"{NOTE.stem}-{subject}") if subject else NOTE


def _held(note: Path, names: tuple[str, ...], patience_s: float) -> tuple[int, Mapping[str, int]]:
    """The descriptor that holds the note, once nobody else holds it, and what must be written at the end."""
    deadline = time.monotonic() + patience_s
    _restored(note, lambda said: sys.stderr.write(f"{said}\n"))  # in a notebook no command came first
    while True:
        _restored(note, None)
        former = _former(names)
        try:
            return kernel_note.write(note, Note(boot(), former)), former
        except FileExistsError:
            if time.monotonic() >= deadline:
                raise HeldError(
                    "another process has changed the kernel's settings for a measurement", "wait until it has ended"
                ) from None
            time.sleep(0.2)


def _former(names: tuple[str, ...]) -> dict[str, int]:
    """What must be written to have the present state back."""
    former = {}
    for name in names:
        value = None if kernel_places.most(name) is None else read(name)
        if value is None:
            raise MachineError(f"this kernel has no setting {name}", "leave it as it is")
        other = _OTHER_HALF.get(name)
        if other is not None and value == 0:
            name, value = other, read(other) or 0
        former[name] = value
    return former


def _put_back(note: Path, descriptor: int) -> list[str]:
    """Write the former values, then remove the note; the other way round a crash between would lose them."""
    found = kernel_note.read(descriptor)
    former = found.former if found.boot == boot() else {}
    try:
        return [*former] if _end(note, descriptor, former) else []
    except OSError as error:
        raise DamagedNoteError(f"has values that the kernel refuses ({error.strerror})") from error


def _end(note: Path, descriptor: int, former: Mapping[str, int]) -> bool:
    """Write the former values and remove the note; it stays for later commands while a device is in use."""
    try:
        for name, value in former.items():
            kernel_places.put_back(name, value)
    except kernel_places.InUseError:
        return False
    kernel_note.remove(descriptor, note)
    return True


def _set_aside(note: Path, problem: str) -> str:
    """Give a damaged note another name beside its own, and say so; "" where somebody else has just done it."""
    try:
        done = f"it was moved to {kernel_note.moved_aside(note, f'{datetime.now(UTC):%Y%m%dT%H%M%S}')}"
    except FileNotFoundError:
        return ""
    except OSError as error:
        done = f"it could not be moved aside ({error.strerror}), so remove it"
    subject = note.stem.removeprefix(NOTE.stem).removeprefix("-")
    names = [f"block/{subject}/{kernel_places.AHEAD}"] if subject else kernel_places.known()
    now = ", ".join(f"{name.replace('/', '.')} = {value}" for name in names if (value := read(name)) is not None)
    return (
        f"{note}, where a measurement notes the kernel's settings before it changes them, {problem}, so it cannot say "
        f"what they were; {done}; check by eye whether the settings are as you want them: {now}"
    )


def boot() -> str:
    """What tells this boot of the machine from others."""
    return _BOOT.read_text().strip()


def after_a_kill(note: Path) -> None:
    """What the guardian does; a device may still be in use until the volume's own guardian has freed it."""
    deadline = time.monotonic() + _GUARDED_S
    restore_leftovers()
    while time.monotonic() < deadline and any(map(kernel_note.is_abandoned, notes())):
        time.sleep(0.1)
        restore_leftovers()
