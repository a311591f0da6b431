"""The notes' sums done again from data/notes, by name, and what was read in their repositories.

Of notes 000 and 001 MB, GB and TB are powers of 1,000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from benchbook import notes
from benchbook.notes.own_reports import evidence
from benchbook.numbers.analysis import Term, Working, cell, cells, formula, quotient, read, recomputed, rows
from benchbook.numbers.estimands import Estimand

TESTED_ROWS = 10_000_000
READ = (
    "warm_up_keys", "sampled_keys", "warm_up_iterations", "warm_up_cycles", "all_column_statements",
    "columns_parameters", "reused_key_assignments", "warm_up_loops", "runs_with_os_tuning_off",
    "tools_with_random_keys", "lru_entries",
)  # fmt: skip
SPECS = {
    "buffers_of_instances": "shared_buffers", "processors": "vCPU", "memory_of_instances": "RAM", "network": "Network",
    "bandwidth": "EBS bandwidth",
}  # fmt: skip
"""Of the larger instance over the smaller one."""
lakebase = cells("lakebase_constants", "value", "name")
badger = cells("badger_metrics", "value", "metric")
omendb = cells("omendb_statements", "value", "name")
part = cells("omendb_breakdown", "before_ns", "component")
r8g = cells("r8g_statements", "value", "name")
of_run, of_round = rows("c8gb_runs", "run"), rows("r8g_runs", "round")
spec, cache = rows("c8gb_hardware", "spec"), rows("badger_configs", "config")
speedup = rows("omendb_speedup", "scale_rows")
latency_us = partial(rows("omendb_latency", "system", "state"), "latency_us")
gain_before, gain_after = (speedup(state, TESTED_ROWS) for state in ("before", "after"))
memory_gb = partial(rows("badger_memory_budget", "component"), "value_gb")
ram, cold, warm, target = r8g("ram"), r8g("tps_cold"), r8g("tps_warm"), r8g("target_tps")


def size_gb(parameter: str) -> Term:
    return Term(lambda: float(notes.table("r8g_config").set_index("parameter")["value"][parameter].removesuffix("GB")))


def usable(volume: str) -> Estimand:
    return formula(
        "{disks} x {size} GB / 2, as RAID10 keeps everything twice", lambda disks, size: disks * size / 2,
        disks=cell("c8gb_volumes", "disks", volume=volume), size=cell("c8gb_volumes", "disk_gb", volume=volume),
    )  # fmt: skip


def clients_of_run(run: int) -> Estimand:
    return formula(
        "{tps}/s x {latency} ms / {clients} clients", lambda tps, latency, clients: tps * latency / 1000 / clients,
        tps=of_run("tps_avg", run), latency=of_run("latency_ms", run), clients=partial(notes.reading, "clients"),
    )  # fmt: skip


def mean_over_printed(run: int) -> Estimand:
    return formula(
        "mean of the timeline {mean:,.1f} / {printed:,.0f}", lambda mean, printed: mean / printed,
        mean=lambda: notes.table("c8gb_timeline").query(f"run == {run}")["tps"].mean(), printed=of_run("tps_avg", run),
    )  # fmt: skip


def changes_again(name: str, column: str, value: int) -> list[tuple[str, float, float]]:
    """Metric, printed change and recomputed change, both in percent, of the rows of a table of changes."""
    found = notes.table(name).query(f"{column} == {value}")
    again = 100 * (found["after"] / found["before"] - 1)
    return list(zip(found["metric"], found["change_percent"].astype(float), again.astype(float), strict=True))


def changes(run: int) -> Working:
    """How many printed without decimals, and so known to half a percent, are right."""
    rows = changes_again("c8gb_changes", "run", run)
    agreeing = sum(abs(again - printed) <= 0.5 for _, printed, again in rows)
    return Working(agreeing, "; ".join(f"{printed:+g} %: {again:+.2f} %" for _, printed, again in rows))


def inherited() -> Working:
    """Settings of run 1 that are those of the smaller instance's committed configuration."""
    settings = ("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather")
    both = {setting: (of_run(setting, 1)(), notes.reading(f"inherited_{setting}")) for setting in settings}
    texts = ", ".join(f"{setting} {here:g} and {there:g}" for setting, (here, there) in both.items())
    same = sum(here == there for here, there in both.values())
    return Working(same, f"Run 1 and the smaller instance's committed configuration: {texts}")


