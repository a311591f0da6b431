"""Which keys a trial asks for: those that are warmed, and those that are measured."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from benchbook.experiments.families.features.arms import no_such_draw
from benchbook.experiments.families.features.parameters import Features
from benchbook.model import Configuration
from benchbook.workloads import KeySets, hot_share, scattered, zipf

EMPTY = "empty"
"""The draw of a configuration that reads no table: what client and protocol cost."""


@dataclass(frozen=True)
class Requests:
    """The ids that one trial asks for, in order; ids index the rows of a table, from 0.

    warm: before the window. measured: in it. only_first: the ids exist in the first table only.
    """

    warm: np.ndarray
    measured: np.ndarray
    only_first: bool


def requests(parameters: Features, configuration: Configuration, seed: int) -> Requests:
    """Which keys a trial asks for. Trials of a block share ``seed``, hence the same hot set and the same fresh keys.

    The configuration's ``draw``: "same" (those that were warmed), "disjoint" (others), "mix" (a ``share`` of warmed
    ones), "zipf" (with an ``exponent``, warm-up included), "all_warmed", "ten_percent" (warmed of the measured), or
    "empty". Without ``warm`` nothing is warmed; with ``only_first`` the keys exist in the first table only.
    """
    settings = configuration.settings
    only_first = bool(settings.get("only_first")) or parameters.key_existence == "first_table"
    first = parameters.rows_per_table if only_first else 0
    rows = parameters.first_table_extra_rows if only_first else parameters.rows_per_table
    keys = KeySets.shuffled(first, rows, np.random.default_rng([seed, int(only_first)]))
    own = np.random.default_rng([seed, int.from_bytes(hashlib.sha256(str(settings).encode()).digest()[:4])])
    n, n_warm = parameters.measured_requests, parameters.warmup_requests
    hot = keys.cut(0, parameters.hot_set_keys)
    fresh = keys.cut(parameters.hot_set_keys, n)
    warm = _cycled(hot, n_warm, own)
    match settings["draw"]:
        case "same":
            measured = _cycled(hot, n, own)
        case "disjoint":
            measured = fresh
        case "mix":
            measured = hot_share(hot, fresh, float(settings["share"] or 0), n, own)
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
