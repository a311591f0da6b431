"""Note 002's raw reports read again: when runs fall, and the buffer pool that their own counters allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from benchbook import kit, notes
from benchbook.claims import load_claims
from benchbook.drawing.marks import COLOURS
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.measuring.clock_sweep import Load, allocated
from benchbook.notes import five_runs
from benchbook.notes.five_runs import BASELINE, PAGES_PER_GIB, REPORTS, STEP_S, A, B, C, Report
from benchbook.numbers.analysis import Analysis

SHOWN = (BASELINE, A, B, C)
EVICTED = {BASELINE: True, A: False}
"""Runs with evictions, and whether their pool was full at the start: 4.2 GiB of shared memory, and a restart."""
SIZES_GIB = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20)
"""Pools that are simulated; between them the fit is interpolated."""
USES = ((2, 2), (1, 3), (3, 1))
"""By how much a transaction raises the usage counts of a row's page and of a leaf: as expected, and two extremes."""
BUSY = 5_000
"""Device writes in a second: above what the log alone needs, far below what evictions cause."""
BOOKKEEPING_BYTES = 160
"""Shared memory that a server writes at its start for each page of its pool, before it holds any: descriptor, condition
variable, hash entry, place in the checkpointer's queue. PostgreSQL 15, started with 1 and with 4 GiB, differs by 61,464
KiB, which is this number; these structures are the same in 16."""
WAITS = {"wal_write": "waits for the log", "data_file_write": "waits to write", "data_file_read": "waits to read"}
LENGTH_S = 60
SOURCES = {
    "timelines": (REPORTS, five_runs.TPS, five_runs.DIRTY, five_runs.WAITS, five_runs.DEVICE),
    "pool": (REPORTS,),
}
"""Tables of data/notes behind each figure; their hash names the data that it shows."""
GREY = {"dash": "dot", "color": theme.COLOURS["grey"]}
MEND = "restore data/notes/raw with `git checkout`"


class Parameters(kit.AnalysisParameters):
    """Defaults: the limit that the reports print, and a pool simulated at a 64th of its size."""

    dirty_limit_percent: float = kit.param(
        4.0, 0.5, 50, "vm.dirty_ratio that Dirty is held against, in % of the available memory"
    )
    one_page_in: int = kit.param(
        64, 16, 256, "the simulation keeps one page and one transaction in so many; less takes longer"
    )
    seed: int = kit.param(20260117, 0, below=2**63, words="seed of the simulated accounts")


@dataclass(frozen=True)
class Fit:
    """Pool whose simulated allocations are those counted. low, high: the same under the extreme usage counts. GiB."""

    gib: float
    low: float
    high: float