def huge_pages(shared_buffers_gb: Term) -> Estimand:
    return formula(
        "{pages} pages and {margin} %", lambda pages, margin: pages * (1 + margin / 100),
        pages=shared_buffers_gb * 1024 / 2, margin=r8g("huge_page_margin"),
    )  # fmt: skip


def of_runs(pick: Callable[[list[float]], float]) -> Callable[[], float]:
    """Throughput of round 2 or of a validation run."""
    return lambda: pick([of_round("tps", 2)(), *notes.table("r8g_validation")["tps"]])


def validation_clients() -> Working:
    """By Little's law, how far the furthest of the validation runs is from its clients, in %."""
    found, clients = notes.table("r8g_validation"), r8g("clients")()
    implied = dict(zip(found["run_id"], found["tps"] * found["latency_ms"] / 1000, strict=True))
    worst = max(implied, key=lambda run: abs(implied[run] - clients))
    off = 100 * abs(implied[worst] / clients - 1)
    return Working(float(off), f"Furthest from {clients:g} is {worst} with {implied[worst]:.2f} clients")


def parts() -> list[str]:
    return [each for each in notes.table("omendb_breakdown")["component"] if each != "Total"]


def total() -> Working:
    every = [part(each)() for each in parts()]
    return Working(sum(every), " + ".join(f"{each:,.0f}" for each in every))


def printed_rows() -> list[int]:
    found = notes.table("omendb_speedup")
    return [int(rows) for rows in found[found[["before", "after"]].notna().any(axis=1)]["scale_rows"]]


def weeks(end: str) -> Callable[[], float]:
    """Of options A and C together."""
    return lambda: notes.table("omendb_options").query("id in ('A', 'C')")[f"effort_{end}_weeks"].sum()


