"""Notes 002 and 003 recomputed: the c8gb.8xlarge and its three runs, the r8g.xlarge, its rounds and validation runs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from benchbook import notes
from benchbook.notes.own_reports import evidence
from benchbook.numbers.analysis import Term, Working, cell, cells, formula, quotient, recomputed
from benchbook.numbers.estimands import Estimand

PAGE_KIB, HUGE_PAGE_MIB = 8, 2
ROUNDED_TO_PERCENT = 0.5
"""A percentage printed without decimals is known to half a percent."""
_r8g = cells("r8g_statements", "value", "name")


def changes_again(name: str, **where: object) -> list[tuple[str, float, float]]:
    """Metric, printed change and recomputed change, both in percent, of the rows of a table of changes."""
    found = notes.table(name)
    for key, value in where.items():
        found = found[found[key] == value]
    again = 100 * (found["after"] / found["before"] - 1)
    return list(zip(found["metric"], found["change_percent"].astype(float), again.astype(float), strict=True))


def _of_run(column: str, run: int) -> Term:
    return cell("c8gb_runs", column, run=run)


def _changes(run: int) -> Working:
    rows = changes_again("c8gb_changes", run=run)
    agreeing = sum(abs(again - printed) <= ROUNDED_TO_PERCENT for _, printed, again in rows)
    return Working(agreeing, "; ".join(f"{printed:+g} %: {again:+.2f} %" for _, printed, again in rows))


def _usable(volume: str) -> Estimand:
    return formula(
        "{disks} x {size} GB / 2, as RAID10 keeps everything twice", lambda disks, size: disks * size / 2,
        disks=cell("c8gb_volumes", "disks", volume=volume), size=cell("c8gb_volumes", "disk_gb", volume=volume),
    )  # fmt: skip


def _spec(name: str) -> Estimand:
    large, small = (cell("c8gb_hardware", f"c8gb_{size}", spec=name) for size in ("8xlarge", "2xlarge"))
    return quotient(large, small)


def _clients_of_run(run: int) -> Estimand:
    return formula(
        "{tps}/s x {latency} ms / {clients} clients", lambda tps, latency, clients: tps * latency / 1000 / clients,
        tps=_of_run("tps_avg", run), latency=_of_run("latency_ms", run), clients=partial(notes.reading, "clients"),
    )  # fmt: skip


def _mean_over_printed(run: int) -> Working:
    found = notes.table("c8gb_timeline")
    mean, printed = float(found[found["run"] == run]["tps"].mean()), _of_run("tps_avg", run)()
    return Working(mean / printed, f"mean of the timeline {mean:,.1f} / {printed:,.0f}")


def _inherited() -> Working:
    settings = ("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather")
    both = {setting: (_of_run(setting, 1)(), notes.reading(f"inherited_{setting}")) for setting in settings}
    texts = ", ".join(f"{setting} {here:g} and {there:g}" for setting, (here, there) in both.items())
    same = sum(here == there for here, there in both.values())
    return Working(same, f"Run 1 and the smaller instance's committed configuration: {texts}")


LARGE: dict[str, Estimand] = {
    "usable_data": _usable("DATA"),
    "usable_wal": _usable("WAL"),
    "buffers_of_instances": _spec("shared_buffers"),
    "buffers_of_runs": quotient(_of_run("shared_buffers_gb", 3), _of_run("shared_buffers_gb", 2)),
    "mib_per_round": formula(
        f"{{pages}} pages x {PAGE_KIB} KiB", lambda pages: pages * PAGE_KIB / 1024,
        pages=_of_run("bgwriter_lru_maxpages", 3),
    ),
    "processors": _spec("vCPU"),
    "memory_of_instances": _spec("RAM"),
    "network": _spec("Network"),
    "bandwidth": _spec("EBS bandwidth"),
    "inherited": recomputed(_inherited),  # it was taken to need the repository's configuration, which has been read
    "fall": formula(
        "1 - {last} / {peak}", lambda last, peak: 1 - last / peak,
        last=cell("c8gb_timeline", "tps", run=1, t_s=60), peak=_of_run("tps_peak", 1),
    ),
    **{f"clients_of_run_{run}": _clients_of_run(run) for run in (1, 2, 3)},
    **{f"changes_of_run_{run}": recomputed(partial(_changes, run)) for run in (2, 3)},
    **{f"timeline_of_run_{run}": recomputed(partial(_mean_over_printed, run)) for run in (2, 3)},
}  # fmt: skip


def _of_round(column: str, number: int) -> Term:
    return cell("r8g_runs", column, round=number)


def _size_gb(parameter: str) -> Term:
    return Term(lambda: float(notes.table("r8g_config").set_index("parameter")["value"][parameter].removesuffix("GB")))


def _huge_pages(shared_buffers_gb: Term) -> Estimand:
    return formula(
        "{pages} pages and {margin} %", lambda pages, margin: pages * (1 + margin / 100),
        pages=lambda: shared_buffers_gb() * 1024 / HUGE_PAGE_MIB, margin=_r8g("huge_page_margin"),
    )  # fmt: skip


def _range() -> Working:
    runs = [_of_round("tps", 2)(), *notes.table("r8g_validation")["tps"]]
    cold, warm = _r8g("tps_cold")(), _r8g("tps_warm")()
    words = f"{max(runs):,.0f} / {min(runs):,.0f}, against {warm:,.0f} / {cold:,.0f} = {warm / cold:.3f}"
    return Working(max(runs) / min(runs), words)


def _gaps() -> Working:
    target = _r8g("target_tps")()
    printed = {state: _r8g(f"gap_{state}")() for state in ("warm", "cold")}
    again = {state: 100 * (_r8g(f"tps_{state}")() - target) / target for state in printed}
    words = "; ".join(f"{printed[state]:+g} %: {again[state]:+.1f} %" for state in printed)
    return Working(max(abs(again[state] - printed[state]) for state in printed), words)


def _validation_clients() -> Working:
    found, clients = notes.table("r8g_validation"), _r8g("clients")()
    implied = dict(zip(found["run_id"], found["tps"] * found["latency_ms"] / 1000, strict=True))
    worst = max(implied, key=lambda run: abs(implied[run] - clients))
    off = 100 * abs(implied[worst] / clients - 1)
    return Working(float(off), f"Furthest from {clients:g} is {worst} with {implied[worst]:.2f} clients")


SMALL: dict[str, Estimand] = {
    "range": replace(recomputed(_range), report=evidence("R058")),
    "clients_of_round_1": formula(
        "{clients} clients / ({tps}/s x {latency} ms)",
        lambda clients, tps, latency: clients / (tps * latency / 1000),
        clients=_r8g("clients"), tps=_of_round("tps", 1), latency=_of_round("latency_ms", 1),
    ),
    "huge_pages_of_round_3": _huge_pages(_of_round("shared_buffers_gb", 3)),
    "buffers_share": quotient(_size_gb("shared_buffers"), _r8g("ram")),
    "effective_cache": formula(
        "{share} % of {ram} GB", lambda share, ram: ram * share / 100,
        share=_r8g("effective_cache_share"), ram=_r8g("ram"),
    ),
    "work_mem": formula(
        "{ram} MB / 4 / {connections}", lambda ram, connections: ram / 4 / connections,
        ram=lambda: 1024 * _r8g("ram")(), connections=_r8g("connections_of_work_mem"),
    ),
    "huge_pages": _huge_pages(_size_gb("shared_buffers")),
    "gaps": recomputed(_gaps),
    "clients_of_round_2": formula(
        "{tps}/s x {latency} ms", lambda tps, latency: tps * latency / 1000,
        tps=_of_round("tps", 2), latency=_of_round("latency_ms", 2),
    ),
    "clients_of_validation": recomputed(_validation_clients),
}  # fmt: skip
