"""Note 002 recomputed: the c8gb.8xlarge compared, and its three runs."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC, TIMELINES
from benchbook.experiments.recomputed import Estimand, Working, cell, changes_again, quotient, read

PAGE_KIB = 8
ROUNDED_TO_PERCENT = 0.5
"""A percentage printed without decimals is known to half a percent."""


def _changes(run: int) -> Working:
    rows = changes_again("c8gb_changes", run=run)
    agreeing = sum(abs(again - printed) <= ROUNDED_TO_PERCENT for _, printed, again in rows)
    return Working(agreeing, "; ".join(f"{printed:+g} %: {again:+.2f} %" for _, printed, again in rows))


def _usable(volume: str) -> Working:
    disks, size = (notes.number("c8gb_volumes", column, volume=volume) for column in ("disks", "disk_gb"))
    return Working(disks * size / 2, f"{disks:g} x {size:g} GB / 2, as RAID10 keeps everything twice")


def _spec(name: str) -> Estimand:
    large, small = (cell("c8gb_hardware", f"c8gb_{size}", spec=name) for size in ("8xlarge", "2xlarge"))
    return quotient(large, small, ARITHMETIC)


def _little(run: int) -> Working:
    tps, latency_ms = (notes.number("c8gb_runs", column, run=run) for column in ("tps_avg", "latency_ms"))
    clients = notes.reading("clients")
    return Working(tps * latency_ms / 1000 / clients, f"{tps:,.0f}/s x {latency_ms:g} ms / {clients:g} clients")


def _growth() -> Working:
    before, after = (notes.number("c8gb_runs", "shared_buffers_gb", run=run) for run in (2, 3))
    return Working(after / before, f"{after:g} / {before:g}")


def _round_mib() -> Working:
    pages = notes.number("c8gb_runs", "bgwriter_lru_maxpages", run=3)
    return Working(pages * PAGE_KIB / 1024, f"{pages:,.0f} pages x {PAGE_KIB} KiB")


def _drop() -> Working:
    last = notes.number("c8gb_timeline", "tps", run=1, t_s=60)
    peak = notes.number("c8gb_runs", "tps_peak", run=1)
    return Working(1 - last / peak, f"1 - {last:,.0f} / {peak:,.0f}")


def _mean_over_printed(run: int) -> Working:
    found = notes.table("c8gb_timeline")
    mean = float(found[found["run"] == run]["tps"].mean())
    printed = notes.number("c8gb_runs", "tps_avg", run=run)
    return Working(mean / printed, f"mean of the timeline {mean:,.1f} / {printed:,.0f}")


def _inherited() -> Working:
    same, texts = 0, []
    for setting in ("max_worker_processes", "max_parallel_workers", "max_parallel_workers_per_gather"):
        here, there = notes.number("c8gb_runs", setting, run=1), notes.reading(f"inherited_{setting}")
        same += here == there
        texts.append(f"{setting} {here:g} and {there:g}")
    return Working(same, f"Run 1 and the smaller instance's committed configuration: {', '.join(texts)}")


ESTIMANDS: dict[str, Estimand] = {
    "C002": Estimand(lambda: _usable("DATA"), ARITHMETIC),
    "C003": Estimand(lambda: _usable("WAL"), ARITHMETIC),
    "C004": _spec("shared_buffers"),
    "C011": Estimand(lambda: _little(1), ARITHMETIC),
    "C030": Estimand(_growth, ARITHMETIC),
    "C053": Estimand(_round_mib, ARITHMETIC),
    "C058": read("runs_with_os_tuning_off"),
    "C064": _spec("vCPU"),
    "C065": _spec("RAM"),
    "C066": _spec("Network"),
    "C067": _spec("EBS bandwidth"),
    "C068": Estimand(_inherited),
    "C075": Estimand(lambda: _changes(2)),
    "C076": Estimand(lambda: _changes(3)),
    "C082": Estimand(lambda: _little(3), ARITHMETIC),
    "C083": Estimand(lambda: _little(2), ARITHMETIC),
    "C085": Estimand(_drop, TIMELINES),
    "C086": Estimand(lambda: _mean_over_printed(2), TIMELINES),
    "C087": Estimand(lambda: _mean_over_printed(3), TIMELINES),
}
"""C068 was taken to need the repository's configuration, which has been read."""
