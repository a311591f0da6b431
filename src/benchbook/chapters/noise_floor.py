"""Two workloads, each under two labels, and TPC-B without our samplers: how far equal trials lie apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pydantic import model_validator

from benchbook import files, kit, statistics
from benchbook.drawing import marks
from benchbook.engines import pgbench as engine
from benchbook.engines.pgbench import Counters, Template, Transactions, Waits, WaitSampler
from benchbook.engines.postgres import identity, sessions
from benchbook.errors import BenchbookError
from benchbook.figures import theme
from benchbook.figures.prose import digits
from benchbook.measuring import pgbench, postgres
from benchbook.measuring.samples import Begun
from benchbook.notes.own_reports import evidence
from benchbook.numbers import environment
from benchbook.numbers.sentences import source, too_few_blocks
from benchbook.pages.tables import NOT_ESTIMABLE, shown


class Parameters(kit.ExperimentParameters):
    """Defaults are the standard profile: 15 blocks, so 30 trials of each workload; data 2.5 times the pool."""

    blocks: int = kit.common("blocks", 15)
    scale: int = kit.common("scale", 50)
    shared_buffers_mib: int = kit.param(290, 1, 1_000_000, "PostgreSQL's buffer pool in MiB")
    clients: int = kit.common("clients", 100, 1, 2_000, "pgbench clients, all busy all the time (closed loop)")
    threads: int = kit.common("threads", 1)
    warm_up_s: int = kit.param(5, 0, 3_600, "seconds after the cold start that the warm metrics leave out")
    duration_s: int = kit.param(15, 1, 36_000, "seconds measured; the note measured 60")
    direct_io: bool = kit.param(False, words="read and write past the OS page cache (PostgreSQL 16+), unlike the note")
    pin_cores: bool = kit.param(True, words="pgbench on one core and the server on the others (Linux, 2 cores or more)")

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        kit.refuse(self.threads > self.clients, f"threads={self.threads} exceeds clients={self.clients}")
        return self

    @property
    def data_over_pool(self) -> float:
        """Estimated bytes of tables and indexes over those of the buffer pool."""
        return self.scale * 15_200_000 / (self.shared_buffers_mib * 2**20)


WORKLOADS = {"select-only": ("select_only", "select_only_again"), "TPC-B-like": ("tpcb", "tpcb_again")}
"""Workload as figures name it -> its two labels. Everything else of the two is the same."""


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """Every arm, in the order of the figures. sampled: per-transaction log, and a look at the waits each second."""
    for workload, (first, again) in WORKLOADS.items():
        script = "select-only" if first == "select_only" else "tpcb-like"
        yield kit.Configuration(first, workload, {"script": script, "sampled": True})
        yield kit.Configuration(again, f"{workload}, again (A/A)", {"script": script, "sampled": True})
    yield kit.Configuration("tpcb_plain", "TPC-B-like, plain command", {"script": "tpcb-like", "sampled": False})


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for the data, their template, pgbench's log and the server's; memory for pool and clients; a PostgreSQL."""
    p = parameters
    logs = (p.warm_up_s + p.duration_s) * 3_000_000 + 2_000_000_000
    memory = p.shared_buffers_mib * 2**20 + p.clients * 5_000_000 + 700_000_000
    return kit.Needs(2 * engine.data_bytes(p.scale) + logs, memory, identity)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with pgbench's tables and their template, on which trials are measured."""
    with pgbench.tables.loaded(parameters.scale, needs(parameters).disk_bytes, progress) as found:
        sizes = found.heap_bytes, found.index_bytes
        yield Bench(parameters, found.binaries, found.cluster, *sizes, found.template)


