"""The session: the ladder's trials of the three rounds, on a PostgreSQL of this system that was built with lz4."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchbook.chapters.three_rounds.arms import Parameters, configurations
from benchbook.engines import huge_pages, kernel_settings
from benchbook.errors import MachineError, NoEngineError
from benchbook.measuring.pgbench.ladder import second
from benchbook.measuring.pgbench.ladder.arms import Start, start_of
from benchbook.measuring.pgbench.ladder.bench import (
    BYTES_PER_SECOND_BESIDE,
    LOADED_BYTES_PER_SECOND,
    SECONDS_BESIDE,
    Bench,
    reduce,
)
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]

LARGEST_POOL_OVER_DATA = 0.6
"""Of round 3."""


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL with lz4; root where asked."""
    p = parameters

    def usable() -> None:
        if not p.allow_vm_settings:
            return
        pool = int(LARGEST_POOL_OVER_DATA * p.data_bytes) + 2**28
        if refusal := kernel_settings.refusal() or huge_pages.refusal(pool, allowed=True):
            raise MachineError(
                f"huge pages cannot be reserved here: {refusal}",
                "set allow_vm_settings=false to measure with ordinary pages",
            )

    beside = SECONDS_BESIDE + 2 * p.data_bytes / BYTES_PER_SECOND_BESIDE
    seconds = 0.0
    for arm in configurations(p):
        filled = p.fill_seconds + 1 if start_of(arm) is Start.WARM else 0
        seconds += beside + filled + int(arm.settings.get("runs") or 1) * (p.trial_seconds + 1)
    minutes = (p.blocks * seconds + p.data_bytes / LOADED_BYTES_PER_SECOND) / 60
    return Needs(p.disk_bytes, p.memory_bytes, _identity, minutes, usable)


SOURCE = {"engine_source": "a package of this system"}


def _identity() -> dict[str, Any]:
    try:
        return second.find().identity() | SOURCE
    except MachineError as error:
        raise NoEngineError(error.problem, "install Debian's package postgresql") from error


class Rounds(Bench):
    """The ladder's trials on a server that is not the one of the other chapters."""

    def provenance(self) -> dict[str, Any]:
        """The ladder's, and where the server comes from."""
        return super().provenance() | SOURCE


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Rounds]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    with second.loaded(parameters.scale, parameters.disk_bytes, progress) as found:
        yield Rounds(parameters.ladder, found)
