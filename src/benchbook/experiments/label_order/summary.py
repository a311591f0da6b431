"""A run in, values per block by label and by place in the block out; what figures, tables and verdicts stand on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from benchbook import statistics
from benchbook.experiments.label_order.arms import FIRST_LABEL, SECOND_LABEL, configurations
from benchbook.experiments.label_order.parameters import Parameters
from benchbook.experiments.per_block import NOT_ESTIMABLE, NotEstimableError, check_whole, in_words
from benchbook.experiments.sentences import other_numbers, source, too_few_blocks
from benchbook.figures import with_interval
from benchbook.model import Effect, Estimate, Run
from benchbook.statistics import Gate, Permutation

PERMUTATIONS = 2
"""Key of the generator of the permutation tests; those of the order and of the blocks' seeds are 0 and 1."""


@dataclass(frozen=True)
class Summary:
    """One run, ready for figures and verdicts. trials: as in the run, in order of time, with ``place`` from 0."""

    run: Run
    parameters: Parameters
    labels: dict[str, str]
    trials: pd.DataFrame

    def by_label(self, metric: str) -> np.ndarray:
        """Values by label, shape (blocks, labels), labels in the order of ``labels``.

        Raises NotEstimableError when a trial lacks the metric, as this method's twin does.
        """
        return self._grid(metric, "configuration", list(self.labels))

    def by_place(self, metric: str) -> np.ndarray:
        """Values by place in the block, shape (blocks, labels): the first column holds what was run first."""
        return self._grid(metric, "place", list(range(len(self.labels))))

    def has(self, metric: str) -> bool:
        """Whether every trial has the metric."""
        try:
            self.by_label(metric)
        except NotEstimableError:
            return False
        return True

    def first_over_later(self, metric: str, *, confidence: float = 0.95) -> Effect:
        """The label run first over the labels run later: their geometric mean in the same block."""
        values = self.by_place(metric)
        return statistics.ratio(values[:, 0], _geometric(values[:, 1:]), confidence=confidence)

    def aa_ratio(self, metric: str, *, confidence: float = 0.95) -> Effect:
        """The second label over the first, wherever in the block they stood."""
        names = list(self.labels)
        values = self.by_label(metric)
        second, first = (values[:, names.index(name)] for name in (SECOND_LABEL, FIRST_LABEL))
        return statistics.ratio(second, first, confidence=confidence)

    def labels_apart(self, metric: str) -> Permutation:
        """Exploratory: whether the labels differ by more than their random order would set them apart."""
        return statistics.arms_apart(self.by_label(metric), self._generator())

    def first_apart(self, metric: str) -> Permutation:
        """Exploratory: whether what was run first differs from the rest by more than a random order would."""
        return statistics.first_apart(self.by_place(metric), self._generator())

    def tail(self) -> Estimate:
        """P95 over mean of a trial, as geometric mean over blocks of their trials' geometric means."""
        return statistics.geometric_mean(_geometric(self.by_label("burst_p95_ns") / self.by_label("burst_mean_ns")))

    def drift(self, metric: str) -> Estimate:
        """Slope of the logs of the blocks' geometric means, per block."""
        return statistics.drift(_geometric(self.by_label(metric)))

    def times_first(self) -> dict[str, int]:
        """How many blocks each label opened."""
        counts = self.trials.loc[self.trials["place"] == 0, "configuration"].value_counts()
        return {name: int(counts.get(name, 0)) for name in self.labels}

    def gates(self) -> list[Gate]:
        """The probe timed what the store saved; trials began in the order of the plan."""
        found = []
        if "saved_events" in self.trials:
            differ = int((self.trials["saved_events"] != self.trials["timed_saves"]).sum())
            reason = f"timed and stored events differ in {differ} trials"
            found.append(Gate("counts agree", differ == 0, float(differ), reason))
        if "started_at" in self.trials:
            begun = pd.to_datetime(self.trials["started_at"], utc=True)
            early = int((begun.diff() < pd.Timedelta(0)).sum())
            reason = f"{early} trials began before the trial that is recorded as the one before"
            found.append(Gate("order", early == 0, float(early), reason))
        return found

    def departures(self) -> list[str]:
        """How this run differs from the note's benchmark, and from an undisturbed run, each as half a sentence."""
        p = self.parameters
        wanted = (
            (p.events, 50_000, "events"),
            (p.mem_table_mib, 64, "MiB memtables"),
            (p.base_table_mib, 64, "MiB tables"),
            (p.block_bytes, 4096, "byte blocks"),
            (p.block_cache_mib, 64, "MiB of block cache"),
            (p.index_cache_mib, 32, "MiB of index cache"),
        )
        found = other_numbers(wanted)
        if p.burst_quiet_ms != 500 or p.burst_spread_ms != 100:
            found.append(
                f"bursts spread over {p.burst_spread_ms:g} ms with {p.burst_quiet_ms:g} ms of quiet instead of 100 "
                "and 500"
            )
        found += too_few_blocks(self.run)
        halted = self._interrupted()
        if halted:
            found.append(f"{halted} of {self.run.blocks} blocks interrupted and gone on with later")
        return found

    def origin(self) -> str:
        """Half a sentence for captions: which run, how many blocks, on what."""
        return (
            f"{self.run.blocks} blocks of {len(self.labels)} labels, {self.parameters.events:,} events twice; "
            f"{source(self.run)}, Badger {self.run.provenance['engine_version']}"
        )

    def _grid(self, metric: str, column: str, order: list[str] | list[int]) -> np.ndarray:
        if metric not in self.trials or self.trials[metric].isna().any():
            raise NotEstimableError(f"{in_words(metric)} is not estimable in every trial", "raise events")
        table = self.trials.pivot(index="block", columns=column, values=metric)
        return table.sort_index()[order].to_numpy(dtype=float)

    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.run.seed, spawn_key=(PERMUTATIONS,)))

    def _interrupted(self) -> int:
        if "session" not in self.trials:
            return 0
        return int((self.trials.groupby("block")["session"].nunique() > 1).sum())