@dataclass(frozen=True)
class Bench(postgres.Loaded[Parameters]):
    """Restored data, a fresh server with empty caches, certified, then pgbench, sampled or plain."""

    template: Template

    def settings(self) -> dict[str, kit.Scalar]:
        """The note's second round, as far as it does not depend on the machine; lz4 is not built into every server."""
        return super().settings() | pgbench.ROUND_2 | {
            "wal_buffers": "128MB", "wal_compression": "pglz", "max_connections": self.parameters.clients + 20,
            "shared_buffers": f"{self.parameters.shared_buffers_mib}MB",
        }  # fmt: skip

    def measure(self, planned: kit.PlannedTrial) -> kit.Trial:
        """Measure one configuration once."""
        p, settings = self.parameters, planned.configuration.settings
        work = pgbench.Workload(
            str(settings["script"]), clients=p.clients, threads=p.threads, duration_s=p.duration_s,
            warm_up_s=p.warm_up_s, seed=planned.seed, log=bool(settings["sampled"]),
        )  # fmt: skip
        begun = Begun()
        self.template.restore()
        self.start()
        try:
            with self.cluster.connect() as observer:
                in_pool, in_os_cache = self._resident(observer)
                with engine.connect(self.cluster) as session:
                    in_force = sessions.checked(session)
                before = engine.read_counters(observer, self.binaries)
                with WaitSampler(self.cluster.connect) if work.log else nullcontext() as sampler:
                    found = engine.run(self.cluster, work, pinned=self.cores)
                counted = engine.read_counters(observer, self.binaries) - before
        finally:
            self.cluster.stop()
        samples = stored(found)
        metrics = metrics_of(found, counted, None if sampler is None else sampler.waits)
        metrics |= {"in_pool_at_start": in_pool, "in_os_cache_at_start": in_os_cache}
        for latencies in samples.values():
            metrics |= reduce(latencies)
        state = statistics.cache_state(in_pool, in_os_cache, os_cache_in_play=not self.direct_io)
        labels = {"cache_state": str(state), "steadiness": steadiness(found.run_tps_per_s), "settings": in_force}
        return begun.ended(planned, metrics, labels, samples)

    def _resident(self, observer: postgres.Connection) -> tuple[float, float]:
        """Share of the data in shared buffers and in the OS page cache."""
        row = observer.execute(
            "SELECT d.oid, count(b.bufferid) * 8192 FROM pg_database d LEFT JOIN pg_buffercache b "
            "ON b.reldatabase = d.oid WHERE d.datname = %s GROUP BY d.oid",
            (engine.DATABASE,),
        ).fetchone()
        assert row is not None
        folder = self.cluster.data / "base" / str(row[0])
        pages = np.concatenate([files.cached_pages(path) for path in sorted(folder.iterdir()) if path.is_file()])
        return min(1.0, int(row[1]) / (self.heap_bytes + self.index_bytes)), float(pages.mean())


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics of the stored latencies in ns, int64, shape (stored,): of some transactions, or of mean seconds."""
    return pgbench.reduced(latencies, "stored")


def stored(found: Transactions) -> dict[str, np.ndarray]:
    """The samples of one trial: some transactions, else the mean latency of each reported second; int64 ns."""
    if found.latency_ns.size:
        return {"transaction": pgbench.subsample(found.latency_ns, 10_000)}
    seconds = found.progress.between(found.dropped_s, found.dropped_s + found.duration_s).mean_ns
    return {"second": seconds[np.isfinite(seconds)].astype(np.int64)}


def steadiness(run_tps_per_s: np.ndarray) -> str:
    """The class of a trial's course, warm-up included, or "too short" for one."""
    try:
        return str(statistics.steady_state(run_tps_per_s))
    except BenchbookError:
        return "too short"


