"""What runs of this family are asked beside what every run is: metrics in words, ratios, checks, what is said alike."""

from __future__ import annotations

from typing import Any

import pandas as pd
from typing_extensions import TypeVar

from benchbook.figures import mean_count
from benchbook.model import Effect
from benchbook.numbers import summary
from benchbook.numbers.metrics import Metric, Metrics
from benchbook.parameters.base import ExperimentParameters
from benchbook.statistics import Gate

P = TypeVar("P", bound=ExperimentParameters, covariant=True, default=ExperimentParameters)
US = 1e-3
MB = 1e-6

METRICS: Metrics = {
    "lookup_mean_ns": Metric("mean time of a look-up", "µs", US, heading="mean"),
    "discarded_over_kept": Metric("time of a look-up at the start of a turn over later in it"),
    "query_mean_ns": Metric("mean time of a look-up", "µs", US, heading="look-up"),
    "query_p50_ns": Metric("P50 of a look-up", "µs", US, heading="P50"),
    "query_p95_ns": Metric("P95 of a look-up", "µs", US, heading="P95"),
    "query_p99_ns": Metric("P99 of a look-up", "µs", US, heading="P99"),
    "query_p999_ns": Metric("P99.9 of a look-up", "µs", US, heading="P99.9"),
    "lookups": Metric("number of look-ups"),
    "insert_syncs": Metric("number of syncs while rows are inserted", format=mean_count, heading="syncs"),
    "memtable_rows": Metric("number of rows in the memtable", heading="rows in the memtable"),
    "table_files": Metric("number of table files", format=mean_count),
    "index_bytes_per_key": Metric("index bytes per key", format="{:,.1f}".format),
    "resident_bytes_per_key": Metric("growth of the process per key", "bytes", format="{:,.1f}".format),
    "anonymous_bytes": Metric("anonymous memory", "MB", MB),
    "resident_bytes": Metric("memory of the process", "MB", MB, heading="memory"),
}
"""Of more than one chapter."""


class Summary(summary.Summary[P]):
    """One run of a chapter of this family."""

    def over(self, top: str, bottom: str, metric: str) -> Effect:
        """How many times a metric of ``bottom`` that of ``top`` is, paired within blocks."""
        return self.ratio((top, metric), (bottom, metric))

    def on(self) -> str:
        """The engines with their versions, for captions."""
        version = str(self.run.provenance.get("engine_version", "unknown version"))
        return version if ", " in version else f"{self.chapter.engine} {version}"


def compared(trials: pd.DataFrame, right: str = "checked_reads", asked: str = "lookups") -> list[Gate]:
    """Every look-up of these trials was compared with what had been written. right, asked: their columns."""
    if right not in trials or asked not in trials:
        return []
    told = trials[trials[asked].notna()]
    differ = int((told[right] != told[asked]).sum())
    reason = f"look-ups and compared values differ in {differ} trials"
    return [Gate("every value compared", differ == 0, float(differ), reason)]


def all_compared(summary: Summary, answer: object) -> list[Gate]:
    """The same of a whole run, as ``checks`` of a chapter."""
    return compared(summary.run.trials)


def in_turns(parameters: Any, *, all_of_them: bool = False) -> str:
    """How configurations take turns. parameters: with the fields of TurnParameters.

    all_of_them: whether those without a warm-up do so too.
    """
    p = parameters
    at_once = "lookups without a warm-up follow the filling of their store at once, one configuration after the other"
    return (
        f"Configurations that are compared take turns, at least {p.rounds} of {p.turn_ms} ms each, of which the first "
        f"{p.discard_ms} ms do not count{'' if all_of_them else f'; {at_once}'}. Numbers of lookups are the least that "
        "count."
    )
