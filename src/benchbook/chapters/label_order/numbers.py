"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.label_order import pairs
from benchbook.chapters.label_order.arms import AT_ONCE, FIRST_LABEL, PAUSED, SECOND_LABEL, Parameters
from benchbook.chapters.label_order.pairs import BURSTS, MEAN, P95
from benchbook.claims import Quantity
from benchbook.figures import with_interval
from benchbook.measuring.badger import reports, summary
from benchbook.measuring.badger.notes import FAST, SLOW
from benchbook.model import Effect, Estimate
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, custom, ratio
from benchbook.numbers.quantities import percent
from benchbook.numbers.sentences import source
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.tables import table
from benchbook.statistics import Gate, Permutation

AA = (SECOND_LABEL, FIRST_LABEL)
PERMUTATIONS = 2
"""Key of the generator of the permutation tests; those of the order and of the blocks' seeds are 0 and 1."""
REPORTS = {"B008": reports.order("mean_ms"), "B010": reports.order("p95_ms")}
"""What the logs of the note's own benchmark show: one program under several names, one after the other."""
PAUSE, NO_PAUSE = "after a pause", "without a pause"
PAUSES = {PAUSE: PAUSED, NO_PAUSE: AT_ONCE}
"""What is between a label and the one before it, with the labels that have it."""
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    @property
    def trials(self) -> pd.DataFrame:
        """As in the run, in order of time, with each trial's ``place`` in its block from 0."""
        return self.once("trials", self._placed)

    def by_label(self, metric: str) -> np.ndarray:
        """Values by label, shape (blocks, labels), labels in the order of the configurations.

        Raises NotEstimableError when a trial lacks the metric, as this method's twin does.
        """
        return self._grid(metric, "configuration", self.arms)

    def by_place(self, metric: str) -> np.ndarray:
        """Values by place in the block, shape (blocks, labels): the first column holds what was run first."""
        return self._grid(metric, "place", range(len(PLACES)))

    def first_over_later(self, metric: str, pause: str = PAUSE) -> Effect:
        """The label run first over the labels run later with this pause: their geometric mean in the same block."""
        first, later = self.first_and_later(metric, pause)
        means = np.array([float(np.exp(np.log(each).mean())) for each in later])
        return self.estimated(statistics.ratio, first, means)

    def first_and_later(self, metric: str, pause: str = PAUSE) -> tuple[np.ndarray, list[np.ndarray]]:
        """Values of the label run first, shape (blocks,), and per block those of later ones with this pause, two or
        three of them. pause: one of PAUSES.
        """
        first = self.by_place(metric)[:, 0]
        trials = self.trials
        later = trials[(trials["place"] > 0) & trials["configuration"].isin(PAUSES[pause])]
        return first, [rows[metric].to_numpy(dtype=float) for _, rows in later.groupby("block", sort=True)]

    def carried_over(self, pause: str = PAUSE) -> float:
        """Bytes more that wait to be written when a later label begins than when the first does, mean over blocks."""
        first, later = self.first_and_later("backlog_start_bytes", pause)
        return float(np.mean([each.mean() for each in later]) - first.mean())

    def labels_apart(self, metric: str) -> Permutation:
        """Exploratory: whether the labels differ by more than their random order would set them apart."""
        return statistics.arms_apart(self.by_label(metric), self._generator())

    def first_apart(self, metric: str) -> Permutation:
        """Exploratory: whether what was run first differs from the rest by more than a random order would."""
        return statistics.first_apart(self.by_place(metric), self._generator())

    def tail(self) -> Estimate:
        """P95 over mean of a trial, as geometric mean over blocks of their trials' geometric means."""
        tails = self.by_label("burst_p95_ns") / self.by_label("burst_mean_ns")
        return self.estimated(statistics.geometric_mean, _geometric(tails))

    def drift(self, metric: str) -> Estimate:
        """Slope of the logs of the blocks' geometric means, per block."""
        return statistics.drift(_geometric(self.by_label(metric)))

    def times_first(self, label: str) -> int:
        """How many blocks a label opened."""
        return int((self.trials.loc[self.trials["place"] == 0, "configuration"] == label).sum())

    def in_order(self) -> list[Gate]:
        """Trials began in the order of the plan."""
        if "started_at" not in self.trials:
            return []
        begun = pd.to_datetime(self.trials["started_at"], utc=True)
        early = int((begun.diff() < pd.Timedelta(0)).sum())
        reason = f"{early} trials began before the trial that is recorded as preceding them"
        return [Gate("order", early == 0, float(early), reason)]

    def departures(self) -> list[str]:
        """How this run differs from the note's benchmark, and from an undisturbed run, each as half a sentence."""
        found = super().departures()
        if "session" in self.trials:
            halted = int((self.trials.groupby("block")["session"].nunique() > 1).sum())
            if halted:
                found.append(f"{halted} of {self.run.blocks} blocks interrupted and resumed later")
        return found

    def origin(self) -> str:
        """Half a sentence under figures: which run, how many blocks, on what."""
        return f"{self.run.blocks} blocks of {len(self.arms)} labels{self.sizes()}; {source(self.run)}, {self.on()}"

    def _placed(self) -> pd.DataFrame:
        trials = self.run.trials.sort_values("trial").reset_index(drop=True)
        trials["place"] = trials.groupby("block").cumcount()
        return trials

    def _grid(self, metric: str, column: str, order: Sequence[object]) -> np.ndarray:
        if metric not in self.trials or self.trials[metric].isna().any():
            raise NotEstimableError(f"{self.in_words(metric)} is not estimable in every trial", "raise events")
        table = self.trials.pivot(index="block", columns=column, values=metric)
        return table.sort_index()[[*order]].to_numpy(dtype=float)

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.run.seed, spawn_key=(PERMUTATIONS,)))


