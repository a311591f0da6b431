"""Takes a volume down: for its owner, for the guardian when the owner was killed, and for the next command."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from benchbook import nofollow, temporary
from benchbook.engines import kernel_settings
from benchbook.engines.storage import devices, folders, throttle
from benchbook.engines.storage.caps import Cap
from benchbook.errors import BenchbookError

NOTE = folders.NOTE
_PATIENCE_S = 10.0
_SERVERS = f"{temporary.PREFIX}pg-"


def remove() -> list[str]:
    """Take down the volumes whose owners no longer live, and nobody else's; a sentence on each.

    Takes a few milliseconds when there is none.
    """
    said = []
    for folder in folders.abandoned():
        try:
            why = take_down(folder)
        except BenchbookError as error:
            said.append(f"a killed run left storage in {folder} that cannot be taken down: {error}")
            continue
        if why is None:
            said.append(f"a killed run had left a volume in {folder}: unmounted, detached and removed")
        else:
            said.append(f"{folder} stays, since {why}")
    if said:
        kernel_settings.restore_leftovers()  # which those of a device are only once no file is behind it
    return said


def take_down(folder: Path) -> str | None:
    """Remove a volume's rule, mount, device and folder; None when all is gone, which it may be already, or why not.

    The rule goes first: what is still to be written would otherwise be written as slowly as the cap says.
    """
    _remove_noted_rule(folder)
    file = folder / folders.IMAGE
    for device in [device for device, backing in devices.attached() if backing == file]:
        with suppress(BenchbookError):
            throttle.find().put(device.number, Cap())
        places = devices.mounts(device.number)
        for place in places:
            _end_servers(place)
        for place in reversed(places):
            devices.unmount(place, patience_s=_PATIENCE_S)
        devices.detach(device, file)
    return folders.remove(folder)


def note_rule(folder: Path, number: str, cap: Cap) -> None:
    """Write down, on disk, the rule that is about to be set, so that it can be told from anybody else's."""
    text = json.dumps({"boot": kernel_settings.boot(), "number": number, "cap": vars(cap)})
    new = folder / folders.NEW_NOTE
    with new.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / NOTE)


def forget_rule(folder: Path) -> None:
    (folder / NOTE).unlink(missing_ok=True)


def _remove_noted_rule(folder: Path) -> None:
    """Remove the rule that the owner set, even if the device was taken from under it since."""
    try:
        noted = json.loads(nofollow.text(folder / NOTE))
        boot, number, cap = noted["boot"], noted["number"], Cap(**noted["cap"])
    except (OSError, ValueError, KeyError, TypeError):
        return
    if boot == kernel_settings.boot():
        with suppress(BenchbookError):
            found = throttle.find()
            if found.rule(number) == cap:
                found.put(number, Cap())
    forget_rule(folder)


def _end_servers(place: Path) -> None:
    """End the servers whose clusters lie on a volume; a program that measures ended with its owner."""
    clusters = list(place.glob(f"{_SERVERS}*"))
    if clusters:
        from benchbook.engines.postgres import leftovers  # brings psycopg, which is needed only where a server was left

        for each in clusters:
            leftovers.stop(each)


def after_a_kill(folder: Path) -> None:
    """What the guardian does."""
    deadline = time.monotonic() + _PATIENCE_S
    while folder.exists() and time.monotonic() < deadline:
        remove()  # the lock of an owner that was killed is free a moment after its end of the pipe
        time.sleep(0.05)
