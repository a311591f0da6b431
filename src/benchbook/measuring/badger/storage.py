"""Where stores lie: on a volume of their own that can be capped and is certified, or on the scratch disk as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchbook.engines.storage import certificates
from benchbook.engines.storage.caps import Cap
from benchbook.engines.storage.volumes import Volume, volume
from benchbook.measuring.badger.parameters import Stored

READ_AHEAD_KIB = 128
"""The kernel's own for most disks, cloud volumes among them. Badger maps its tables, so each fault reads as much."""
SPARE_BYTES = 400_000_000
"""On a volume beside the stores: the file system itself, and four times the file of the certificate."""
CERTIFY_S, AGAIN_S = 0.3, 1.0
"""Of each of the six parts of a certificate. The throttle counts in tenths of a second, so that a short look may be off
by one of them; it is then taken again, longer."""


@contextmanager
def placed(parameters: Stored, store_bytes: int) -> Iterator[Volume | None]:
    """An uncapped volume with room for stores of so many bytes; None where the parameters do not allow one."""
    if not parameters.allow_slow_storage:
        yield None
        return
    with volume(-(-(store_bytes + SPARE_BYTES) >> 20), allowed=True, read_ahead_kib=READ_AHEAD_KIB) as made:
        yield made


def certified(made: Volume, cap: Cap) -> dict[str, float | None]:
    """Metrics of what a volume does that is capped; takes some seconds, in which nothing else may use it.

    Raises MachineError, which fails the trial, where it does not keep the cap within 20 %.
    """
    found = certificates.certify(made, duration_s=CERTIFY_S)
    if found.departures(cap):
        found = certificates.certify(made, duration_s=AGAIN_S)
        found.confirm(cap)
    return {f"storage_{name}": value for name, value in found.record().items()}
