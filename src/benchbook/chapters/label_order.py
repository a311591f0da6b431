"""Six labels behind which is one and the same program, half of them after a pause: whether what runs first differs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from benchbook import files, kit, notes, statistics, store, temporary
from benchbook.claims import chapter_claims, region
from benchbook.drawing.marks import COLOURS, add_dots, by_label
from benchbook.engines import bounds
from benchbook.engines.storage.volumes import Volume
from benchbook.figures import theme, with_interval
from benchbook.measuring import badger
from benchbook.measuring.storage import check
from benchbook.model import Trial
from benchbook.numbers.quantities import Told
from benchbook.numbers.sentences import source
from benchbook.pages.tables import table
from benchbook.statistics.effects import TOST_CONFIDENCE

LABELS = tuple(f"label_{letter}" for letter in "abcdef")
PAUSES = {"after a pause": LABELS[:3], "without a pause": LABELS[3:]}
"""What is between a label and the one before it, with the labels that have it."""
COUNTED_BYTES = 8 << 30
"""Of a control group that bounds nothing: it counts what its members wrote and the kernel has not."""


class Parameters(badger.Stored, badger.Bursts):
    """Defaults are the standard profile: the note's events and cache sizes, and short rests between bursts."""

    blocks: int = kit.common("blocks", 12, high=200)
    block_cache_mib: int = kit.param(64, 0, 1 << 20, "block cache in MiB", asks="MiB of block cache")
    index_cache_mib: int = kit.param(32, 0, 1 << 20, "index cache in MiB", asks="MiB of index cache")
    rest_s: float = kit.param(5, 0, 3_600, "rest of the machine before the first label of a block")
    pause_s: float = kit.param(10, 0, 3_600, "pause before a later label of A to C (the note: 5); D to F have none")


def configurations(parameters: Parameters) -> Iterator[kit.Configuration]:
    """One per label. They differ in the pause before them alone, and the name of a label never reaches the probe."""
    sizes = parameters.block_cache_mib, parameters.index_cache_mib
    for name in LABELS:
        pause_s = parameters.pause_s if name in PAUSES["after a pause"] else 0
        yield badger.arm(name, f"label {name[-1].upper()}", *sizes, pause_s=pause_s)


def needs(parameters: Parameters) -> kit.Needs:
    """Disk for a block's stores, which stay until it ends; memory, the one build of the probe, and slow storage."""
    p, arms = parameters, [*configurations(parameters)]
    own, pauses_s = badger.needs(p, arms), p.rest_s + sum(float(arm.settings["pause_s"] or 0) for arm in arms)
    block_s = pauses_s + (4.0 if p.allow_slow_storage else 0.0) + len(arms) * 5.0 * p.events / 50_000
    return replace(
        own,
        disk_bytes=own.disk_bytes + len(LABELS) * p.store_bytes + badger.storage.SPARE_BYTES,
        minutes=p.blocks * block_s / 60,
        usable=lambda: check(allowed=p.allow_slow_storage),
    )


@dataclass(frozen=True)
class Bench(badger.Bench):
    """The program, the folder of a block's stores, and what counts their unwritten data.

    under_way: the block, with the certificate of its volume; none before the first.
    """

    parameters: Parameters
    stores: Path
    volume: Volume | None
    counting: bounds.MemoryBound
    under_way: dict[int, Mapping[str, float | None]] = field(default_factory=dict)

    def provenance(self) -> dict[str, Any]:
        """The family's, and what the machine allowed."""
        kept = "local disk" if self.volume is None else f"a volume of their own, {self.parameters.cap}"
        return {**super().provenance(), "storage": kept, "backlog_counted": self.counting.bounded}

    def measure(self, planned: kit.PlannedTrial, store: Path | None = None) -> Trial:
        """Measure one label once: the first of a block on a machine that has rested, a later one after its pause."""
        p, volume, seen = self.parameters, self.volume, self.counting.reading
        if planned.block in self.under_way:
            time.sleep(float(planned.configuration.settings["pause_s"] or 0))
        else:  # nothing is left by the block before: its stores are removed, what else waited is written
            shutil.rmtree(self.stores, ignore_errors=True)
            self.stores.mkdir()
            os.sync()
            self.under_way.clear()
            self.under_way[planned.block] = {} if volume is None else badger.storage.certified(volume, p.cap)
            time.sleep(p.rest_s)
        (folder := self.stores / planned.configuration.name).mkdir()
        waiting = unwritten(seen())
        with self.counting.inside():
            found = super().measure(planned, folder)
        own = {"backlog_start_bytes": waiting, "backlog_end_bytes": unwritten(seen())}
        labels = {**found.labels, "storage": "not capped" if volume is None else str(p.cap)}
        return replace(found, metrics={**found.metrics, **self.under_way[planned.block], **own}, labels=labels)


