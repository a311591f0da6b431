"""What can be set, and the configurations: six labels behind which is one and the same program, and pauses."""

from __future__ import annotations

from pydantic import Field

from benchbook.measuring.badger.parameters import Bursts, Stored
from benchbook.measuring.badger.request import arm
from benchbook.model import Configuration
from benchbook.parameters.base import asked

LABELS = tuple(f"label_{letter}" for letter in "abcdef")
PAUSED, AT_ONCE = LABELS[:3], LABELS[3:]
"""Labels before which a pause passes, and those that follow at once."""
FIRST_LABEL, SECOND_LABEL = LABELS[:2]
"""The pair whose ratio is this run's A/A gate: two labels with the same pause before them."""


class Parameters(Stored, Bursts):
    """Defaults are the standard profile: the note's events and cache sizes, and short rests between bursts."""

    blocks: int = Field(12, ge=2, le=200, description="complete blocks; each runs the six labels once in random order")
    block_cache_mib: int = asked(
        64, "MiB of block cache", ge=0, le=1 << 20, description="block cache of every label in MiB"
    )
    index_cache_mib: int = asked(
        32, "MiB of index cache", ge=0, le=1 << 20, description="index cache of every label in MiB"
    )
    rest_s: float = Field(5, ge=0, le=3_600, description="rest of the machine before the first label of a block")
    pause_s: float = Field(
        10, ge=0, le=3_600,
        description="pause before labels A to C where they come later in a block (the note: 5); D to F have none",
    )  # fmt: skip


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """One per label. They differ in the pause before them alone, and the name of a label never reaches the probe."""
    sizes = parameters.block_cache_mib, parameters.index_cache_mib
    return tuple(
        arm(name, f"label {name[-1].upper()}", *sizes, pause_s=parameters.pause_s if name in PAUSED else 0)
        for name in LABELS
    )