def summarize(run: Run) -> Summary:
    """Check that the run is complete, name its labels, and count each trial's place in its block."""
    parameters = Parameters.given(run.parameters)
    labels = {arm.name: arm.label for arm in configurations(parameters)}
    check_whole(run, labels, "label")
    trials = run.trials.sort_values("trial").reset_index(drop=True)
    trials["place"] = trials.groupby("block").cumcount()
    return Summary(run, parameters, labels, trials)


def overview(summary: Summary) -> pd.DataFrame:
    """Per label and per place in the block: latencies with intervals, and what the machine did meanwhile."""
    columns = {
        "burst mean (ms)": "burst_mean_ns",
        "burst P95 (ms)": "burst_p95_ns",
        "burst P99 (ms)": "burst_p99_ns",
        "burst mean from its schedule (ms)": "response_mean_ns",
    }
    first = summary.times_first()
    groups = {label: str(first[name]) for name, label in summary.labels.items()}
    groups |= {f"run {place}": "" for place in places(summary)}
    table = pd.DataFrame({"times first": groups.values()}, index=pd.Index(groups.keys(), name="label or place"))
    for name, metric in columns.items():
        if summary.has(metric):
            both = np.concatenate([summary.by_label(metric), summary.by_place(metric)], axis=1)
            table[name] = [with_interval(statistics.geometric_mean(values), 1e-6) for values in both.T]
        else:
            table[name] = NOT_ESTIMABLE
    return table


def places(summary: Summary) -> list[str]:
    """Places in a block in words: first, second ..."""
    return ["first", "second", "third", "fourth", "fifth", "sixth"][: len(summary.labels)]


def _geometric(values: np.ndarray) -> np.ndarray:
    """Geometric mean of each row, shape (blocks,)."""
    means: np.ndarray = np.exp(np.log(values).mean(axis=1))
    return means
