"""Note 004 recomputed: latencies, speed-ups and shares of OmenDB, and what its tools do."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.shape.analysis import Term, Working, cell, formula, quotient, read, recomputed
from benchbook.experiments.shape.estimands import Estimand

TESTED_ROWS = 10_000_000

_stated = partial(cell, "omendb_statements", "value")


def _latency_us(system: str, state: str) -> Term:
    return cell("omendb_latency", "latency_us", system=system, state=state)


def _part_ns(component: str) -> Term:
    return cell("omendb_breakdown", "before_ns", component=component)


def _speedup(column: str, rows: int = TESTED_ROWS) -> Term:
    return cell("omendb_speedup", column, scale_rows=rows)


def _parts() -> list[str]:
    return [part for part in notes.table("omendb_breakdown")["component"] if part != "Total"]


def _total() -> Working:
    parts = [_part_ns(part)() for part in _parts()]
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
    printed = _stated(name="weeks_to_target_lo")(), _stated(name="weeks_to_target_hi")()
    # The claim's region has one number; the end that lies further from the printed one decides.
    value = low if abs(low - printed[0]) >= abs(high - printed[1]) else high
    return Working(value, f"Options C and A together take {low:g} to {high:g} weeks")


def _hybrid() -> Working:
    now, low, high = _speedup("after")(), _stated(name="hybrid_gain_lo")(), _stated(name="hybrid_gain_hi")()
    most = now * (1 + high / 100)
    return Working(now * (1 + low / 100), f"{now:g} x {1 + low / 100:g} (and {most:.2f} with {high:g} %)")


def _inserts() -> Working:
    found = notes.table("omendb_latency")
    after = found[(found["operation"] == "insert") & (found["state"] == "after")]
    return Working(len(after), "Insert times printed for the state after the change")


NUMBERS: dict[str, Estimand] = {
    "least_speedup": formula(
        "The note's own range is {low} to {high}, the claim {least} to {most}", lambda low, **others: low,
        low=_stated(name="validated_speedup_lo"), high=_stated(name="validated_speedup_hi"),
        least=_stated(name="claimed_speedup_lo"), most=_stated(name="claimed_speedup_hi"),
    ),
    "speedup_at_10k": formula(
        "The table has this number where the summary has {summary}", lambda table, summary: table,
        table=_speedup("before", 10_000), summary=_stated(name="speedup_at_10k_in_summary"),
    ),
    "tools_with_random_keys": read("tools_with_random_keys"),
    "latency_reduction": formula(
        "100 x ({before} - {after}) / {before}", lambda before, after: 100 * (before - after) / before,
        before=_latency_us("OmenDB", "before"), after=_latency_us("OmenDB", "after"),
    ),
    "speedup_gained": formula(
        "{after} - {before}", lambda after, before: after - before,
        after=_speedup("after"), before=_speedup("before"),
    ),
    "speedup_ratio": quotient(_speedup("after"), _speedup("before")),
    "index_share": quotient(_part_ns("ALEX index lookup"), _part_ns("Total")),
    "rocksdb_share": quotient(_part_ns("RocksDB get"), _part_ns("Total")),
    "lru_entries": read("lru_entries"),
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