def unwritten(now: Any) -> float | None:
    """What the labels wrote and the kernel has not, in bytes; None where nothing counts it."""
    return None if now is None else float(now.dirty_bytes + now.writeback_bytes)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The program, and a disk that is capped until the end."""
    p, arms, room = parameters, [*configurations(parameters)], len(LABELS) * parameters.store_bytes
    with ExitStack() as stack:
        volume = stack.enter_context(badger.storage.placed(p, room))
        scratch = files.scratch(room) if volume is None else volume.folder
        place = stack.enter_context(temporary.folder("probe", scratch))
        counting = stack.enter_context(bounds.memory(COUNTED_BYTES))
        if volume is not None:
            stack.enter_context(volume.capped(p.cap))
        yield Bench(p, arms, *badger.ready(p, arms, progress), place / "stores", volume, counting)


reduce = badger.reduce

KINDS = {"mean": "burst_mean_ns", "p95": "burst_p95_ns"}
MEAN = KINDS["mean"]
"""What both the note and the probe tell of a burst."""
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
OTHERS = ("burst_p50_ns", "burst_p99_ns", "response_mean_ns", "peak_test_events_per_s")
"""What is shown beside the claims without a rule of its own."""
REPORTS = {"B008": badger.reports.order("mean_ms"), "B010": badger.reports.order("p95_ms")}
"""What the logs of the note's own benchmark show: one program under several names, one after the other."""
AA = ("label_b", "label_a")


METRICS = badger.METRICS


