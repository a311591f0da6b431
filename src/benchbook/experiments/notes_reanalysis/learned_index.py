"""Note 004 recomputed: latencies, speed-ups and shares of OmenDB, and what its tools do."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC, SPEEDUP
from benchbook.experiments.recomputed import Estimand, Working, cell, quotient, read

TESTED_ROWS = 10_000_000


def _latency_us(system: str, state: str) -> float:
    return notes.number("omendb_latency", "latency_us", system=system, state=state)


def _part_ns(component: str) -> float:
    return notes.number("omendb_breakdown", "before_ns", component=component)


def _stated(name: str) -> float:
    return notes.number("omendb_statements", "value", name=name)


def _speedup(column: str, rows: int) -> float:
    return notes.number("omendb_speedup", column, scale_rows=rows)


def _reduction() -> Working:
    before, after = (_latency_us("OmenDB", state) for state in ("before", "after"))
    return Working(100 * (before - after) / before, f"100 x ({before:g} - {after:g}) / {before:g}")


def _gain() -> Working:
    before, after = (_speedup(column, TESTED_ROWS) for column in ("before", "after"))
    return Working(after - before, f"{after:g} - {before:g}")


def _components() -> Working:
    parts = [part for part in notes.table("omendb_breakdown")["component"] if part != "Total"]
    return Working(len(parts), ", ".join(parts))


def _printed_rows() -> list[int]:
    found = notes.table("omendb_speedup")
    return [int(rows) for rows in found[found[["before", "after"]].notna().any(axis=1)]["scale_rows"]]


def _largest() -> Working:
    rows = _printed_rows()
    return Working(max(rows), f"Speed-ups are printed for {', '.join(f'{each:,}' for each in rows)} rows")


def _beyond() -> Working:
    beyond = [rows for rows in _printed_rows() if rows > TESTED_ROWS]
    return Working(len(beyond), f"Speed-ups printed for more than {TESTED_ROWS:,} rows")


def _smallest() -> Working:
    low, high = _stated("validated_speedup_lo"), _stated("validated_speedup_hi")
    claimed = _stated("claimed_speedup_lo"), _stated("claimed_speedup_hi")
    return Working(low, f"The note's own range is {low:g} to {high:g}, the claim {claimed[0]:g} to {claimed[1]:g}")


def _weeks() -> Working:
    found = notes.table("omendb_options").set_index("id").loc[["C", "A"]]
    low, high = float(found["effort_lo_weeks"].sum()), float(found["effort_hi_weeks"].sum())
    printed = _stated("weeks_to_target_lo"), _stated("weeks_to_target_hi")
    # The claim's region has one number; the end that lies further from the printed one decides.
    value = low if abs(low - printed[0]) >= abs(high - printed[1]) else high
    return Working(value, f"Options C and A together take {low:g} to {high:g} weeks")


def _total() -> Working:
    parts = [_part_ns(part) for part in notes.table("omendb_breakdown")["component"] if part != "Total"]
    return Working(sum(parts), " + ".join(f"{part:,.0f}" for part in parts))


def _in_the_table() -> Working:
    summary = _stated("speedup_at_10k_in_summary")
    return Working(_speedup("before", 10_000), f"The table prints this where the summary has {summary:g}")


def _hybrid() -> Working:
    now, low, high = _speedup("after", TESTED_ROWS), _stated("hybrid_gain_lo"), _stated("hybrid_gain_hi")
    most = now * (1 + high / 100)
    return Working(now * (1 + low / 100), f"{now:g} x {1 + low / 100:g} (and {most:.2f} with {high:g} %)")


def _inserts() -> Working:
    found = notes.table("omendb_latency")
    after = found[(found["operation"] == "insert") & (found["state"] == "after")]
    return Working(len(after), "Insert times printed for the state after the change")


ESTIMANDS: dict[str, Estimand] = {
    "O022": Estimand(_reduction, ARITHMETIC),
    "O025": Estimand(_gain, ARITHMETIC),
    "O026": quotient(
        cell("omendb_speedup", "after", scale_rows=TESTED_ROWS),
        cell("omendb_speedup", "before", scale_rows=TESTED_ROWS),
        ARITHMETIC,
    ),
    "O035": quotient(lambda: _part_ns("ALEX index lookup"), lambda: _part_ns("Total"), ARITHMETIC),
    "O037": quotient(lambda: _part_ns("RocksDB get"), lambda: _part_ns("Total"), ARITHMETIC),
    "O056": read("lru_entries"),
    "O066": Estimand(_components),
    "O067": Estimand(_largest, SPEEDUP),
    "O069": Estimand(_smallest, SPEEDUP),
    "O073": read("tools_with_random_keys"),
    "O075": Estimand(_beyond, SPEEDUP),
    "O082": Estimand(_weeks),
    "O087": quotient(lambda: _latency_us("SQLite", "after"), lambda: _latency_us("OmenDB", "after"), ARITHMETIC),
    "O089": Estimand(_total, ARITHMETIC),
    "O090": Estimand(_in_the_table, SPEEDUP),
    "O102": Estimand(_hybrid, ARITHMETIC),
    "O104": Estimand(_inserts),
    "O105": quotient(lambda: _latency_us("SQLite", "before"), lambda: _latency_us("OmenDB", "before"), ARITHMETIC),
    "O106": quotient(lambda: _latency_us("ALEX", "in production"), lambda: _latency_us("ALEX", "isolated"), ARITHMETIC),
}
