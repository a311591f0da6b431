"""Note 001 recomputed: hit ratio, evictions, and the sizes derived from them. MB, GB and TB are powers of 1,000."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC
from benchbook.experiments.recomputed import Estimand, Working


def _metric(name: str) -> float:
    return notes.number("badger_metrics", "value", metric=name)


def _cache(config: str, which: str) -> float:
    return notes.number("badger_configs", f"{which}_cache_mb", config=config)


def _hit_ratio() -> Working:
    hit, miss = _metric("hit"), _metric("miss")
    return Working(hit / (hit + miss), f"{hit:,.0f} / ({hit:,.0f} + {miss:,.0f})")


def _evicted() -> Working:
    evicted, added = _metric("keys_evicted"), _metric("keys_added")
    return Working(100 * evicted / added, f"100 x {evicted:,.0f} / {added:,.0f}")


def _cache_needed() -> Working:
    blocks, size_kb = _metric("blocks_to_hold_lo"), _metric("block_size_lo")
    most = _metric("blocks_to_hold_hi") * _metric("block_size_hi") / 1e6
    return Working(
        blocks * size_kb / 1e6, f"{blocks:,.0f} blocks of {size_kb:g} KB (the upper ends give {most:g} GB, as printed)"
    )


def _budget() -> Working:
    caches = [_cache("tuned Dockerfile", which) for which in ("block", "index")]
    others = [
        1000 * notes.number("badger_memory_budget", "value_gb", component=part)
        for part in ("badger internal", "go runtime")
    ]
    parts = [*caches, *others]
    return Working(sum(parts) / 1000, f"({' + '.join(f'{part:g}' for part in parts)}) / 1,000")


def _caches_alone(config: str, divisor: float) -> Working:
    block, index = (_cache(config, which) for which in ("block", "index"))
    text = f"{block:g} + {index:g}" if divisor == 1 else f"({block:g} + {index:g}) / {divisor:,.0f}"
    return Working((block + index) / divisor, f"{text}, the caches alone")


def _cost_per_key() -> Working:
    total_tb, keys = _metric("total_cost_added"), _metric("keys_added")
    return Working(total_tb * 1e9 / keys, f"{total_tb:g} TB / {keys:,.0f} keys")


ESTIMANDS: dict[str, Estimand] = {
    "B001": Estimand(_hit_ratio, ARITHMETIC),
    "B043": Estimand(_evicted, ARITHMETIC),
    "B044": Estimand(_cache_needed, ARITHMETIC),
    "B046": Estimand(_budget, ARITHMETIC),
    "B047": Estimand(lambda: _caches_alone("Medium", 1024), ARITHMETIC),
    "B048": Estimand(lambda: _caches_alone("Minimal", 1), ARITHMETIC),
    "B053": Estimand(_cost_per_key, ARITHMETIC),
}
