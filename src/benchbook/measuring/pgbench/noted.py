"""Trials on what the notes' machines had: capped storage and limits of dirty data (002), pools in huge pages (003)."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from benchbook.engines import dirty_limits, huge_pages, kernel_settings
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.storage.caps import Cap
from benchbook.errors import MachineError
from benchbook.measuring.pgbench.capped import Limited, P
from benchbook.measuring.pgbench.storage import Slowness
from benchbook.measuring.pgbench.tables import shared_bytes
from benchbook.model import Configuration

RESERVED_OVER_POOL = 1.07
"""Note 003 reserved 4,400 huge pages of 2 MB for a pool of 8 GB, and 6,600 for one of 12 GB."""


@dataclass(frozen=True)
class Noted(Limited[P]):
    """Each trial with the cap, the limits and the huge pages of its configuration."""

    iops: int = 0

    @abstractmethod
    def huge(self, arm: Configuration) -> tuple[bool, int]:
        """Whether the pool lies in huge pages, and the bytes of them that are kept from everything else."""

    def slowness(self, arm: Configuration) -> Slowness:
        """The cap of a configuration on capped storage, with what is added to its reads and flushes."""
        p = self.parameters
        if not arm.settings.get("capped"):
            return Slowness()
        return Slowness(Cap(write_iops=self.iops), p.storage_latency_ms, p.storage_latency_ms)

    def uncounted(self, stack: ExitStack, arm: Configuration) -> int:
        """Huge pages, used or idle, which are no part of what a control group counts."""
        used, kept = self.huge(arm)
        if not used:
            return kept
        shared = shared_bytes(self.tables.cluster, self.settings(arm))
        stack.enter_context(huge_pages.reserved(shared))
        return max(shared, kept)


def note_limits(ram_bytes: int) -> DirtyLimits:
    """Of note 002's raw reports, scaled to the memory of a trial: 4 and 1 %, and the ages that go with them."""
    return replace(dirty_limits.of_memory(ram_bytes, 4, 1), expire_centisecs=200, writeback_centisecs=100)


def check_vm(p: Any, pool_bytes: int) -> None:
    """Raise MachineError where the parameters allow such limits, and huge pages for so large a pool, and none can be.

    pool_bytes: with all of shared memory; 0 where no pool lies in huge pages.
    """
    refusal = kernel_settings.refusal() if p.allow_vm_settings else None
    if p.allow_vm_settings and pool_bytes and refusal is None:
        refusal = huge_pages.refusal(pool_bytes, allowed=True)
    if refusal is not None:
        raise MachineError(
            f"dirty limits cannot be set or huge pages reserved here: {refusal}",
            "set allow_vm_settings=false to measure with the machine's own limits and ordinary pages",
        )
