"""Note 003 recomputed: the r8g.xlarge, its three rounds, five validation runs and sizes."""

from __future__ import annotations

from benchbook.experiments import notes
from benchbook.experiments.notes_reanalysis.places import ARITHMETIC, VALIDATION
from benchbook.experiments.recomputed import Estimand, Working

MIB_PER_HUGE_PAGE = 2


def _stated(name: str) -> float:
    return notes.number("r8g_statements", "value", name=name)


def _little() -> Working:
    tps, latency_ms = (notes.number("r8g_runs", column, round=1) for column in ("tps", "latency_ms"))
    clients = _stated("clients")
    return Working(clients / (tps * latency_ms / 1000), f"{clients:g} clients / ({tps:,.0f}/s x {latency_ms:g} ms)")


def _huge_pages(shared_buffers_gb: float) -> Working:
    pages, margin = shared_buffers_gb * 1024 / MIB_PER_HUGE_PAGE, _stated("huge_page_margin")
    return Working(pages * (1 + margin / 100), f"{pages:,.0f} pages and {margin:g} %")


def _range() -> Working:
    runs = [notes.number("r8g_runs", "tps", round=2), *notes.table("r8g_validation")["tps"]]
    cold, warm = _stated("tps_cold"), _stated("tps_warm")
    return Working(
        max(runs) / min(runs),
        f"{max(runs):,.0f} / {min(runs):,.0f}, against {warm:,.0f} / {cold:,.0f} = {warm / cold:.3f}",
    )


def _size_gb(parameter: str) -> float:
    found = notes.table("r8g_config").set_index("parameter")
    return float(str(found.loc[parameter, "value"]).removesuffix("GB"))


def _share_of_ram() -> Working:
    size, ram = _size_gb("shared_buffers"), _stated("ram")
    return Working(size / ram, f"{size:g} / {ram:g}")


def _cache_size() -> Working:
    share, ram = _stated("effective_cache_share"), _stated("ram")
    return Working(ram * share / 100, f"{share:g} % of {ram:g} GB")


def _work_mem() -> Working:
    ram_mb, connections = _stated("ram") * 1024, _stated("connections_of_work_mem")
    return Working(ram_mb / 4 / connections, f"{ram_mb:,.0f} MB / 4 / {connections:g}")


def _gaps() -> Working:
    target = _stated("target_tps")
    off, texts = [], []
    for state in ("warm", "cold"):
        again, printed = 100 * (_stated(f"tps_{state}") - target) / target, _stated(f"gap_{state}")
        off.append(abs(again - printed))
        texts.append(f"{printed:+g} %: {again:+.1f} %")
    return Working(max(off), "; ".join(texts))


def _clients() -> Working:
    tps, latency_ms = (notes.number("r8g_runs", column, round=2) for column in ("tps", "latency_ms"))
    return Working(tps * latency_ms / 1000, f"{tps:,.0f}/s x {latency_ms:g} ms")


def _validation_clients() -> Working:
    found, clients = notes.table("r8g_validation"), _stated("clients")
    implied = dict(zip(found["run_id"], found["tps"] * found["latency_ms"] / 1000, strict=True))
    worst = max(implied, key=lambda run: abs(implied[run] - clients))
    off = 100 * abs(implied[worst] / clients - 1)
    return Working(float(off), f"Furthest from {clients:g} is {worst} with {implied[worst]:.2f} clients")


ESTIMANDS: dict[str, Estimand] = {
    "R004": Estimand(_little, ARITHMETIC),
    "R035": Estimand(lambda: _huge_pages(notes.number("r8g_runs", "shared_buffers_gb", round=3)), ARITHMETIC),
    "R058": Estimand(_range, VALIDATION),
    "R060": Estimand(_share_of_ram, ARITHMETIC),
    "R061": Estimand(_cache_size, ARITHMETIC),
    "R062": Estimand(_work_mem, ARITHMETIC),
    "R064": Estimand(lambda: _huge_pages(_size_gb("shared_buffers")), ARITHMETIC),
    "R072": Estimand(_gaps),
    "R073": Estimand(_clients, ARITHMETIC),
    "R104": Estimand(_validation_clients, VALIDATION),
}