def metrics_of(found: Transactions, counted: Counters, waits: Waits | None) -> dict[str, float | None]:
    """From all transactions of the window, and from the server's counts over the whole run (``run_``).

    report_*: from what pgbench itself reports each second, which the plain command has too. first_tps: from the first
    second of the cold start on. The plain command's tps is that of its report.
    """
    end = found.dropped_s + found.duration_s
    report, own = found.progress.between(found.dropped_s, end), engine.own_commits(found.workload)
    implied = float(np.mean(np.where(report.tps > 0, report.tps * np.nan_to_num(report.mean_ns), 0.0)) / 1e9)
    asked = counted.hits + counted.reads
    metrics: dict[str, float | None] = {
        "tps": found.tps, "first_tps": found.first_tps,
        "report_tps": found.progress.mean_tps(found.dropped_s, end),
        "report_first_tps": found.progress.mean_tps(0, found.duration_s),
        "transactions": float(found.processed),
        "count_difference": float(counted.commits - own - found.processed),
        "run_hit_ratio": counted.hits / asked if asked else None, "run_block_requests": float(asked),
        "run_checkpoints": float(counted.checkpoints), "run_wal_bytes": float(counted.wal_bytes),
        "little_ratio": implied / found.clients,
    }  # fmt: skip
    if found.latency_ns.size:
        metrics |= statistics.describe(found.latency_ns)
        metrics["little_ratio"] = found.tps * float(found.latency_ns.mean()) / 1e9 / found.clients
        metrics["failed"] = None if found.failed is None else float(found.failed)
        metrics |= {f"tps_second_{i:03d}": float(value) for i, value in enumerate(found.run_tps_per_s)}
    if waits is not None:
        seen = sum(waits.counts.values())
        locks = sum(count for name, count in waits.counts.items() if name.startswith("Lock:"))
        metrics |= {"looks": float(waits.looks), "looking_s": waits.seconds}
        metrics["lock_wait_share"] = locks / seen if seen else None
    return metrics


METRICS = {
    "tps": kit.Metric("throughput", heading="TPS"),
    "report_tps": kit.Metric("throughput as pgbench reports it", heading="TPS as pgbench reports it"),
    "first_tps": kit.Metric("throughput after a cold start"),
    "mean_ns": kit.Metric("mean latency", "ms", 1e-6),
    **{f"p{p}_ns": kit.Metric(f"P{p} of the latency", "ms", 1e-6, heading=f"P{p}") for p in (50, 95, 99)},
    "looks": kit.Metric("number of samples of the waits"),
    "looking_s": kit.Metric("time to sample the waits", "s"),
}
LATENCIES = ("mean_ns", "p50_ns", "p95_ns", "p99_ns")
PAIRED = ("tps", *LATENCIES)
"""What is compared between two labels of a workload."""
PLANNED_BLOCKS = 8
"""The number of blocks of which captions of other chapters say what they could show."""


