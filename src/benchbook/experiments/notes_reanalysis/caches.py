"""Notes 000 and 001 recomputed: feature serving and Badger's caches. Their MB, GB and TB are powers of 1,000."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.shape.analysis import Term, Working, cell, formula, quotient, read, recomputed
from benchbook.experiments.shape.estimands import Estimand

_stated = partial(cell, "lakebase_constants", "value")


def _not_warmed() -> Working:
    names = ("warmup_keys", "benchmark_first_key", "benchmark_keys")
    warmed, first, measured = (int(_stated(name=name)()) for name in names)
    outside = len(set(range(first, first + measured)) - set(range(warmed)))
    return Working(outside, f"Of positions {first:,} to {first + measured - 1:,}, not among 0 to {warmed - 1:,}")


def _upper_share() -> Working:
    names = ("cluster_ram", "recommended_shared_buffers_lo", "recommended_shared_buffers_hi")
    ram, low, high = (_stated(name=name)() for name in names)
    return Working(ram * high / 100, f"{high:g} % of {ram:g} GB (the lower end: {low:g} % are {ram * low / 100:g} GB)")


def _doubling() -> Working:
    names = ("assumed_shared_buffers_lo", "assumed_shared_buffers_hi", "recommended_shared_buffers")
    low, high, new = (_stated(name=name)() for name in names)
    middle = (low + high) / 2
    ends = f"{new / low:g} and {new / high:g}"
    return Working(new / middle, f"{new:g} / {middle:g}, the middle of {low:g} to {high:g}; at the ends {ends}")


FEATURE_SERVING: dict[str, Estimand] = {
    "warm_up_keys": read("warm_up_keys"),
    "not_warmed": recomputed(_not_warmed),
    "sampled_keys": read("sampled_keys"),
    "warm_up_iterations": read("warm_up_iterations"),
    "cycles": quotient(_stated(name="warmup_iterations"), _stated(name="sampled_keys")),
    "warm_up_cycles": read("warm_up_cycles"),
    "all_column_statements": read("all_column_statements"),
    "columns_parameters": read("columns_parameters"),
    "upper_share": recomputed(_upper_share),
    "doubling": recomputed(_doubling),
    "latency_saved": formula(
        "({other} - {bound}) / {other}, with a bound that was not measured",
        lambda other, bound: (other - bound) / other,
        other=_stated(name="dynamodb_p99"), bound=_stated(name="p99_to_present"),
    ),
    "reused_key_assignments": read("reused_key_assignments"),
    "warm_up_loops": read("warm_up_loops"),
}  # fmt: skip


_metric = partial(cell, "badger_metrics", "value")


def _cache(config: str, which: str) -> Term:
    return cell("badger_configs", f"{which}_cache_mb", config=config)


def _memory(component: str) -> Term:
    return lambda: 1000 * notes.number("badger_memory_budget", "value_gb", component=component)


BADGER: dict[str, Estimand] = {
    "charged_kb": formula(
        "{total} TB / {keys} keys", lambda total, keys: total * 1e9 / keys,
        total=_metric(metric="total_cost_added"), keys=_metric(metric="keys_added"),
    ),
    "hits": formula(
        "{hit} / ({hit} + {miss})", lambda hit, miss: hit / (hit + miss),
        hit=_metric(metric="hit"), miss=_metric(metric="miss"),
    ),
    "evicted": formula(
        "100 x {evicted} / {added}", lambda evicted, added: 100 * evicted / added,
        evicted=_metric(metric="keys_evicted"), added=_metric(metric="keys_added"),
    ),
    "cache_needed": formula(
        "{blocks} blocks of {size} KB (the upper ends give {most} GB, as printed)",
        lambda blocks, size, most: blocks * size / 1e6,
        blocks=_metric(metric="blocks_to_hold_lo"), size=_metric(metric="block_size_lo"),
        most=lambda: _metric(metric="blocks_to_hold_hi")() * _metric(metric="block_size_hi")() / 1e6,
    ),
    "memory_tuned": formula(
        "({block} + {index} + {badger} + {go}) / 1,000",
        lambda block, index, badger, go: (block + index + badger + go) / 1000,
        block=_cache("tuned Dockerfile", "block"), index=_cache("tuned Dockerfile", "index"),
        badger=_memory("badger internal"), go=_memory("go runtime"),
    ),
    "caches_medium": formula(
        "({block} + {index}) / 1,024, the caches alone", lambda block, index: (block + index) / 1024,
        block=_cache("Medium", "block"), index=_cache("Medium", "index"),
    ),
    "caches_minimal": formula(
        "{block} + {index}, the caches alone", lambda block, index: block + index,
        block=_cache("Minimal", "block"), index=_cache("Minimal", "index"),
    ),
}  # fmt: skip