class Summary(Analysis[Parameters]):
    """The five runs, their falls, and the pools that their counters allow."""

    @cached_property
    def reports(self) -> dict[str, Report]:
        """All runs by name."""
        return five_runs.reports()

    @cached_property
    def falls(self) -> dict[str, five_runs.Fall]:
        """When each run falls and when its Dirty stops rising."""
        return {name: five_runs.fall(each, self.parameters.dirty_limit_percent) for name, each in self.reports.items()}

    @cached_property
    def others(self) -> float:
        """Pages per transaction that the model leaves out: what run B, which evicted none, allocated beyond it."""
        b = self.reports[B]
        return (b.allocated - self.simulated(Load(b.scale, b.transactions), max(SIZES_GIB))) / b.transactions

    @cached_property
    def fits(self) -> dict[str, Fit]:
        """The pools of the runs that evicted pages."""
        fits = {}
        for name in EVICTED:
            found = [crossing(SIZES_GIB, self.curve(name, uses), self.reports[name].allocated) for uses in USES]
            fits[name] = Fit(found[0], min(found), max(found))
        return fits

    @cached_property
    def curves(self) -> dict[str, list[int]]:
        """Simulated allocations of the same runs with each pool."""
        return {name: self.curve(name) for name in EVICTED}

    def curve(self, name: str, uses: tuple[int, int] = USES[0]) -> list[int]:
        """Simulated allocations of a run with each of the pools."""
        run = self.reports[name]
        load = Load(run.scale, run.transactions, *uses, self.others)
        return [self.simulated(load, size, warm=EVICTED[name]) for size in SIZES_GIB]

    def simulated(self, load: Load, gib: float, *, warm: bool = False) -> int:
        """Pages that a pool of this size allocates."""
        p = self.parameters
        return allocated(load, int(gib * PAGES_PER_GIB), warm=warm, one_in=p.one_page_in, seed=p.seed)

    @cached_property
    def filled(self) -> tuple[int, float]:
        """Of run A, the second in which its devices begin to write, and the pool in GiB that was full then."""
        return self.filled_by(self.reports[A])

    def filled_by(self, run: Report) -> tuple[int, float]:
        """The same of a run that began with an empty pool: what the transactions up to that second had touched.

        Raises BenchbookError where the devices never begin.
        """
        found = run.devices[run.devices["t_s"] > 0]
        busy = found["t_s"][found["device_writes"] > BUSY]
        if busy.empty:
            raise BenchbookError(f"run {run.name} never wrote out pages", "ask a run whose pool was too small")
        second = int(busy.iloc[0])
        ends, tps = (run.throughput[name].to_numpy(float) for name in ("t_s", "tps"))
        done = float((tps * np.clip(second - (ends - STEP_S), 0, STEP_S)).sum())
        load = Load(run.scale, int(done), others=self.others)
        return second, self.simulated(load, max(SIZES_GIB)) / PAGES_PER_GIB

    def fell_s(self, name: str) -> float:
        """When a run's throughput fell; raises BenchbookError where it did not."""
        found = self.falls[name].tps_s
        if found is None:
            raise BenchbookError(f"throughput of run {name} does not fall", MEND)
        return found

    def plateau(self, name: str) -> five_runs.Plateau:
        """Where a run's Dirty stops rising; raises BenchbookError where it stays low."""
        found = self.falls[name].plateau
        if found is None:
            raise BenchbookError(f"Dirty of run {name} stays low", MEND)
        return found


def crossing(sizes: Iterable[float], counts: Iterable[float], wanted: float) -> float:
    """The size at which falling counts reach the wanted one, on straight lines between neighbours.

    Raises BenchbookError where they never do.
    """
    x, y = np.array([*sizes], float), np.array([*counts], float)
    if not y.min() <= wanted <= y.max():
        why = f"{wanted:,.0f} allocations lie outside {y.min():,.0f} to {y.max():,.0f}"
        raise BenchbookError(why, "simulate more pools in SIZES_GIB")
    return float(np.interp(-wanted, -y, x))


