"""What the note's counters say: which cache they come from, how many blocks it needed, what one snapshot is worth."""

from __future__ import annotations

import math

from benchbook.experiments.cache_sizing.arms import PLAIN, STATED
from benchbook.experiments.cache_sizing.cache_figures import moves, noted_blocks, to_hold
from benchbook.experiments.cache_sizing.summary import Summary
from benchbook.experiments.families.badger import notes
from benchbook.figures import Prose


def residents(summary: Summary) -> Prose:
    """What the note's counters say about the cache size that it really measured."""
    note, left = notes.cost_per_key_bytes(), notes.keys_left()
    text = (
        f"The note's counters leave {left:.0f} keys in the cache; at its mean charge they come to "
        f"{left * note / 2**20:,.0f} MiB. That is a hint, not a proof, since the keys that stay may be cheaper than "
        "the mean. The charge itself is a better hint: Badger's cache admits no key that is charged more than the "
        "whole cache, so a small cache admits only the blocks near the end of a table, and its charge per key is small."
    )
    arms = _charged(summary)
    if not arms:
        return Prose(text)
    text = f"{text} The note has {note / 1e6:.1f} MB per key and {100 * notes.hit_ratio():.0f} % hits"
    largest = summary.mean(STATED, "largest_table_bytes")
    if 2 * largest < note:
        return Prose(f"{text}, which tables of {largest / 1e6:.1f} MB, as in this run, cannot be charged.")
    near = min(arms, key=lambda arm: abs(math.log(summary.cost(arm).point / note)))
    return Prose(f"{text}; of the note's settings measured here, {summary.label(near)} comes closest to its charge.")


def charges(summary: Summary) -> Prose:
    """What a key is charged and how many look-ups hit, in each of them."""
    seen = "; ".join(
        f"{summary.label(arm)}: {summary.cost(arm).point / 1e6:.1f} MB per key, "
        f"{100 * summary.hit_ratio(arm).point:.0f} % hits"
        for arm in _charged(summary)
    )
    return Prose(f"Measured here: {seen or 'nothing'}.")


def _charged(summary: Summary) -> list[str]:
    """The uncompressed settings whose charge was counted."""
    return [arm for arm in summary.having(summary.suite_arms, "cost_per_key_bytes", "hit_ratio") if arm in PLAIN]


def needed(summary: Summary) -> Prose:
    """How many blocks a cache must hold, here and by the note."""
    low, high = noted_blocks()
    return Prose(f"{to_hold(summary)}; the note estimates {low:,.0f} to {high:,.0f}.")


def snapshot(summary: Summary) -> Prose:
    """How far one printed ratio is from that of each test."""
    return Prose(f"{moves(summary)}.")
