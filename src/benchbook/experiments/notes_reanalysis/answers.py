"""The claims of the chapter, note by note: each recomputed from data/notes, or what would decide it.

Here are notes 000 and 001, whose MB, GB and TB are powers of 1,000.
"""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis import learned_index, pgbench
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC
from benchbook.experiments.shape.analysis import Term, Working, cell, formula, quotient, read, recomputed
from benchbook.experiments.shape.answers import Answer

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


FEATURE_SERVING = (
    Answer("L007", read("warm_up_keys")),
    Answer("L008", recomputed(_not_warmed)),
    Answer("L018", read("sampled_keys")),
    Answer("L019", read("warm_up_iterations")),
    Answer("L020", quotient(_stated(name="warmup_iterations"), _stated(name="sampled_keys")), ARITHMETIC),
    Answer("L021", read("warm_up_cycles")),
    Answer("L025", read("all_column_statements")),
    Answer("L032", read("columns_parameters")),
    Answer("L042", recomputed(_upper_share), ARITHMETIC),
    Answer("L071", recomputed(_doubling), ARITHMETIC),
    Answer("L072", formula(
        "({other} - {bound}) / {other}, with a bound that was not measured",
        lambda other, bound: (other - bound) / other,
        other=_stated(name="dynamodb_p99"), bound=_stated(name="p99_to_present"),
    ), ARITHMETIC),
    Answer("L078", read("reused_key_assignments")),
    Answer("L079", read("warm_up_loops")),
)  # fmt: skip


_metric = partial(cell, "badger_metrics", "value")


def _cache(config: str, which: str) -> Term:
    return cell("badger_configs", f"{which}_cache_mb", config=config)


def _memory(component: str) -> Term:
    return lambda: 1000 * notes.number("badger_memory_budget", "value_gb", component=component)


BADGER = (
    Answer("B053", formula(
        "{total} TB / {keys} keys", lambda total, keys: total * 1e9 / keys,
        total=_metric(metric="total_cost_added"), keys=_metric(metric="keys_added"),
    ), ARITHMETIC,
        said="its cache sizes assume blocks of 10–20 KB",
        seen="by its own two counters, a block is charged {} KB",
    ),
    Answer("B001", formula(
        "{hit} / ({hit} + {miss})", lambda hit, miss: hit / (hit + miss),
        hit=_metric(metric="hit"), miss=_metric(metric="miss"),
    ), ARITHMETIC),
    Answer("B043", formula(
        "100 x {evicted} / {added}", lambda evicted, added: 100 * evicted / added,
        evicted=_metric(metric="keys_evicted"), added=_metric(metric="keys_added"),
    ), ARITHMETIC),
    Answer("B044", formula(
        "{blocks} blocks of {size} KB (the upper ends give {most} GB, as printed)",
        lambda blocks, size, most: blocks * size / 1e6,
        blocks=_metric(metric="blocks_to_hold_lo"), size=_metric(metric="block_size_lo"),
        most=lambda: _metric(metric="blocks_to_hold_hi")() * _metric(metric="block_size_hi")() / 1e6,
    ), ARITHMETIC),
    Answer("B046", formula(
        "({block} + {index} + {badger} + {go}) / 1,000",
        lambda block, index, badger, go: (block + index + badger + go) / 1000,
        block=_cache("tuned Dockerfile", "block"), index=_cache("tuned Dockerfile", "index"),
        badger=_memory("badger internal"), go=_memory("go runtime"),
    ), ARITHMETIC),
    Answer("B047", formula(
        "({block} + {index}) / 1,024, the caches alone", lambda block, index: (block + index) / 1024,
        block=_cache("Medium", "block"), index=_cache("Medium", "index"),
    ), ARITHMETIC),
    Answer("B048", formula(
        "{block} + {index}, the caches alone", lambda block, index: block + index,
        block=_cache("Minimal", "block"), index=_cache("Minimal", "index"),
    ), ARITHMETIC),
)  # fmt: skip

ANSWERS = (*FEATURE_SERVING, *BADGER, *pgbench.LARGE, *pgbench.SMALL, *learned_index.ANSWERS)
"""One per claim that the notes or their repositories decide."""

OPEN = {
    "C001": "we did not consult the vendor's specification of the instance type",
    "C084": "the image's own settings are not recorded; the report of run 1 shows 10 and 5 before its own commands, "
    "which shows what was in force but not who had set it",
    "O083": "the file right before the change was not available; `git diff --numstat cdfd1ff 8e8670d -- "
    "src/rocks_storage.rs` in that repository decides it",
}
"""Claims that stay open, and what would close them."""