class Summary(badger.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def trials(self) -> pd.DataFrame:
        """As in the run, in order of time, with each trial's ``place`` in its block from 0."""

        def placed() -> pd.DataFrame:
            trials = self.run.trials.sort_values("trial").reset_index(drop=True)
            return trials.assign(place=trials.groupby("block").cumcount())

        return self.once("trials", placed)

    def grid(self, metric: str, column: str) -> np.ndarray:
        """Values by "configuration" or by "place", shape (blocks, labels), the first column of what was run first."""
        if metric not in self.trials or self.trials[metric].isna().any():
            raise kit.NotEstimableError(f"{self.in_words(metric)} is not estimable in every trial", "raise events")
        return self.trials.pivot(index="block", columns=column, values=metric).to_numpy(dtype=float)

    def first_and_later(self, metric: str, pause: str = "after a pause") -> tuple[np.ndarray, list[np.ndarray]]:
        """Values of the label run first, shape (blocks,), and per block those of later ones with this pause."""
        first, trials = self.grid(metric, "place")[:, 0], self.trials
        later = trials[(trials["place"] > 0) & trials["configuration"].isin(PAUSES[pause])]
        return first, [rows[metric].to_numpy(dtype=float) for _, rows in later.groupby("block", sort=True)]

    def first_over_later(self, metric: str, pause: str = "after a pause") -> kit.Effect:
        """The label run first over the labels run later with this pause: their geometric mean in the same block."""
        first, later = self.first_and_later(metric, pause)
        return self.estimated(statistics.ratio, first, np.array([geometric(each) for each in later]))

    def tail(self) -> kit.Estimate:
        """P95 over mean of a trial, as geometric mean over blocks of their trials' geometric means."""
        tails = self.grid(KINDS["p95"], "configuration") / self.grid(MEAN, "configuration")
        return self.estimated(statistics.geometric_mean, geometric(tails))

    def apart(self, metric: str) -> SimpleNamespace:
        """Exploratory: whether labels, and what was run first, differ by more than a random order sets apart."""
        generators = (np.random.default_rng(np.random.SeedSequence(self.run.seed, spawn_key=(2,))) for _ in range(2))
        return SimpleNamespace(  # keys 0 and 1 are those of the order and of the blocks' seeds
            labels=statistics.arms_apart(self.grid(metric, "configuration"), next(generators)),
            first=statistics.first_apart(self.grid(metric, "place"), next(generators)),
        )

    def times_first(self) -> dict[str, int]:
        """How many blocks each label opened."""
        openers = self.trials.loc[self.trials["place"] == 0, "configuration"]
        return {arm: int((openers == arm).sum()) for arm in self.arms}

    def in_order(self) -> list[kit.Gate]:
        """Trials began in the order of the plan."""
        if "started_at" not in self.trials:
            return []
        early = int((pd.to_datetime(self.trials["started_at"], utc=True).diff() < pd.Timedelta(0)).sum())
        reason = f"{early} trials began before the trial that is recorded as preceding them"
        return [kit.Gate("order", early == 0, float(early), reason)]

    def departures(self) -> list[str]:
        """How this run differs from the note's benchmark, and from an undisturbed run, each as half a sentence."""
        halted = int((self.trials.groupby("block")["session"].nunique() > 1).sum()) if "session" in self.trials else 0
        told = f"{halted} of {self.run.blocks} blocks interrupted and resumed later"
        return super().departures() + ([told] if halted else [])

    def origin(self) -> str:
        """Half a sentence under figures: which run, how many blocks, on what."""
        return f"{self.run.blocks} blocks of {len(self.arms)} labels{self.sizes()}; {source(self.run)}, {self.on()}"


def geometric(values: np.ndarray) -> Any:
    """Geometric mean along the last axis."""
    return np.exp(np.log(values).mean(axis=-1))


def checks(summary: Summary, answer: kit.Answer) -> Iterable[kit.Gate]:
    """The probe timed what the store saved; trials began in the order of the plan."""
    return [*summary.counts_agree(), *summary.in_order()]


def first(metric: str, pause: str) -> Any:
    """A latency of the label run first over that of the labels run later in the same block."""
    return kit.custom(lambda summary: summary.first_over_later(metric, pause), kit.Quantity.COMPARISON, aa=metric)


def drift(summary: Summary) -> kit.Estimate:
    """Slope of the logs of the blocks' geometric means, per block."""
    if summary.run.blocks < 3:
        raise kit.NotEstimableError("two blocks always lie on a line", "measure more blocks")
    return statistics.drift(geometric(summary.grid(MEAN, "configuration")))


NUMBERS = {
    "first": {what: first(metric, "after a pause") for what, metric in KINDS.items()},
    "at_once": {what: first(metric, "without a pause") for what, metric in KINDS.items()},
    "labels": {what: kit.measured(metric)[AA[0]] / kit.measured(metric)[AA[1]] for what, metric in KINDS.items()},
    "tail": kit.custom(Summary.tail, kit.Quantity.COUNTER),
    "drift": kit.percent(kit.custom(drift, kit.Quantity.DISPERSION)),
}


def pairs(values: np.ndarray) -> np.ndarray:
    """Larger over smaller of every two labels of a block, shape (blocks, pairs). values: shape (blocks, labels)."""
    one, other = np.triu_indices(values.shape[1], 1)
    found: np.ndarray = np.exp(np.abs(np.log(values[:, one]) - np.log(values[:, other])))
    return found


def chance(summary: Summary, what: str) -> SimpleNamespace:
    """How often two equal labels are as far apart as the note's. what: of KINDS.

    Pairs of one block share trials and are no replicates, so their share has no interval; blocks are.
    """
    found, (slow, fast) = pairs(summary.grid(KINDS[what], "configuration")), (noted(summary)[what] for noted in NOTED)
    far = found >= slow / fast
    held = int(far.any(axis=1).sum())
    blocks = statistics.share_of_trials(held, len(far))
    return SimpleNamespace(
        note=slow / fast, largest=float(found.max()), far=int(far.sum()), pairs=far.size, blocks=blocks, in_blocks=held
    )


def waiting(summary: Summary) -> dict[str, float]:
    """MB that waited to be written when the first label began, and later ones after a pause and without one."""
    seen = {name: summary.first_and_later("backlog_start_bytes", pause)
            for name, pause in zip(("paused", "at_once"), PAUSES, strict=True)}  # fmt: skip
    later = {name: float(np.mean([each.mean() for each in values])) / 1e6 for name, (_, values) in seen.items()}
    return {"first": float(seen["paused"][0].mean()) / 1e6, **later}


def relays(summary: Summary) -> dict[str, float]:
    """What the note prints for its two labels in ms, where its repository has one program behind both."""
    if notes.reading("programs_behind_relay_labels") != 1:
        raise kit.NotEstimableError("the labels stand for different programs", "correct data/notes/readings.csv")
    return {name: noted(summary)["mean"] for name, noted in zip(("slow", "fast"), NOTED, strict=True)}


NOTED = tuple(badger.notes.WORDS.values())


def logged(summary: Summary, pick: Any) -> Any:
    """Of the burst means of the program in the note's own logs, in ms, shape (names, rounds)."""
    return pick(badger.reports.bursts("mean_ms").to_numpy())


WORDS: dict[str, Callable[[Any], Any]] = {
    **badger.notes.WORDS,
    "openers": Summary.times_first,
    "waiting": waiting,
    "relays": relays,
    **{f"logged_{name}": partial(logged, pick=pick) for name, pick in
       {"names": len, "least": np.min, "most": np.max, "times": lambda found: found.max() / found.min()}.items()},
    **{f"chance_{what}": partial(chance, what=what) for what in KINDS},
    **{f"permuted_{what}": partial(Summary.apart, metric=metric) for what, metric in KINDS.items()},
    "note_pause_s": lambda summary: notes.reading("pause_between_labels_s"),
}  # fmt: skip


def overview(summary: Summary) -> pd.DataFrame:
    """Per label and per place in the block: latencies with intervals."""
    labels = {summary.label(arm): str(times) for arm, times in summary.times_first().items()}
    groups = {"configuration": labels, "place": {f"run {name}": "" for name in PLACES}}
    rows = [({"label or place": name, "times first": times}, (column, place))
            for column, names in groups.items() for place, (name, times) in enumerate(names.items())]  # fmt: skip

    def level(metric: str, of: tuple[str, int]) -> str:
        values = summary.grid(metric, of[0])[:, of[1]]
        return with_interval(summary.estimated(statistics.geometric_mean, values), 1e-6)

    metrics = (*KINDS.values(), "burst_p99_ns", "response_mean_ns")
    columns = {summary.METRICS[metric].column: partial(level, metric) for metric in metrics}
    return table(rows, columns).reset_index("times first")


def chances(summary: Summary) -> pd.DataFrame:
    """Mean and P95: the note's ratio, the largest here, how often that far apart, and the permutation tests."""
    columns: dict[str, Callable[[str], str]] = {
        "the note's two labels": lambda what: f"{NOTED[0](summary)[what] / NOTED[1](summary)[what]:.2f}",
        "largest ratio of two equal labels": lambda what: f"{chance(summary, what).largest:.3g}",
        "pairs that far apart": lambda what: "{0.far} of {0.pairs}".format(chance(summary, what)),
        "blocks with such a pair (%)": lambda what: with_interval(chance(summary, what).blocks, 100),
        "labels differ (p)": lambda what: f"{summary.apart(KINDS[what]).labels.p_value:.2g}",
        "first differs (p)": lambda what: f"{summary.apart(KINDS[what]).first.p_value:.2g}",
    }
    return table([({"latency": summary.in_words(metric)}, what) for what, metric in KINDS.items()], columns)


def logs(summary: Summary) -> pd.DataFrame:
    """The note's own program under each name, in the order of the runs: latencies of both rounds."""
    found = {f"burst {words}, round {number} (ms)": badger.reports.bursts(column)[number].round(2)
             for column, words in badger.reports.PRINTED.items() for number in (1, 2)}  # fmt: skip
    return pd.DataFrame(found).rename_axis(["started (UTC)", "name"])


TABLES = {"overview": overview, "chances": chances, "logs": logs}


def ratios(summary: Summary) -> kit.Drawn | kit.Blank:
    """The first label over the later ones, with the regions of the claims; and the A/A pair."""
    claims = {str(each.estimand.metric): each.claim for each in summary.chapter.answers.given}
    timed = [each for each in (*claims, *OTHERS) if len(summary.having(summary.arms, each)) == len(LABELS)]
    if not timed:
        return kit.Blank("No burst was timed in every trial", "measure again")
    claimed = {each: f"{summary.in_words(each)} ({claims[each]})" for each in timed if each in claims}
    plot = go.Figure()
    for metric, words in claimed.items():
        asked = region(chapter_claims(summary.chapter.name)[claims[metric]], difference=False)
        plot.add_scatter(
            x=[asked.low, asked.high], y=[words] * 2, mode="lines", opacity=0.45,
            name="what counts as no difference", showlegend=metric == next(iter(claimed)),
            line={"color": COLOURS[5], "width": 14, "dash": "solid"},
        )  # fmt: skip
    effects = {claimed.get(each, summary.in_words(each)): summary.first_over_later(each) for each in timed}
    narrow = {words: summary.at(TOST_CONFIDENCE).first_over_later(each) for each, words in claimed.items()}
    again = {f"{summary.in_words(each)}, label B over label A": summary.ratio((AA[0], each), (AA[1], each))
             for each in claimed}  # fmt: skip
    at_once = {f"{summary.in_words(each)}, no pause": summary.first_over_later(each, "without a pause")
               for each in claimed}  # fmt: skip
    add_dots(plot, 0, "run first over run later", effects)
    add_dots(plot, 2, "run first over run later, without a pause", at_once)
    add_dots(plot, 1, "two labels (A/A)", again)
    plot.add_vline(x=1, line={"color": theme.COLOURS["grey"], "dash": "dash"})
    plot.update_xaxes(title="first ÷ later (above 1: more when run first)")
    every = effects | at_once | again
    by_label(plot, [*every], height=180, each=32)
    rows = [
        {"comparison": name, "ratio": e.point, "low": e.low, "high": e.high}
        | {f"{end} (90 %)": getattr(narrow.get(name), end, None) for end in ("low", "high")}
        | {"blocks": e.n}
        for name, e in every.items()
    ]
    said = {name: Told(effect) for name, effect in effects.items()}
    return kit.Drawn(plot, pd.DataFrame(rows), said, [*every.values()], beside=[*narrow.values()])


def two_labels(summary: Summary) -> kit.Drawn:
    """Every two labels of a block: the larger over the smaller, beside the note's two; and where a host begins."""
    found, note = pairs(summary.grid(MEAN, "configuration")), chance(summary, "mean").note
    blocks, each = found.shape
    numbers, widest = np.repeat(np.arange(blocks), each), found.max(axis=1)
    plot = go.Figure()
    for place, (x, y, name, look) in enumerate(
        [(numbers, found.ravel(), "two labels of the block", {"opacity": 0.8}),
         (np.arange(blocks), widest, "the two furthest apart", {})]
    ):  # fmt: skip
        marker = {"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 6 + 4 * place}
        plot.add_scatter(x=x, y=y, mode="markers", name=name, marker=marker, **look)
    plot.add_scatter(
        x=[-0.5, blocks - 0.5], y=[note, note], mode="lines", name="the note's two labels",
        line={"dash": "dash", "color": COLOURS[5]},
    )  # fmt: skip
    begins, processors = 0, [store.model_of(part.provenance) for part in summary.run.parts]
    for part, processor in zip(summary.run.parts, processors, strict=True) if len({*processors}) > 1 else ():
        plot.add_vline(
            x=begins - 0.5, line={"color": theme.COLOURS["grey"], "dash": "dot"}, annotation_text=processor,
            annotation_position="top right",
        )  # fmt: skip
        begins += part.blocks
    plot.update_xaxes(title="block, in order of time", range=[-0.8, blocks - 0.2])
    plot.update_yaxes(**theme.ticks([1, note, *widest]), title=f"{summary.in_words(MEAN)}: larger ÷ smaller")
    data = {"block": numbers, "ratio of two labels": found.ravel(), "the note's ratio": note}
    return kit.Drawn(plot, pd.DataFrame(data), said=len({*processors}))


FIGURES = {
    "first": ratios,
    "pairs": two_labels,
}
