"""This chapter's metrics in words, beside the family's."""

from __future__ import annotations

from benchbook.experiments.families.features import metric_words
from benchbook.experiments.families.features.metric_words import MS
from benchbook.experiments.round_trips.reduction import ENDS
from benchbook.experiments.shape.metrics import Metric, Metrics

_TABLES = dict(zip(ENDS, ("a third of the tables", "two thirds of the tables", "all tables"), strict=True))
_CODE = {
    "committed": "the feature server's code", "autocommit": "the feature server's code in autocommit mode",
    "snippet": "the note's code",
    "own_cursors": "the code with a cursor for each look-up",
}  # fmt: skip
_WAYS = ("serial", "pipeline", "unions", "one_union", "one_function", "connections_#")

METRICS: Metrics = {
    **metric_words.METRICS,
    **{f"mean{part}_ns": Metric(f"mean latency with {words}", "ms", MS) for part, words in _TABLES.items()},
    **{f"p50{part}_ns": Metric(f"P50 latency with {words}", "ms", MS) for part, words in _TABLES.items()},
    "mean_ns": Metric("mean latency of a request", "ms", MS, heading="mean"),
    "p50_ns": Metric("P50 latency", "ms", MS, heading="P50"),
    "trips": Metric("number of round trips by construction"),
    "lookups": Metric("number of look-ups"),
    **{
        f"trips_{way}{part or '_all'}": Metric(f"number of counted round trips with {words}")
        for way in _WAYS
        for part, words in _TABLES.items()
    },
    **{f"trips_{name}": Metric(f"number of counted round trips of {words}") for name, words in _CODE.items()},
    **{f"correct_rows_{name}": Metric(f"number of right rows that {words} gets") for name, words in _CODE.items()},
    **{
        f"rows_in_place_{name}": Metric(f"number of rows that {words} gets in their place")
        for name, words in _CODE.items()
    },
    **{
        f"trips_{name}_per_table": Metric(f"counted round trips per table of {words}", format="{:.2f}".format)
        for name, words in _CODE.items()
    },
    "statements_at_once": Metric("largest number of statements of a pipeline that run at once"),
    "statements_at_once_control": Metric("largest number of statements over four connections that run at once"),
}
