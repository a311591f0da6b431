"""Why the cause that the claims name did not act in a run, and how far the run departs from the claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchbook.experiments.families.pgbench.parameters import NOTE_CLIENTS
from benchbook.experiments.families.pgbench.summary import Summary

Words = Callable[[Any], str]


def nothing_evicted(metric: str, *arms: str) -> Words:
    """Why pools of these sizes did the same work: none evicted a page; "" where one did. metric: of evictions."""

    def why(summary: Summary[Any]) -> str:
        values = [summary.values(arm, metric) for arm in arms]
        if any(each.any() for each in values):
            return ""
        used = max(float(summary.values(arm, "data_in_pool_end").max()) for arm in arms)
        trials = sum(len(each) for each in values)
        return (
            f"no pool evicted a page in any of {trials} trials, since a trial touched at most {100 * used:.0f} % of "
            "the data, so all did the same work"
        )

    return why


def shorter(seconds: Callable[[Any], float], named: float) -> Words:
    """Trials that are shorter, or have fewer clients, than the claims name; "" where neither is so."""

    def what(summary: Summary[Any]) -> str:
        found, clients = [], summary.parameters.clients
        if seconds(summary) < named:
            found.append(f"trials of {seconds(summary):g} s where the claim names {named:g} s")
        if clients != NOTE_CLIENTS:
            found.append(f"{clients} clients where the note has {NOTE_CLIENTS}")
        return " and ".join(found)

    return what