def _geometric(values: np.ndarray) -> np.ndarray:
    """Geometric mean of each row, shape (blocks,)."""
    means: np.ndarray = np.exp(np.log(values).mean(axis=1))
    return means


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """The probe timed what the store saved; trials began in the order of the plan."""
    return [*summary.counts_agree(), *summary.in_order()]


def _first(metric: str, pause: str = PAUSE) -> Estimand:
    """Ratio of a latency of the label run first over that of the labels run later in the same block."""
    return custom(
        lambda summary: summary.first_over_later(metric, pause),
        Quantity.COMPARISON,
        aa=metric,
    )


def _drift(summary: Summary) -> Estimate:
    if summary.run.blocks < 3:
        raise NotEstimableError("two blocks always lie on a line", "measure more blocks")
    return summary.drift(MEAN)


KINDS = {"mean": MEAN, "p95": P95}
NUMBERS = {
    **{f"first_{what}": _first(metric) for what, metric in KINDS.items()},
    **{f"at_once_{what}": _first(metric, NO_PAUSE) for what, metric in KINDS.items()},
    **{f"labels_{what}": ratio(SECOND_LABEL, FIRST_LABEL, metric) for what, metric in KINDS.items()},
    "tail": custom(lambda summary: summary.tail(), Quantity.COUNTER),
    "drift": percent(custom(_drift, Quantity.DISPERSION)),
}


def _waiting(summary: Summary) -> dict[str, float]:
    """MB that waited to be written when the first label began, and later ones after a pause and without one."""
    first = float(summary.first_and_later("backlog_start_bytes")[0].mean()) / 1e6
    paused, at_once = (first + summary.carried_over(pause) / 1e6 for pause in (PAUSE, NO_PAUSE))
    return {"first": first, "paused": paused, "at_once": at_once}


def _relays(summary: Summary) -> dict[str, float]:
    """What the note prints for its two labels in ms, where its repository has one program behind both."""
    if notes.reading("programs_behind_relay_labels") != 1:
        raise NotEstimableError("the labels stand for different programs", "correct data/notes/readings.csv")
    return {"slow": pairs.note_ms(SLOW, MEAN), "fast": pairs.note_ms(FAST, MEAN)}


def _logged(pick: Callable[[np.ndarray], Any]) -> Callable[[Summary], Any]:
    """Of the burst means of the program in the note's own logs, in ms, shape (names, rounds)."""
    return lambda summary: pick(reports.bursts("mean_ms").to_numpy())


WORDS: dict[str, Callable[[Summary], Any]] = {
    "openers": lambda summary: {arm: summary.times_first(arm) for arm in summary.arms},
    "waiting": _waiting,
    "relays": _relays,
    "logged_names": _logged(len),
    "logged_least": _logged(np.min),
    "logged_most": _logged(np.max),
    "logged_times": _logged(lambda found: found.max() / found.min()),
    **{f"chance_{what}": partial(pairs.chance, metric=metric) for what, metric in KINDS.items()},
    **{f"permuted_{what}": partial(pairs.permuted, metric=metric) for what, metric in KINDS.items()},
    "noted_slow": lambda summary: {what: pairs.note_ms(SLOW, metric) for what, metric in KINDS.items()},
    "noted_fast": lambda summary: {what: pairs.note_ms(FAST, metric) for what, metric in KINDS.items()},
    "note_pause_s": lambda summary: notes.reading("pause_between_labels_s"),
}


def _overview(summary: Summary) -> pd.DataFrame:
    """Per label and per place in the block: latencies with intervals."""
    groups = [
        (summary.by_label, {summary.label(arm): str(summary.times_first(arm)) for arm in summary.arms}),
        (summary.by_place, {f"run {name}": "" for name in PLACES}),
    ]
    rows = [
        ({"label or place": name, "times first": times}, (values, place))
        for values, names in groups
        for place, (name, times) in enumerate(names.items())
    ]

    def level(metric: str, group: tuple[Callable[[str], np.ndarray], int]) -> str:
        values, place = group
        return with_interval(summary.estimated(statistics.geometric_mean, values(metric)[:, place]), 1e-6)

    metrics = (*BURSTS, "burst_p99_ns", "response_mean_ns")
    found = table(rows, {summary.METRICS[metric].column: partial(level, metric) for metric in metrics})
    return found.reset_index("times first")


def _logs(summary: Summary) -> pd.DataFrame:
    """The note's own program under each name, in the order of the runs: latencies of both rounds."""
    found = {
        f"burst {words}, round {number} (ms)": reports.bursts(column)[number].round(2)
        for column, words in reports.PRINTED.items() for number in (1, 2)
    }  # fmt: skip
    return pd.DataFrame(found).rename_axis(["started (UTC)", "name"])


TABLES = {"overview": _overview, "chances": pairs.chances, "logs": _logs}