class Summary(kit.Summary[Parameters]):
    """One run."""

    MEND = "raise duration_s"

    def in_time(self, workload: str) -> tuple[np.ndarray, np.ndarray]:
        """Trial numbers and TPS of both labels of a workload, in the order in which they were measured."""
        labels = WORKLOADS[workload]
        numbers = np.concatenate([self.in_blocks(arm)["trial"].to_numpy(dtype=int) for arm in labels])
        order = np.argsort(numbers)
        return numbers[order], np.concatenate([self.values(arm, "tps") for arm in labels])[order]

    def pair(self, workload: str, metric: str) -> np.ndarray:
        """Values of the two labels of a workload, shape (blocks, 2)."""
        return np.column_stack([self.values(arm, metric) for arm in WORKLOADS[workload]])

    def paired(self, workload: str) -> list[str]:
        """What both labels of a workload have."""
        return [metric for metric in PAIRED if all(self.has(arm, metric) for arm in WORKLOADS[workload])]

    def aa_ratio(self, workload: str, metric: str) -> kit.Effect:
        """The second label over the first, paired within blocks."""
        first, again = WORKLOADS[workload]
        return self.ratio((again, metric), (first, metric))

    def trial_sd(self, workload: str, metric: str = "tps") -> kit.Estimate:
        """Standard deviation of the log between trials of one block, from the A/A pair: as a share, 0.02 = 2 %."""
        return each_end(math.sqrt, statistics.trial_variance(*self.pair(workload, metric).T))

    def block_percent(self, workload: str, metric: str = "tps") -> float:
        """Standard deviation of the log between blocks, beyond that of their trials, in %."""
        return 100 * math.sqrt(statistics.decompose(self.pair(workload, metric))[0])

    def drift(self, workload: str, metric: str = "tps") -> kit.Told | None:
        """Slope of the logs of the blocks' geometric means, in % per block: two trials of one are no two witnesses.

        None of two blocks, which always lie on a line.
        """
        levels = np.exp(np.log(self.pair(workload, metric)).mean(axis=1))
        return kit.Told(statistics.drift(levels), 100.0) if levels.size > 2 else None

    def detectable(self, blocks: int, workload: str) -> kit.Estimate:
        """Smallest difference in TPS that so many blocks show with 80 % power, as a share; interval from the spread."""
        sd = self.trial_sd(workload)
        return each_end(lambda end: statistics.minimum_detectable(math.sqrt(2) * end, blocks) - 1, sd)

    def following(self, workload: str) -> SimpleNamespace:
        """How far a trial's TPS tells that of the next one, the bound for independence, and whether it is beyond."""
        _, values = self.in_time(workload)
        found = float(statistics.autocorrelation(np.log(values), 1)[0])
        bound = statistics.autocorrelation_bound(values.size)
        return SimpleNamespace(found=found, bound=bound, beyond=abs(found) > bound)

    def departures(self) -> list[str]:
        p = self.parameters
        few = f"{p.clients} clients on {p.scale} branches, which wait for each other's rows more than the note's did"
        found = {
            f"{p.duration_s} s per trial instead of 60": p.duration_s < 60,
            f"{p.warm_up_s} s dropped after the start instead of a whole discarded run": p.warm_up_s < 60,
            f"{p.clients} clients instead of 100": p.clients != 100,
            f"data {p.data_over_pool:.2g} times the pool instead of 2.5 times": not 2.25 <= p.data_over_pool <= 2.75,
            few: p.scale < p.clients,
            "reads and writes past the OS page cache": bool(self.run.provenance.get("direct_io")),
        }
        return [*(text for text, departs in found.items() if departs), *too_few_blocks(self.run)]

    def origin(self) -> str:
        length = f"{self.parameters.duration_s} s per trial after {self.parameters.warm_up_s} s dropped"
        return f"{self.run.blocks} blocks, {length}; {source(self.run)}, {self.on()}"


def each_end(of: Callable[[float], float], found: kit.Estimate) -> kit.Estimate:
    """The same of the number and of both ends of its interval."""
    return replace(found, point=of(found.point), low=of(found.low), high=of(found.high))


AA = ("tpcb_again", "tpcb")


def whole_gate(trials: pd.DataFrame, name: str, column: str, wanted: object, otherwise: str) -> kit.Gate:
    """Whether each of these trials has what is wanted; one without it fails too."""
    off = int((trials.reindex(columns=[column])[column] != wanted).sum())
    return kit.Gate(name, off == 0, float(off), f"{off} of {len(trials)} {otherwise}")


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """Equal counts; of the warm ratio steady trials, of the cold spread empty caches at the start.

    Of the plain command's trials nobody knows the course.
    """
    otherwise = "TPC-B-like trials count otherwise than the server"
    yield whole_gate(summary.of([*AA, "tpcb_plain"]), "counts agree", "count_difference", 0, otherwise)
    if answer.estimand.metric is None:
        cold = statistics.CacheState.COLD
        yield whole_gate(summary.of(["tpcb"]), "certificate", "cache_state", cold, "trials did not start cold")
    else:
        kinds, courses = statistics.Steadiness, summary.of(AA).reindex(columns=["steadiness"])["steadiness"]
        yield statistics.steady_gate([kinds(each) if each in set(kinds) else kinds.NONE for each in courses])


def cold(summary: Summary) -> kit.Estimate:
    """Coefficient of variation of the TPS from the cold start on, over one trial of each block.

    The A/A arm's trials stay out: two trials of one block share its moment, and are fewer than two repeats.
    """
    return statistics.sd_interval(summary.values("tpcb", "first_tps"))


