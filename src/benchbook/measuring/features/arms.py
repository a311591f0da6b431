"""Configurations of feature serving: which keys are warmed and which are measured, in a name, a label and settings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchbook.errors import BenchbookError, suggestion
from benchbook.model import Configuration, Plan, Scalar

DRAWS = {
    "same": "",
    "disjoint": "",
    "mix": "share",
    "zipf": "exponent",
    "all_warmed": "",
    "ten_percent": "",
    "empty": "",
}
"""The ways of drawing keys that ``keys.requests`` explains, and the setting that each cannot do without."""


def arm(name: str, label: str, draw: str, **others: Scalar) -> Configuration:
    """A configuration that draws its keys in one of the ways that ``keys.requests`` knows.

    others: what the draw asks for (share, exponent); warm=False, probe=False, only_first, chance, requests, hot_keys
    as ``keys.requests`` has them; alike=True for the tables that lie alike; client="serial"; read_ms and trip_ms, which
    are added to each read and to the round trip; the chapter's own.
    Raises BenchbookError for a draw that there is not, and for one without what it asks for.
    """
    if draw not in DRAWS:
        raise no_such_draw(name, draw)
    if DRAWS[draw] and DRAWS[draw] not in others:
        raise BenchbookError(
            f"configuration {name} draws its keys as {draw!r} and gives no {DRAWS[draw]}",
            f"give it one, such as {DRAWS[draw]}=0.8",
        )
    return Configuration(name, label, {"draw": draw, **others})


def no_such_draw(name: str, draw: str) -> BenchbookError:
    """What to raise where a configuration has a draw that nobody knows."""
    return BenchbookError(
        f"configuration {name} has the draw {draw!r}, which does not exist{suggestion(draw, DRAWS)}",
        f"choose one of: {', '.join(DRAWS)}",
    )


def hot_share(percent: float) -> str:
    """Configuration name of a share of requests on warmed keys, such as hot_share_80."""
    return f"hot_share_{percent:g}"


def neighbours(configurations: Sequence[Configuration], group: Callable[[str], str], blocks: int, seed: int) -> Plan:
    """A plan in which the configurations of one group follow each other in every block, each measured alone.

    group: from a configuration's name; "" where it has no neighbours.
    """
    from benchbook.parameters.planning import blocked  # late: it takes numpy, and this module serves those that list

    own = {each.name: each for each in configurations}
    found = blocked([replace(each, group=group(each.name)) for each in configurations], blocks, seed)
    trials = (replace(trial, configuration=own[trial.configuration.name]) for trial in found.trials)
    return Plan(tuple(configurations), tuple(trials))
