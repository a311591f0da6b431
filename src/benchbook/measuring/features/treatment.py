"""Why the cause that a claim names did not act in a run, and from what cost of a block on storage is like a network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.measuring.features.summary import Summary

Words = Callable[[Any], str]
READS = "pool_misses_per_request"
LEAST_READS = 1.0
"""By so many blocks per request the arms of a comparison of caches must differ, in every block."""
NETWORK_MS = 0.25
"""What a block that is not cached costs at least where storage is reached over a network."""


def same_reads(more: str, less: str, *, share: float = 1.0) -> Words:
    """Why two configurations did the same work: one read hardly more blocks; "" where it read more in every block.

    share: of the requests that are for other keys, by which the further reads are divided.
    """

    def why(summary: Summary) -> str:
        further = float((summary.values(more, READS) - summary.values(less, READS)).min()) / share
        if further >= LEAST_READS:
            return ""
        requests = "request" if share == 1 else "request for another key"
        return (
            f"in one block “{summary.label(more)}” read {further:.2g} blocks per {requests} more than "
            f"“{summary.label(less)}”, where {LEAST_READS:g} is the least that counts, so both did the same work"
        )

    return why


def nothing_loaded(more: str, less: str) -> Words:
    """Why a warm-up did nothing: it brought less than a block per table into the pool; "" where it brought more."""

    def why(summary: Summary) -> str:
        held = "blocks_in_pool_at_start"
        brought = float((summary.values(more, held) - summary.values(less, held)).min())
        if brought >= summary.parameters.n_tables:
            return ""
        tables = summary.parameters.n_tables
        return f"in one block the warm-up brought {brought:.0f} blocks of {tables} tables into the pool"

    return why
