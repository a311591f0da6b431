"""What can be set, and the configurations: six labels behind which is one and the same store."""

from __future__ import annotations

from pydantic import Field

from benchbook.experiments.families.badger.parameters import Bursts
from benchbook.experiments.families.badger.request import arm
from benchbook.experiments.parameters import asked
from benchbook.model import Configuration

LABELS = tuple(f"label_{letter}" for letter in "abcdef")
FIRST_LABEL, SECOND_LABEL = LABELS[:2]
"""The pair whose ratio is this run's A/A gate; chosen before any data, as any two labels would do."""


class Parameters(Bursts):
    """Defaults are the standard profile: the note's events and cache sizes, and short rests between bursts."""

    blocks: int = Field(20, ge=2, le=200, description="complete blocks; each runs the six labels once in random order")
    block_cache_mib: int = asked(
        64, "MiB of block cache", ge=0, le=1 << 20, description="block cache of every label in MiB"
    )
    index_cache_mib: int = asked(
        32, "MiB of index cache", ge=0, le=1 << 20, description="index cache of every label in MiB"
    )
    rest_s: float = Field(
        5, ge=0, le=3_600, description="rest of the machine before the first label of a block; the later ones have none"
    )


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """One per label. The settings are equal in everything, and the name of a label never reaches the probe."""
    sizes = parameters.block_cache_mib, parameters.index_cache_mib
    return tuple(arm(name, f"label {name[-1].upper()}", *sizes) for name in LABELS)
