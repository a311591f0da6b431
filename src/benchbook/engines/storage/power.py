"""A disk that loses its power: what no sync has written is gone from a volume of ours."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from benchbook.engines.storage import devices
from benchbook.engines.storage.volumes import Volume
from benchbook.errors import MachineError

UNMOUNT_S = 10.0
"""Whoever still has a file open on the volume ends within that time."""
SHUTDOWN, WITHOUT_A_FLUSH = 0x8004587D, 2
"""FS_IOC_SHUTDOWN of ext4 and xfs, and its flag that leaves unwritten both the journal and the data."""


def cut(volume: Volume) -> None:
    """What was not synced is lost; afterwards the volume can be used as before.

    Nobody may have a file open on it. Raises MachineError where the kernel cannot do it.
    """
    _shut_down(volume.folder)
    devices.unmount(volume.folder, patience_s=UNMOUNT_S)
    devices.mount(volume.device, volume.folder)


def _shut_down(place: Path) -> None:
    descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(descriptor, SHUTDOWN, struct.pack("I", WITHOUT_A_FLUSH))
    except OSError as error:
        raise MachineError(
            f"the file system at {place} cannot be shut down ({error.strerror})", "use a kernel with ext4's shutdown"
        ) from error
    finally:
        os.close(descriptor)
