"""Notes 000, 001 and 004 recomputed: feature serving, Badger's caches and OmenDB; and what was read in repositories.

Of notes 000 and 001 MB, GB and TB are powers of 1,000.
"""

from __future__ import annotations

from benchbook import notes
from benchbook.numbers.analysis import Term, Working, cell, cells, formula, quotient, read, recomputed
from benchbook.numbers.estimands import Estimand

TESTED_ROWS = 10_000_000
_lakebase = cells("lakebase_constants", "value", "name")
_badger = cells("badger_metrics", "value", "metric")
_omendb = cells("omendb_statements", "value", "name")
_part = cells("omendb_breakdown", "before_ns", "component")


def _not_warmed() -> Working:
    warmed, first, measured = (
        int(_lakebase(name)()) for name in ("warmup_keys", "benchmark_first_key", "benchmark_keys")
    )
    outside = len(set(range(first, first + measured)) - set(range(warmed)))
    return Working(outside, f"Of positions {first:,} to {first + measured - 1:,}, not among 0 to {warmed - 1:,}")


def _upper_share() -> Working:
    ends = (_lakebase(f"recommended_shared_buffers_{end}")() for end in ("lo", "hi"))
    ram, low, high = _lakebase("cluster_ram")(), *ends
    return Working(ram * high / 100, f"{high:g} % of {ram:g} GB (the lower end: {low:g} % are {ram * low / 100:g} GB)")


def _doubling() -> Working:
    low, high = (_lakebase(f"assumed_shared_buffers_{end}")() for end in ("lo", "hi"))
    new, middle = _lakebase("recommended_shared_buffers")(), (low + high) / 2
    ends = f"{new / low:g} and {new / high:g}"
    words = "that the note assumes, is near to double; at the ends it is"
    return Working(new / middle, f"{new:g} / {middle:g}, the middle of the {low:g} to {high:g} GB {words} {ends}")


FEATURE_SERVING: dict[str, Estimand] = {
    "not_warmed": recomputed(_not_warmed),
    "cycles": quotient(_lakebase("warmup_iterations"), _lakebase("sampled_keys")),
    "upper_share": recomputed(_upper_share),
    "doubling": recomputed(_doubling),
    "latency_saved": formula(
        "({other} - {bound}) / {other}, with a bound that was not measured",
        lambda other, bound: (other - bound) / other,
        other=_lakebase("dynamodb_p99"), bound=_lakebase("p99_to_present"),
    ),
}  # fmt: skip


def _cache(config: str, which: str) -> Term:
    return cell("badger_configs", f"{which}_cache_mb", config=config)


def _memory(component: str) -> Term:
    return cell("badger_memory_budget", "value_gb", component=component) * 1000


