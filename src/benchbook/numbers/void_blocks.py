"""Blocks in which a server that configurations share gave no number for any of them (protocol, item 17a)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchbook import store
from benchbook.model import Configuration, Run

MOST = 0.05
"""The largest share of a run's blocks that may be left out; beyond it the trials failed, and there is no number."""


def blocks(run: Run, configurations: Mapping[str, Configuration]) -> dict[int, str]:
    """Void blocks with the reason; none where there would be too many.

    A block is void where every trial of a group of configurations failed in it. That is so for a server that all of
    them share, and alike for all of them, whatever they set.
    """
    groups: dict[str, set[str]] = {}
    for name, arm in configurations.items():
        if arm.group:
            groups.setdefault(arm.group, set()).add(name)
    shared = {name: members for name, members in groups.items() if len(members) > 1}
    if not shared or "state" not in run.trials:
        return {}
    failed = run.trials[run.trials["state"].fillna("").str.startswith("failed")]
    found: dict[int, str] = {}
    for block in sorted({*failed["block"].tolist()}):
        rows = failed[failed["block"] == block]
        if any(members <= set(rows["configuration"]) for members in shared.values()):
            found[int(block)] = str(rows["state"].iloc[0]).removeprefix("failed: ")
    return found if len(found) <= MOST * run.blocks else {}


def without(run: Run, void: Mapping[int, str]) -> Run:
    """The same run as if these blocks had not been measured, of the same parts."""
    if not void:
        return run
    parts, first = [], 0
    for part in run.pool:
        lost = sum(first <= block < first + part.blocks for block in void)
        first += part.blocks
        if part.blocks > lost:
            parts.append(replace(part, blocks=part.blocks - lost))
    return replace(store.without(run, void), pool=tuple(parts))


def told(void: Mapping[int, str]) -> list[str]:
    """How a run departs for that, as half a sentence; none where no block is void."""
    if not void:
        return []
    return [f"{len(void)} block{'s' if len(void) > 1 else ''} left out, in which a shared server gave no number"]