def spread(ask: Callable[..., kit.Estimate], *given: object) -> Any:
    """A standard deviation or what follows from it, told in %."""
    return kit.percent(kit.told(ask, *given, quantity=kit.Quantity.DISPERSION))


KINDS = dict(zip(("select", "tpcb"), WORKLOADS, strict=True))
reported = kit.measured("report_tps")
PLAIN = reported["tpcb_plain"] / reported["tpcb"]
"""The plain command and the sampled one, both from pgbench's own report of the same seconds."""
NUMBERS = {
    "cold": kit.percent(kit.custom(cold, kit.Quantity.DISPERSION, "tpcb", report=evidence("R054"))),
    "plain": PLAIN,
    "again": {what: kit.measured("tps")[again] / kit.measured("tps")[first]
              for what, (first, again) in zip(KINDS, WORKLOADS.values(), strict=True)},
    "sd": {what: spread(Summary.trial_sd, workload) for what, workload in KINDS.items()},
    "seen": {what: spread(Summary.detectable, PLANNED_BLOCKS, workload) for what, workload in KINDS.items()},
}  # fmt: skip


def noise_floor_line(summary: Summary, blocks: int = PLANNED_BLOCKS) -> str:
    """One sentence for other chapters' pages: spread between trials, and what so many blocks cannot show."""
    spreads = [f"{digits(100 * summary.trial_sd(workload).point)} % ({workload})" for workload in WORKLOADS]
    hidden = [f"{digits(100 * summary.detectable(blocks, workload).point)} %" for workload in WORKLOADS]
    return (
        f"Noise floor of pgbench on this machine, from a separate run: trials of one block vary in TPS by "
        f"{' and '.join(spreads)}, so {blocks} blocks can show differences of {' and '.join(hidden)} or more"
    )


def canary(summary: Summary) -> dict[str, float]:
    """How far each small fixed load moves by itself on this machine while nothing else runs, as a share."""
    found = environment.spreads(pd.DataFrame(summary.run.canary))
    return {environment.READINGS[name]: value for name, value in found.items()}


def missed(summary: Summary) -> list[bool]:
    """Of each interval of a configuration over itself, whether it misses 1."""
    found = [summary.aa_ratio(workload, metric) for workload in WORKLOADS for metric in summary.paired(workload)]
    return [not each.low <= 1 <= each.high for each in found]