assumed = [lakebase(f"assumed_shared_buffers_{end}") for end in ("lo", "hi")]
advised = [lakebase(f"recommended_shared_buffers_{end}") for end in ("lo", "hi")]
gains = [omendb(f"hybrid_gain_{end}") / 100 + 1 for end in ("lo", "hi")]
rounded = Term(lambda: round(gain_after(), 1))
SUMS: dict[str, Estimand] = {
    **{name: read(name) for name in READ},
    # Note 000: feature serving.
    "not_warmed": formula(
        "Of positions {first} to {last}, not among 0 to {warmed}",
        lambda first, last, warmed: len(set(range(int(first), int(last) + 1)) - set(range(int(warmed) + 1))),
        first=lakebase("benchmark_first_key"), warmed=lakebase("warmup_keys") - 1,
        last=lakebase("benchmark_first_key") + lakebase("benchmark_keys") - 1,
    ),
    "cycles": quotient(lakebase("warmup_iterations"), lakebase("sampled_keys")),
    "upper_share": formula(
        "{high} % of {ram} GB (the lower end: {low} % are {least} GB)", lambda ram, high, **_: ram * high / 100,
        ram=lakebase("cluster_ram"), low=advised[0], high=advised[1],
        least=lakebase("cluster_ram") * advised[0] / 100,
    ),
    "doubling": formula(
        "{new} / {middle}, the middle of the {low} to {high} GB that the note assumes, is near to double; at the ends "
        "it is {most} and {least}", lambda new, middle, **_: new / middle,
        new=lakebase("recommended_shared_buffers"), middle=(assumed[0] + assumed[1]) / 2, low=assumed[0],
        high=assumed[1], most=lakebase("recommended_shared_buffers") / assumed[0],
        least=lakebase("recommended_shared_buffers") / assumed[1],
    ),
    "latency_saved": formula(
        "({other} - {bound}) / {other}, with a bound that was not measured",
        lambda other, bound: (other - bound) / other,
        other=lakebase("dynamodb_p99"), bound=lakebase("p99_to_present"),
    ),
    # Note 001: Badger's caches.
    "charged_kb": formula(
        "{total} TB / {keys} keys", lambda total, keys: total * 1e9 / keys,
        total=badger("total_cost_added"), keys=badger("keys_added"),
    ),
    "hits": formula(
        "{hit} / ({hit} + {miss})", lambda hit, miss: hit / (hit + miss), hit=badger("hit"), miss=badger("miss")
    ),
    "evicted": formula(
        "100 x {evicted} / {added}", lambda evicted, added: 100 * evicted / added,
        evicted=badger("keys_evicted"), added=badger("keys_added"),
    ),
    "cache_needed": formula(
        "{blocks} blocks of {size} KB (the upper ends give {most} GB, as printed)",
        lambda blocks, size, most: blocks * size / 1e6,
        blocks=badger("blocks_to_hold_lo"), size=badger("block_size_lo"),
        most=badger("blocks_to_hold_hi") * badger("block_size_hi") / 1e6,
    ),
    "memory_tuned": formula(
        "({block} + {index} + {badger} + {go}) / 1,000",
        lambda block, index, badger, go: (block + index + badger + go) / 1000,
        block=cache("block_cache_mb", "tuned Dockerfile"), index=cache("index_cache_mb", "tuned Dockerfile"),
        badger=memory_gb("badger internal") * 1000, go=memory_gb("go runtime") * 1000,
    ),
    "caches_medium": formula(
        "({block} + {index}) / 1,024, the caches alone", lambda block, index: (block + index) / 1024,
        block=cache("block_cache_mb", "Medium"), index=cache("index_cache_mb", "Medium"),
    ),
    "caches_minimal": formula(
        "{block} + {index}, the caches alone", lambda block, index: block + index,
        block=cache("block_cache_mb", "Minimal"), index=cache("index_cache_mb", "Minimal"),
    ),
    # Note 002: the c8gb.8xlarge and its three runs.
    "usable_data": usable("DATA"),
    "usable_wal": usable("WAL"),
    "buffers_of_runs": quotient(of_run("shared_buffers_gb", 3), of_run("shared_buffers_gb", 2)),
    "mib_per_round": formula(
        "{pages} pages x 8 KiB", lambda pages: pages * 8 / 1024, pages=of_run("bgwriter_lru_maxpages", 3)
    ),
    **{name: quotient(spec("c8gb_8xlarge", what), spec("c8gb_2xlarge", what)) for name, what in SPECS.items()},
    "inherited": recomputed(inherited),  # it was taken to need the repository's configuration, which has been read
    "fall": formula(
        "1 - {last} / {peak}", lambda last, peak: 1 - last / peak,
        last=cell("c8gb_timeline", "tps", run=1, t_s=60), peak=of_run("tps_peak", 1),
    ),
    **{f"clients_of_run_{run}": clients_of_run(run) for run in (1, 2, 3)},
    **{f"changes_of_run_{run}": recomputed(partial(changes, run)) for run in (2, 3)},
    **{f"timeline_of_run_{run}": mean_over_printed(run) for run in (2, 3)},
    # Note 003: the r8g.xlarge, its rounds and validation runs.
    "range": replace(formula(
        "{most:,.0f} / {least:,.0f}, against {warm:,.0f} / {cold:,.0f} = {claimed:.3f}",
        lambda most, least, **_: most / least,
        most=of_runs(max), least=of_runs(min), warm=warm, cold=cold, claimed=warm / cold,
    ), report=evidence("R058")),
    "clients_of_round_1": formula(
        "{clients} clients / ({tps}/s x {latency} ms)", lambda clients, tps, latency: clients / (tps * latency / 1000),
        clients=r8g("clients"), tps=of_round("tps", 1), latency=of_round("latency_ms", 1),
    ),
    "huge_pages_of_round_3": huge_pages(of_round("shared_buffers_gb", 3)),
    "buffers_share": quotient(size_gb("shared_buffers"), ram),
    "effective_cache": formula(
        "{share} % of {ram} GB", lambda share, ram: ram * share / 100, share=r8g("effective_cache_share"), ram=ram
    ),
    "work_mem": formula(
        "{ram} MB / 4 / {connections}", lambda ram, connections: ram / 4 / connections,
        ram=ram * 1024, connections=r8g("connections_of_work_mem"),
    ),
    "huge_pages": huge_pages(size_gb("shared_buffers")),
    "gaps": formula(
        "{said_warm:+g} %: {warm:+.1f} %; {said_cold:+g} %: {cold:+.1f} %",
        lambda warm, said_warm, cold, said_cold: max(abs(warm - said_warm), abs(cold - said_cold)),
        warm=(warm - target) * 100 / target, said_warm=r8g("gap_warm"),
        cold=(cold - target) * 100 / target, said_cold=r8g("gap_cold"),
    ),
    "clients_of_round_2": formula(
        "{tps}/s x {latency} ms", lambda tps, latency: tps * latency / 1000,
        tps=of_round("tps", 2), latency=of_round("latency_ms", 2),
    ),
    "clients_of_validation": recomputed(validation_clients),
    # Note 004: OmenDB.
    "least_speedup": formula(
        "The note's own range is {low} to {high}, the claim {least} to {most}", lambda low, **_: low,
        low=omendb("validated_speedup_lo"), high=omendb("validated_speedup_hi"),
        least=omendb("claimed_speedup_lo"), most=omendb("claimed_speedup_hi"),
    ),
    "speedup_at_10k": formula(
        "The table has this number where the summary has {summary}", lambda table, summary: table,
        table=speedup("before", 10_000), summary=omendb("speedup_at_10k_in_summary"),
    ),
    "latency_reduction": formula(
        "100 x ({before} - {after}) / {before}", lambda before, after: 100 * (before - after) / before,
        before=latency_us("OmenDB", "before"), after=latency_us("OmenDB", "after"),
    ),
    "speedup_gained": formula(
        "{after} - {before}", lambda after, before: after - before, after=gain_after, before=gain_before
    ),
    "speedup_ratio": quotient(gain_after, gain_before),
    "index_share": quotient(part("ALEX index lookup"), part("Total")),
    "rocksdb_share": quotient(part("RocksDB get"), part("Total")),
    "parts": recomputed(lambda: Working(len(parts()), ", ".join(parts()))),
    "largest_size": recomputed(lambda: Working(
        max(printed_rows()), f"Speed-ups are printed for {', '.join(f'{each:,}' for each in printed_rows())} rows"
    )),
    "beyond_tested": recomputed(lambda: Working(
        sum(rows > TESTED_ROWS for rows in printed_rows()), f"Speed-ups printed for more than {TESTED_ROWS:,} rows"
    )),
    # The claim's region has one number; the end that lies further from the printed one decides.
    "weeks": formula(
        "Options C and A together take {low} to {high} weeks",
        lambda low, high, said_low, said_high: low if abs(low - said_low) >= abs(high - said_high) else high,
        low=weeks("lo"), said_low=omendb("weeks_to_target_lo"),
        high=weeks("hi"), said_high=omendb("weeks_to_target_hi"),
    ),
    "speedup_after": quotient(latency_us("SQLite", "after"), latency_us("OmenDB", "after")),
    "total_ns": recomputed(total),
    "hybrid": formula(
        "{now} x {least} (and {most:.2f} with {gain} %), {now} being its {table} to the forecast's two digits",
        lambda now, least, **_: now * least,
        now=rounded, least=gains[0], most=rounded * gains[1], gain=omendb("hybrid_gain_hi"), table=gain_after,
    ),
    "inserts_after": formula(
        "Insert times printed for the state after the change", lambda count: count,
        count=lambda: len(notes.table("omendb_latency").query("operation == 'insert' and state == 'after'")),
    ),
    "speedup_before": quotient(latency_us("SQLite", "before"), latency_us("OmenDB", "before")),
    "alex_in_production": quotient(latency_us("ALEX", "in production"), latency_us("ALEX", "isolated")),
}  # fmt: skip