def explained(*found: Report) -> list[int]:
    """Pools of 1 to 20 GiB for which the count of backend writes of these runs is possible.

    Up to PostgreSQL 16, backends and background writer put each write into a queue with as many places as the pool
    has pages. buffers_backend moves only when the queue is emptied, which happens whenever it is half full
    (src/backend/postmaster/checkpointer.c). So at some whole number of half pools, backends had written
    buffers_backend pages, and the background writer no more than buffers_clean.
    """

    def possible(run: Report, half: int) -> bool:
        emptied = (run.written + run.cleaned) // half
        return run.written <= emptied * half and (emptied > 0) == (run.written > 0)

    return [size for size in range(1, 21) if all(possible(run, size * PAGES_PER_GIB // 2) for run in found)]


def smaller_by(small: Report, large: Report) -> float:
    """By how many GiB one run's pool is smaller, from the shared memory of two servers that were just started."""
    return (large.shared_mib - small.shared_mib) * 2**20 / BOOKKEEPING_BYTES / PAGES_PER_GIB


def fallen(name: str, summary: Summary) -> dict[str, Any]:
    """A run that falls: its report, the pool that fits its counters, when it fell, and where its Dirty stops rising."""
    own = {"report": summary.reports[name], "fit": summary.fits[name]}
    return own | {"fell_s": summary.fell_s(name), "plateau": summary.plateau(name)}


def writes(name: str, after_s: int, summary: Summary) -> float:
    """Median of all disks' writes per second, from then on."""
    found = summary.reports[name].devices
    return float(found[(found["t_s"] > after_s) & (found["t_s"] <= 60)]["device_writes"].median())


def reads(name: str, summary: Summary) -> int:
    """Reads of all disks."""
    found = summary.reports[name].devices
    return int(found["device_reads"][found["t_s"] > 0].sum())


def gained(summary: Summary) -> dict[str, float]:
    """B over A before the last whole 5 s that precede A's fall, after it, and in all."""
    split = int(summary.fell_s(A) // STEP_S * STEP_S)
    a, b = (summary.reports[name] for name in (A, B))
    spans = {"before": (0, split), "after": (split, 60), "all": (0, 60)}
    return {"split_s": split, **{name: b.mean_tps(*span) / a.mean_tps(*span) for name, span in spans.items()}}


def ranges(sizes: list[int]) -> str:
    """Whole numbers as ranges: "1 to 5, 8"."""
    starts = [size for size in sizes if size - 1 not in sizes]
    ends = [size for size in sizes if size + 1 not in sizes]
    return ", ".join(f"{a} to {b}" if b > a else f"{a}" for a, b in zip(starts, ends, strict=True))


NUMBERS: Mapping[str, kit.Estimand] = {}
WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "baseline": partial(fallen, BASELINE),
    "a": partial(fallen, A),
    "b": lambda summary: summary.reports[B],
    "gain": gained,
    "apart_s": lambda summary: max(abs(summary.plateau(name).second - summary.fell_s(name)) for name in EVICTED),
    "reports": lambda summary: summary.reports,
    "falls": lambda summary: summary.falls,
    "allowed": lambda summary: {name: ranges(explained(each)) for name, each in summary.reports.items()},
    "sources": lambda summary: notes.table(REPORTS).to_dict("records"),
    "filled_s": lambda summary: summary.filled[0],
    "filled_gib": lambda summary: summary.filled[1],
    "allowed_by_both": lambda summary: ranges(explained(*(summary.reports[name] for name in EVICTED))),
    "less_gib": lambda summary: smaller_by(summary.reports[A], summary.reports[B]),
    "quotes": lambda summary: {name: claim.quote for name, claim in load_claims().items()},
    "reads": lambda summary: {name: reads(name, summary) for name in (BASELINE, A, B)},
    "untuned": lambda summary: notes.reading("runs_with_os_tuning_off"),
    "log_writes": partial(writes, B, 2),
    "full_writes": lambda summary: writes(A, summary.filled[0], summary),
    "before_throttling_tps": lambda summary: summary.reports[A].mean_tps(15, 25),
    "bookkeeping_bytes": lambda summary: BOOKKEEPING_BYTES,
}


def timelines(summary: Summary) -> kit.Drawn:
    """One column per run, one row per quantity, one time axis."""
    plot = make_subplots(
        rows=3, cols=len(SHOWN), shared_xaxes=True, shared_yaxes="rows", vertical_spacing=0.06,
        horizontal_spacing=0.02, column_titles=[*map(titled, SHOWN)],
    )  # fmt: skip
    rows: list[dict[str, Any]] = []
    tops = dict.fromkeys((1, 2, 3), 0.0)
    for column, name in enumerate(SHOWN, start=1):
        shown = series(summary.reports[name], summary.parameters.dirty_limit_percent)
        for row, (label, frame, look) in enumerate(shown, start=1):
            tops[row] = max(tops[row], *(float(values.loc[:LENGTH_S].max()) for values in frame.values()))
            for place, (line, values) in enumerate(frame.items()):
                plot.add_scatter(
                    x=values.index, y=values, name=line, legendgroup=line, showlegend=column == 1, mode="lines",
                    line={"color": COLOURS[(look + place) % 6], "dash": theme.DASHES[place]}, row=row, col=column,
                )  # fmt: skip
                rows += [{"run": name, "what": f"{label}: {line}", "time (s)": t, "value": v}
                         for t, v in values.dropna().items()]  # fmt: skip
        if (held := summary.falls[name].plateau) is not None:
            for row in (1, 2, 3):
                plot.add_vline(x=held.second, line=GREY, row=row, col=column)
    for row, title in enumerate(("transactions/s", "Dirty (GiB)", "connections"), start=1):
        plot.update_yaxes(title=title, row=row, col=1)
        plot.update_yaxes(range=[0, 1.05 * tops[row]], row=row)
    plot.update_xaxes(range=[0, LENGTH_S], tickvals=[10, 30, 50])
    plot.update_xaxes(title="time (s)", row=3)
    plot.update_layout(height=620)
    return drawn("timelines", plot, pd.DataFrame(rows))


def series(report: Report, percent: float) -> list[tuple[str, dict[str, pd.Series], int]]:
    """Label, series by name and first colour of each row; waits are of single moments, and drawn as means of five."""
    dirty = report.dirty[report.dirty["t_s"].between(0, LENGTH_S)].set_index("t_s")["gib"]
    limit = pd.Series({second: report.limit_gib(int(second), percent) for second in dirty.index})
    waits = report.waits.set_index("t_s").rolling(5, min_periods=1).mean()
    return [
        ("throughput", {"TPS": report.throughput.set_index("t_s")["tps"]}, 0),
        ("memory", {"Dirty": dirty, f"{percent:g} % of available memory": limit}, 1),
        ("backends", {text: waits[column] for column, text in WAITS.items()}, 3),
    ]


def simulated(summary: Summary) -> kit.Drawn:
    """Allocations that a pool of each size would have had, and those that were counted."""
    plot, rows = go.Figure(), []
    for place, (name, counts) in enumerate(summary.curves.items()):
        counted, fit = summary.reports[name].allocated, summary.fits[name]
        plot.add_scatter(
            x=list(SIZES_GIB), y=[each / 1e6 for each in counts], name=f"{titled(name)}, simulated",
            mode="lines+markers", line={"color": COLOURS[place], "dash": theme.DASHES[place]},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
        plot.add_scatter(
            x=[fit.gib], y=[counted / 1e6], name=f"{titled(name)}, counted", mode="markers",
            marker={"color": COLOURS[place], "symbol": "star", "size": 14},
            error_x=theme.error_bars([fit.gib], [fit.low], [fit.high]),
        )  # fmt: skip
        points = [(size, count, "simulated") for size, count in zip(SIZES_GIB, counts, strict=True)]
        rows += [(name, *each) for each in [*points, (fit.gib, counted, "counted, at the pool that fits")]]
    for size, top, text, side in (
        (4, 1.0, "4: what the smaller machine had", "left"), (16, 0.9, "16: what the note says", "right")
    ):  # fmt: skip
        plot.add_vline(x=size, line=GREY)
        plot.add_annotation(
            x=size, y=top, yref="paper", text=text, showarrow=False, xanchor=side, xshift=4 if side == "left" else -4,
            yanchor="top",
        )  # fmt: skip
    plot.update_xaxes(title="buffer pool (GiB)", range=[0, max(SIZES_GIB) + 1])
    plot.update_yaxes(title="pages allocated in the run (millions)", rangemode="tozero")
    return drawn("pool", plot, pd.DataFrame(rows, columns=["run", "pool (GiB)", "allocations", "what"]))


def titled(name: str) -> str:
    return name if name == BASELINE else f"run {name}"


def drawn(name: str, plot: go.Figure, data: pd.DataFrame) -> kit.Drawn:
    return kit.Drawn(plot, data, run_id=notes.run_id(*SOURCES[name]))


FIGURES = {"timelines": timelines, "pool": simulated}
