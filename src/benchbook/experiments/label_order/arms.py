"""The configurations: six labels behind which is one and the same store."""

from __future__ import annotations

from benchbook.engines.badger import Build
from benchbook.experiments.cache_sizing.arms import BURST
from benchbook.experiments.label_order.parameters import LABELS, Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan, Scalar

LETTERS = "ABCDEF"[:LABELS]
FIRST_LABEL, SECOND_LABEL = "label_a", "label_b"
"""The pair whose ratio is this run's A/A gate; chosen before any data, as any two labels would do."""


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """One per label. The settings are equal in everything, and the name of a label never reaches the probe."""
    settings: dict[str, Scalar] = {
        "build": str(Build.NOTE),
        "block_mib": parameters.block_cache_mib,
        "index_mib": parameters.index_cache_mib,
        "compression": "none",
        "scope": BURST,
    }
    return tuple(Configuration(f"label_{letter.lower()}", f"label {letter}", dict(settings)) for letter in LETTERS)


def plan(parameters: Parameters) -> Plan:
    """All labels once per block, in an order drawn from the seed: a label's place in its block is random."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