WORDS: dict[str, Callable[[Summary], Any]] = {
    "planned": lambda summary: PLANNED_BLOCKS, "canary": canary, "missed": missed,
    **{f"{name}_{what}": partial(ask, workload=workload) for what, workload in KINDS.items() for name, ask in (
        ("drift", Summary.drift), ("next", Summary.following), ("blocks", Summary.block_percent),
    )},
    "sample_ms": lambda s: 1000 * sum(s.values("tpcb", "looking_s").tolist()) / (s.values("tpcb", "looks").sum() or 1),
    "data_bytes": lambda summary: sum(summary.run.provenance[f"{part}_bytes"] for part in ("heap", "index")),
    "pinned": lambda summary: summary.run.provenance.get("pinned"),
}  # fmt: skip


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with its interval, variation, latencies, hit ratio, course, cache at the start."""

    def variation(metric: str, arm: str) -> str:
        return shown(lambda: statistics.sd_interval(summary.values(arm, metric)), factor=100)

    def mean(metric: str, arm: str) -> float:
        return float(summary.in_blocks(arm)[metric].mean())

    def counts(column: str, arm: str) -> str:
        labels = summary.in_blocks(arm)[column].value_counts().items()
        return ", ".join(f"{label} ({count})" for label, count in labels)

    columns: dict[str, Callable[[str], str]] = {
        "TPS (thousands)": lambda arm: shown(summary.level, arm, "tps", factor=1e-3),
        "variation (%)": partial(variation, "tps"),
        "variation from cold start (%)": partial(variation, "first_tps"),
        **kit.levels(summary, *LATENCIES, otherwise=NOT_ESTIMABLE),
        "hit ratio of the run": lambda arm: f"{mean('run_hit_ratio', arm):.4f}",
        "clients by Little's law": lambda arm: f"{mean('little_ratio', arm) * summary.parameters.clients:.4g}",
        "course": partial(counts, "steadiness"), "cache at the start": partial(counts, "cache_state"),
    }  # fmt: skip
    return kit.table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def decomposition(summary: Summary) -> pd.DataFrame:
    """Standard deviations in % between blocks and between trials, drift per block, and blocks for ±1, 2, 5 %."""
    rows = []
    for workload, metric in ((each, metric) for each in WORKLOADS for metric in summary.paired(each)):
        sd, slope = summary.trial_sd(workload, metric).point, summary.drift(workload, metric)
        row: dict[str, object] = {
            "workload": workload, "metric": METRICS[metric].brief,
            "between blocks (%)": f"{summary.block_percent(workload, metric):.2g}",
            "between trials (%)": f"{100 * sd:.2g}",
            "drift per block (%)": "" if slope is None else str(slope),
        }  # fmt: skip
        for half_width in (0.01, 0.02, 0.05):
            blocks = statistics.blocks_for(math.sqrt(2) * sd, half_width)
            row[f"blocks for a ratio ±{half_width:.0%}"] = "over 10,000" if blocks is None else f"{blocks:,}"
        rows.append(row)
    return pd.DataFrame(rows).set_index(["workload", "metric"])


TABLES = {"overview": overview, "decomposition": decomposition}


def trials(summary: Summary) -> kit.Drawn:
    """Every trial of both workloads in order of time, as a share of its workload's geometric mean."""
    plot, tables, said = go.Figure(), [], {}
    for place, workload in enumerate(WORKLOADS):
        numbers, values = summary.in_time(workload)
        level = float(np.exp(np.log(values).mean()))
        percent = 100 * values / level
        columns = {"workload": workload, "trial": numbers, "TPS": values, "percent of the mean": percent}
        tables.append(pd.DataFrame(columns))
        plot.add_scatter(
            x=numbers, y=percent, mode="lines+markers", name=f"{workload} (mean {level:,.0f} TPS)",
            line={"color": marks.COLOURS[place], "dash": theme.DASHES[place], "width": 1},
            marker={"symbol": theme.SYMBOLS[place], "size": 8},
        )  # fmt: skip
        said[workload] = percent.min(), percent.max()
    plot.update_xaxes(title="trial, in order of time")
    plot.update_yaxes(title="TPS (% of the workload's mean)")
    return kit.Drawn(plot, pd.concat(tables, ignore_index=True), said)


SAMPLERS = "TPC-B-like, plain command over sampled"


def rows_of(comparison: str, summary: Summary, key: tuple[str, str]) -> kit.Estimate:
    """The ratios of one comparison, in the rows that are its own."""
    if key[0] != comparison:
        raise kit.NotEstimableError("the row is for another comparison", "look there")
    return PLAIN(summary) if comparison == SAMPLERS else summary.aa_ratio(*key)


FIGURES = {
    "trials": trials,
    "aa": kit.Dots(
        rows={(workload, each): f"{METRICS[each].brief} ({workload})" for workload in WORKLOADS for each in PAIRED}
        | {(SAMPLERS, "report_tps"): METRICS["report_tps"].brief}, row="metric", heading="comparison",
        series={f"{workload}, again over first": partial(rows_of, workload) for workload in WORKLOADS}
        | {SAMPLERS: partial(rows_of, SAMPLERS)},
        axis="ratio (1 = the same)", quantity="ratio", scale="plain", rule=1, replicates="blocks",
    ),
    "detectable": kit.Lines(
        over=lambda summary: (3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 40), across="blocks", rows=True, heading="workload",
        series={each: partial(Summary.detectable, workload=each) for each in WORKLOADS},
        axis="smallest difference shown (%)", quantity="difference (%)", factor=100, replicates="A/A pairs",
    ),
}  # fmt: skip
