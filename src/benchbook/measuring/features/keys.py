"""Which keys a trial warms and which it measures: as a configuration says it, and by their numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchbook import workloads
from benchbook.errors import BenchbookError, suggestion
from benchbook.measuring.features.parameters import Features
from benchbook.model import Configuration, Plan, Scalar
from benchbook.parameters.planning import blocked
from benchbook.workloads import KeySets, scattered, zipf

DRAWS = {
    "same": "",
    "disjoint": "",
    "mix": "share",
    "zipf": "exponent",
    "all_warmed": "",
    "ten_percent": "",
    "empty": "",
}
"""The ways of drawing keys that ``requests`` explains, and the setting that each cannot do without."""
EMPTY = "empty"
"""The draw of a configuration that reads no table: what client and protocol cost."""
CANDIDATES_PER_REQUEST = 12
"""Of so many keys for each that is measured those are taken that lie apart from the warmed ones."""
Apart = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Warmed keys and others to these others, those that share no page with the warmed ones first."""


@dataclass(frozen=True)
class Requests:
    """The ids that one trial asks for, in order; ids index the rows of a table, from 0.

    warm: before the window. measured: in it. only_first: the ids exist in the first table only.
    """

    warm: np.ndarray
    measured: np.ndarray
    only_first: bool


def by_chance(warm: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The others as they come, whatever pages they lie on."""
    return others


def requests(parameters: Features, configuration: Configuration, seed: int, apart: Apart = by_chance) -> Requests:
    """Which keys a trial asks for. Trials of a block share ``seed``, hence the same hot set and the same fresh keys.

    The configuration's ``draw``: "same" (those that were warmed), "disjoint" (others), "mix" (a ``share`` of warmed
    ones), "zipf" (with an ``exponent``, warm-up included), "all_warmed", "ten_percent" (warmed of the measured), or
    "empty". Without ``warm`` nothing is warmed; with ``only_first`` the keys exist in the first table only; with
    ``chance``, and then too, others than the warmed keys are taken as they come, else as ``apart`` orders them. With
    ``requests`` so many are measured at most, with ``hot_keys`` so many are warmed, once each.
    """
    settings = configuration.settings
    only_first = bool(settings.get("only_first")) or parameters.key_existence == "first_table"
    first = parameters.rows_per_table if only_first else 0
    rows = parameters.first_table_extra_rows if only_first else parameters.rows_per_table
    keys = KeySets.shuffled(first, rows, np.random.default_rng([seed, int(only_first)]))
    own = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(str(settings).encode()).digest()[:4])])
    every = parameters.measured_requests
    n = min(every, int(settings.get("requests") or every))
    hot = keys.cut(0, parameters.hot_set_keys)
    others = keys.order[len(hot) : len(hot) + CANDIDATES_PER_REQUEST * every]
    as_they_come = only_first or settings.get("chance") or settings["draw"] in ("same", "zipf", EMPTY)
    fresh = (by_chance if as_they_come else apart)(hot, others)[:n]
    if settings.get("hot_keys"):
        hot = hot[: int(settings["hot_keys"] or 0)]
    n_warm = len(hot) if settings.get("hot_keys") else parameters.warmup_requests
    warm = _cycled(hot, n_warm, own)
    match settings["draw"]:
        case "same":
            measured = _cycled(hot, n, own)
        case "disjoint":
            measured = fresh
        case "mix":
            measured = workloads.hot_share(hot, fresh, float(settings["share"] or 0), n, own)
        case "zipf":
            drawn = scattered(zipf(rows, float(settings["exponent"] or 0), n_warm + n, own), keys.order)
            warm, measured = drawn[:n_warm], drawn[n_warm:]
        case "all_warmed":
            warm, measured = own.permutation(fresh), fresh
        case "ten_percent":
            warm, measured = own.permutation(fresh)[: max(1, n // 10)], fresh
        case "empty":
            measured = fresh
        case draw:
            raise no_such_draw(configuration.name, str(draw))
    if settings.get("warm") is False:
        warm = warm[:0]
    return Requests(warm, measured, only_first)


def _cycled(keys: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """``count`` requests that pass through all keys again and again, in a new random order each time."""
    passes = [generator.permutation(keys) for _ in range(-(-count // len(keys)))]
    return np.concatenate(passes)[:count]


def arm(name: str, label: str, draw: str, **others: Scalar) -> Configuration:
    """A configuration that draws its keys in one of the ways that ``requests`` knows.

    others: what the draw asks for (share, exponent); warm=False, probe=False, only_first, chance, requests, hot_keys
    as ``requests`` has them; alike=True for the tables that lie alike; client="serial"; read_ms and trip_ms, which
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
    own = {each.name: each for each in configurations}
    found = blocked([replace(each, group=group(each.name)) for each in configurations], blocks, seed)
    trials = (replace(trial, configuration=own[trial.configuration.name]) for trial in found.trials)
    return Plan(tuple(configurations), tuple(trials))
