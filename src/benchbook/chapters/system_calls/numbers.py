"""The numbers of the chapter: calls of a look-up, what each costs, and at which price SQLite falls behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.chapters.system_calls.arms import AGAIN, ASKING, BEST, FILE, OMEN, ONCE, Parameters, at
from benchbook.measuring.kv import metric_words, summary
from benchbook.model import Effect, Estimate
from benchbook.numbers.estimands import Estimand, average, ratio, told
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.numbers.summary import NotEstimableError

TIME, CALLS, ADDED = "lookup_mean_ns", "calls_per_lookup", "added_per_lookup_ns"
KINDS = {
    "locks_per_lookup": "locking (fcntl)", "reads_per_lookup": "reading (pread)",
    "states_per_lookup": "size of the file (fstat)", "names_per_lookup": "other files (stat, access)",
}  # fmt: skip
METRICS: Metrics = {
    **metric_words.METRICS,
    CALLS: Metric("system calls of a look-up", format="{:.3g}".format, heading="calls"),
    **{name: Metric(f"calls of a look-up: {words}", format="{:.3g}".format) for name, words in KINDS.items()},
    ADDED: Metric("time added to a look-up's system calls", "µs", 1e-3, heading="added"),
    "checked_reads": Metric("number of answers that were checked"),
}
AA = (AGAIN, ONCE)


class Summary(summary.Summary[Parameters]):
    """One run of this chapter."""

    METRICS = METRICS

    def lead(self, use: str, ns: int) -> Effect:
        """How many times as long as in the note's engine a look-up takes, with so much added to each of its calls."""
        return self.ratio((at(use, ns), TIME), (OMEN, TIME))

    def felt(self, use: str) -> Estimate:
        """By how many ns a look-up takes longer for each ns that its calls do, between the least added and the most."""
        return self.estimated(statistics.arithmetic_mean, self._slope(use))

    def even(self, use: str) -> Estimate:
        """By how many ns each call would have to be longer for a look-up to take as long as in the note's engine."""
        lead = self.values(OMEN, TIME) - self.values(use, TIME)
        per_call = self._slope(use) * self.values(at(use, self.parameters.most_ns), CALLS)
        return self.estimated(statistics.arithmetic_mean, lead / per_call)

    def _slope(self, use: str) -> np.ndarray:
        """ns of a look-up for each ns that was added to its calls, shape (blocks,).

        Both ends are lengthened where the run has two such: the library then reads the clock alike at both.
        """
        p = self.parameters
        low, high = at(use, p.added_ns[min(1, len(p.added_ns) - 2)]), at(use, p.most_ns)
        longer, added = (self.values(high, name) - self.values(low, name) for name in (TIME, ADDED))
        slope: np.ndarray = longer / added
        return slope


def _most(use: str) -> Callable[[Summary], str]:
    return lambda summary: at(use, summary.parameters.most_ns)


def _lead(use: str, which: int) -> Estimand:
    return told(lambda summary: summary.lead(use, summary.parameters.added_ns[which]))


NUMBERS: dict[str, Estimand] = {
    **{f"calls_{use}": average(at(use, 0), CALLS) for use in ASKING},
    **{f"calls_{use}": average(_most(use), CALLS) for use in (BEST, OMEN)},
    **{f"felt_{use}": told(Summary.felt, use) for use in ASKING},
    **{f"lead_{use}": _lead(use, 0) for use in ASKING},
    **{f"lead_{use}_most": _lead(use, -1) for use in ASKING},
    "best": ratio(BEST, OMEN, TIME),
    "best_over_file": ratio(BEST, FILE, TIME),
    **{f"unmoved_{use}": ratio(_most(use), use, TIME) for use in (BEST, OMEN, FILE)},
    "even": told(Summary.even, ONCE),
    "counted": ratio(at(ONCE, 0), ONCE, TIME),
    "same": ratio(*AA, TIME),
}


def _host_ns(summary: Summary) -> float:
    """What an empty system call costs on this run's host, in ns, Python's part included."""
    found = summary.run.provenance.get("system_call_ns")
    if found is None:
        raise NotEstimableError("the run does not say what a system call costs", "measure again")
    return float(found)


WORDS: dict[str, Callable[[Summary], Any]] = {"host_ns": _host_ns}
