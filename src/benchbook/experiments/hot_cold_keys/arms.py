"""The configurations: which keys are warmed, which are measured, under which pool."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from benchbook.experiments.hot_cold_keys.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan
from benchbook.workloads import KeySets, hot_share, scattered, zipf

BASELINE = "same_keys"
REPEATED = "same_keys_again"
DISJOINT = "disjoint"
EMPTY = "empty_statement"


@dataclass(frozen=True)
class Requests:
    """The ids that one trial asks for, in order; ids index the rows of a table, from 0.

    warm: before the window. measured: in it. only_first: the ids exist in the first table only.
    """

    warm: np.ndarray
    measured: np.ndarray
    only_first: bool


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    hot, requests = f"{parameters.hot_set_keys:,}", f"{parameters.measured_requests:,}"
    arms = [
        Configuration(BASELINE, "same keys (hot)", {"draw": "same"}),
        Configuration(REPEATED, "same keys, again (A/A)", {"draw": "same"}),
        *(
            Configuration(f"hot_share_{share}", f"{share} % hot", {"draw": "mix", "share": share / 100})
            for share in parameters.hot_shares_percent
        ),
        Configuration(DISJOINT, "disjoint keys (the note's mistake)", {"draw": "disjoint"}),
        Configuration("true_cold", "no warm-up at all", {"draw": "disjoint", "warm": False, "probe": False}),
        Configuration("true_cold_probed", "no warm-up but start-up probes", {"draw": "disjoint", "warm": False}),
        *(
            Configuration(zipf_name(exponent), f"Zipf {exponent:g}", {"draw": "zipf", "exponent": exponent})
            for exponent in parameters.zipf_exponents
        ),
        Configuration(
            "all_warmed_large_pool",
            f"all {requests} keys warmed, large pool",
            {"draw": "all_warmed", "large_pool": True},
        ),
        Configuration(
            "ten_percent_warmed_large_pool",
            f"10 % of {requests} keys warmed, large pool",
            {"draw": "ten_percent", "large_pool": True},
        ),
        Configuration(
            "same_keys_first_table", f"same {hot} keys, first table only", {"draw": "same", "only_first": True}
        ),
        Configuration(
            "disjoint_first_table", "disjoint keys, first table only", {"draw": "disjoint", "only_first": True}
        ),
        Configuration(EMPTY, "empty statement (client cost)", {"draw": "empty"}),
    ]
    return tuple(arms)


def zipf_name(exponent: float) -> str:
    """Configuration name of a Zipf exponent, such as zipf_0_99."""
    return f"zipf_{exponent:g}".replace(".", "_")


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)


def requests(parameters: Parameters, configuration: Configuration, seed: int) -> Requests:
    """Which keys a trial asks for. Trials of a block share ``seed``, hence the same hot set and the same fresh keys."""
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
            raise AssertionError(f"no such draw: {draw}")
    if settings.get("warm") is False:
        warm = warm[:0]
    return Requests(warm, measured, only_first)


def _cycled(keys: np.ndarray, count: int, generator: np.random.Generator) -> np.ndarray:
    """``count`` requests that pass through all keys again and again, in a new random order each time."""
    passes = [generator.permutation(keys) for _ in range(-(-count // len(keys)))]
    return np.concatenate(passes)[:count]
