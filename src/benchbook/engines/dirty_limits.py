"""How much written but unsaved data the kernel lets lie in memory: read, and set for one trial."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psutil

from benchbook.engines import kernel_settings
from benchbook.errors import BenchbookError

SMALLEST_BYTES = 2 * 2**20
_RATIO_MAX = 100


@dataclass(frozen=True)
class DirtyLimits:
    """limit: writers are slowed at it. background: the kernel begins to write by itself. In bytes.

    expire: age in hundredths of a second from which data is written anyway; writeback: how often the kernel looks.
    """

    limit_bytes: int
    background_bytes: int
    expire_centisecs: int
    writeback_centisecs: int

    @property
    def slows_from_bytes(self) -> float:
        """Where writers begin to be slowed: halfway between the two (the kernel's free-run ceiling)."""
        return (self.limit_bytes + self.background_bytes) / 2


def of_memory(memory_bytes: int, percent: float, background_percent: float) -> DirtyLimits:
    """Limits as shares of a memory size, with the kernel's own ages: what the note's percentages mean here.

    Raises BenchbookError unless 0 < background_percent < percent <= 100.
    """
    if not 0 < background_percent < percent <= _RATIO_MAX:
        raise BenchbookError(
            f"dirty limits of {percent:g} % and {background_percent:g} % in the background are none",
            "give 0 < background < limit <= 100",
        )
    limit, background = (int(memory_bytes * share / 100) for share in (percent, background_percent))
    now = current()
    expire, writeback = (3000, 500) if now is None else (now.expire_centisecs, now.writeback_centisecs)
    return DirtyLimits(max(limit, 2 * SMALLEST_BYTES), max(background, SMALLEST_BYTES), expire, writeback)


def current() -> DirtyLimits | None:
    """The limits in force, ratios taken of the memory that could be dirty; None where the kernel does not say."""
    expire = kernel_settings.read("vm/dirty_expire_centisecs")
    writeback = kernel_settings.read("vm/dirty_writeback_centisecs")
    limit, background = _in_bytes("dirty"), _in_bytes("dirty_background")
    if limit is None or background is None or expire is None or writeback is None:
        return None
    # the kernel takes half of the limit where the background is not below it
    return DirtyLimits(limit, background if background < limit else limit // 2, expire, writeback)


@contextmanager
def applied(limits: DirtyLimits) -> Iterator[None]:
    """Hold the machine to ``limits`` until the end; raises MachineError where that is not allowed."""
    values = {
        "vm/dirty_bytes": limits.limit_bytes,
        "vm/dirty_background_bytes": limits.background_bytes,
        "vm/dirty_expire_centisecs": limits.expire_centisecs,
        "vm/dirty_writeback_centisecs": limits.writeback_centisecs,
    }
    with kernel_settings.changed(values):
        yield


def _in_bytes(name: str) -> int | None:
    given = kernel_settings.read(f"vm/{name}_bytes")
    if given:
        return given
    ratio = kernel_settings.read(f"vm/{name}_ratio")
    return None if ratio is None else int(psutil.virtual_memory().available * ratio / 100)