BADGER: dict[str, Estimand] = {
    "charged_kb": formula(
        "{total} TB / {keys} keys", lambda total, keys: total * 1e9 / keys,
        total=_badger("total_cost_added"), keys=_badger("keys_added"),
    ),
    "hits": formula(
        "{hit} / ({hit} + {miss})", lambda hit, miss: hit / (hit + miss), hit=_badger("hit"), miss=_badger("miss")
    ),
    "evicted": formula(
        "100 x {evicted} / {added}", lambda evicted, added: 100 * evicted / added,
        evicted=_badger("keys_evicted"), added=_badger("keys_added"),
    ),
    "cache_needed": formula(
        "{blocks} blocks of {size} KB (the upper ends give {most} GB, as printed)",
        lambda blocks, size, most: blocks * size / 1e6,
        blocks=_badger("blocks_to_hold_lo"), size=_badger("block_size_lo"),
        most=lambda: _badger("blocks_to_hold_hi")() * _badger("block_size_hi")() / 1e6,
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


def _latency_us(system: str, state: str) -> Term:
    return cell("omendb_latency", "latency_us", system=system, state=state)


def _speedup(column: str, rows: int = TESTED_ROWS) -> Term:
    return cell("omendb_speedup", column, scale_rows=rows)


def _parts() -> list[str]:
    return [part for part in notes.table("omendb_breakdown")["component"] if part != "Total"]


def _total() -> Working:
    parts = [_part(part)() for part in _parts()]
    return Working(sum(parts), " + ".join(f"{part:,.0f}" for part in parts))


def _printed_rows() -> list[int]:
    found = notes.table("omendb_speedup")
    return [int(rows) for rows in found[found[["before", "after"]].notna().any(axis=1)]["scale_rows"]]


def _largest() -> Working:
    rows = _printed_rows()
    return Working(max(rows), f"Speed-ups are printed for {', '.join(f'{each:,}' for each in rows)} rows")


def _beyond() -> Working:
    beyond = [rows for rows in _printed_rows() if rows > TESTED_ROWS]
    return Working(len(beyond), f"Speed-ups printed for more than {TESTED_ROWS:,} rows")


def _weeks() -> Working:
    found = notes.table("omendb_options").set_index("id").loc[["C", "A"]]
    low, high = float(found["effort_lo_weeks"].sum()), float(found["effort_hi_weeks"].sum())
    # The claim's region has one number; the end that lies further from the printed one decides.
    lower = abs(low - _omendb("weeks_to_target_lo")()) >= abs(high - _omendb("weeks_to_target_hi")())
    return Working(low if lower else high, f"Options C and A together take {low:g} to {high:g} weeks")


def _hybrid() -> Working:
    table, low, high = _speedup("after")(), _omendb("hybrid_gain_lo")(), _omendb("hybrid_gain_hi")()
    now = round(table, 1)
    least, most = (now * (1 + gain / 100) for gain in (low, high))
    rounded = f"{now:g} being its {table:g} to the forecast's two digits"
    return Working(least, f"{now:g} x {1 + low / 100:g} (and {most:.2f} with {high:g} %), {rounded}")


def _inserts() -> Working:
    found = notes.table("omendb_latency")
    after = found[(found["operation"] == "insert") & (found["state"] == "after")]
    return Working(len(after), "Insert times printed for the state after the change")


LEARNED_INDEX: dict[str, Estimand] = {
    "least_speedup": formula(
        "The note's own range is {low} to {high}, the claim {least} to {most}", lambda low, **others: low,
        low=_omendb("validated_speedup_lo"), high=_omendb("validated_speedup_hi"),
        least=_omendb("claimed_speedup_lo"), most=_omendb("claimed_speedup_hi"),
    ),
    "speedup_at_10k": formula(
        "The table has this number where the summary has {summary}", lambda table, summary: table,
        table=_speedup("before", 10_000), summary=_omendb("speedup_at_10k_in_summary"),
    ),
    "latency_reduction": formula(
        "100 x ({before} - {after}) / {before}", lambda before, after: 100 * (before - after) / before,
        before=_latency_us("OmenDB", "before"), after=_latency_us("OmenDB", "after"),
    ),
    "speedup_gained": formula(
        "{after} - {before}", lambda after, before: after - before,
        after=_speedup("after"), before=_speedup("before"),
    ),
    "speedup_ratio": quotient(_speedup("after"), _speedup("before")),
    "index_share": quotient(_part("ALEX index lookup"), _part("Total")),
    "rocksdb_share": quotient(_part("RocksDB get"), _part("Total")),
    "parts": recomputed(lambda: Working(len(_parts()), ", ".join(_parts()))),
    "largest_size": recomputed(_largest),
    "beyond_tested": recomputed(_beyond),
    "weeks": recomputed(_weeks),
    "speedup_after": quotient(_latency_us("SQLite", "after"), _latency_us("OmenDB", "after")),
    "total_ns": recomputed(_total),
    "hybrid": recomputed(_hybrid),
    "inserts_after": recomputed(_inserts),
    "speedup_before": quotient(_latency_us("SQLite", "before"), _latency_us("OmenDB", "before")),
    "alex_in_production": quotient(_latency_us("ALEX", "in production"), _latency_us("ALEX", "isolated")),
}  # fmt: skip
READ = {
    name: read(name)
    for name in (
        "warm_up_keys", "sampled_keys", "warm_up_iterations", "warm_up_cycles", "all_column_statements",
        "columns_parameters", "reused_key_assignments", "warm_up_loops", "runs_with_os_tuning_off",
        "tools_with_random_keys", "lru_entries",
    )
}  # fmt: skip
"""Facts that were read in the notes' repositories."""
