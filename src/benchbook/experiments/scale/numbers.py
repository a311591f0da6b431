"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import product
from types import SimpleNamespace

import pandas as pd

from benchbook.claims import Quantity
from benchbook.experiments.families.kv import metric_words, summary
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.families.kv.note import SIZES, behind, definition, mixed_behind, printed
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.scale import sizes
from benchbook.experiments.scale.arms import (
    AFTER,
    AGAIN,
    AS_RUN,
    ASKED_ROWS,
    BEFORE,
    HUNDRED_K,
    MILLION,
    RANDOM,
    SEQUENTIAL,
    TEN_K,
    TEN_MILLION,
    UNIFORM,
    WELL,
    Parameters,
    name,
    short,
)
from benchbook.experiments.scale.sizes import (
    INSERT,
    QUERY,
    Rows,
    Sized,
    at,
    change,
    first,
    last,
    latency,
    least_of,
    level,
    listed,
    longer,
    mixed,
    of,
    random,
    sized,
)
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import custom
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.named import Number, on_hosts
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.experiments.shape.tables import Columns, levels, means, table
from benchbook.figures import with_interval
from benchbook.model import Estimate
from benchbook.statistics import Gate

QUANTILES = {"uniform_p50_ns": "P50", "uniform_p99_ns": "P99", "uniform_p999_ns": "P99.9"}
METRICS: Metrics = {
    **metric_words.METRICS,
    "insert_s": Metric("time to insert all rows", "s", format="{:.3g}".format),
    "index_insert_s": Metric("time to fill the index", "s", format="{:.3g}".format, heading="index part"),
    "insert_syncs": metric_words.METRICS["insert_syncs"].but(heading="fsyncs of the insert"),
    "query_mean_ns": metric_words.METRICS["query_mean_ns"].but(heading="look-up, mean"),
    "query_middle_ns": Metric("time of a look-up in the middle batch", "µs", 1e-3, heading="look-up, middle batch"),
    **{metric: Metric(f"{words} of a single look-up", "µs", 1e-3) for metric, words in QUANTILES.items()},
    "pages_missed_per_lookup": Metric(
        "number of pages missed per look-up", format="{:.2f}".format, heading="pages missed per look-up"
    ),
    "index_leaves": Metric("number of leaves of the index"),
}


class Summary(summary.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS
    MEND = "raise lookups or tail_lookups"

    @property
    def rows(self) -> list[int]:
        """Sizes with sequential keys, smallest first."""
        return sorted(self.parameters.rows)

    @property
    def random_rows(self) -> list[int]:
        """Sizes with random keys, smallest first."""
        return sorted(self.parameters.random_rows)

    def timed(self, sizes: Iterable[int], *systems: str, keys: str = SEQUENTIAL) -> list[int]:
        """The sizes at which every trial of these systems has both of its times; raises NotEstimableError for none."""
        found = [rows for rows in sizes if all(self.has(name(each, rows, keys), QUERY, INSERT) for each in systems)]
        if not found:
            raise NotEstimableError("this run timed nothing of it", "measure again")
        return found

    def missing(self, arm: str, metric: str) -> NotEstimableError:
        """The same, and where a size was not asked for, that there is none."""
        if arm in self.configurations:
            return super().missing(arm, metric)
        return NotEstimableError(f"this run has no configuration {arm}", "ask for its number of rows")

    def row_us(self, arm: str) -> Estimate:
        """Microseconds for a row when all are inserted."""
        if arm not in self.configurations:
            raise self.missing(arm, "insert_s")
        return self.level(arm, "insert_s", 1e-6 * int(self.configurations[arm].settings["rows"] or 0))

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        left = [short(rows) for rows in ASKED_ROWS if rows not in self.parameters.rows]
        return [*([f"no trials with {', '.join(left)} rows"] if left else []), *super().departures()]

    def sizes(self) -> str:
        """Look-ups, after the blocks."""
        return f", {self.parameters.lookups:,} look-ups per trial unless stated otherwise"


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The state before the options against itself, in all sizes and times of the claim.

    A size without a second measurement is answered for by the next smaller one that has it, else by the smallest.
    Taken together the gates of a sound run fail once in a hundred (Bonferroni), as a single one does.
    """
    again, estimand = sorted(summary.parameters.again_rows), answer.estimand
    assert isinstance(estimand, Sized)
    found = {max((rows for rows in again if rows <= size), default=again[0]) for size in estimand.rows}
    pairs = [(rows, metric) for rows in sorted(found) for metric in estimand.metrics]
    return [summary.aa_gate(name(AGAIN, rows), name(BEFORE, rows), metric, pairs=len(pairs)) for rows, metric in pairs]


def _apart(metric: str, rows: Rows, **which: str) -> Number:
    """A speed-up at a size, on each kind of host where these lie apart. which: as ``of`` takes it."""
    return on_hosts(custom(level(at(rows, metric, **which)), Quantity.COMPARISON))


BOTH, EXCELLED, WHAT = (INSERT, QUERY), (HUNDRED_K, MILLION), {"query": QUERY, "insert": INSERT}
ENDS = [*product(WHAT.items(), (("first", first), ("last", last)))]
QUERIES = {rows: partial(of, metric=QUERY, rows=rows) for rows in ASKED_ROWS}
AFTERS = {rows: partial(of, metric=QUERY, rows=rows, system=AFTER) for rows in ASKED_ROWS}
MIXED = {rows: partial(mixed, rows=rows) for rows in ASKED_ROWS}
NUMBERS = {
    "change": sized(change(QUERIES[TEN_MILLION], QUERIES[TEN_K]), TEN_MILLION, TEN_K),
    "change_from_1M": sized(change(QUERIES[TEN_MILLION], QUERIES[MILLION]), TEN_MILLION, MILLION),
    "lead_10M": latency(AS_RUN, BEFORE, TEN_MILLION),
    "time_10M": latency(BEFORE, AS_RUN, TEN_MILLION),
    **{f"mixed_{short(rows)}": sized(level(MIXED[rows]), rows, metrics=BOTH) for rows in (TEN_K, HUNDRED_K, MILLION)},
    "least_after": sized(least_of(AFTERS), *ASKED_ROWS, system=AFTER),
    "least_mixed": sized(least_of({rows: MIXED[rows] for rows in EXCELLED}), *EXCELLED, metrics=BOTH),
    "column_as_printed": custom(change(QUERIES[TEN_MILLION], MIXED[TEN_K]), Quantity.COMPARISON),
    "column_mean": custom(change(MIXED[TEN_MILLION], MIXED[TEN_K]), Quantity.COMPARISON),
    "fall": custom(change(at(last), at(first)), Quantity.COMPARISON),
    **{f"longer_{system}": on_hosts(longer(system)) for system in (BEFORE, AS_RUN)},
    **{f"{what}_{place}": _apart(metric, rows) for (what, metric), (place, rows) in ENDS},
    **{f"well_{what}_{place}": _apart(metric, rows, base=WELL) for (what, metric), (place, rows) in ENDS},
    **{f"random_{what}": _apart(metric, random, keys=RANDOM) for what, metric in WHAT.items()},
    **{f"random_{what}_change": custom(change(at(random, metric, keys=RANDOM), at(random, metric)), Quantity.COMPARISON)
       for what, metric in WHAT.items()},
}  # fmt: skip


def _falls(values: Mapping[int, float]) -> SimpleNamespace:
    """A column of the note's at its fewest and at its most rows, and what is left of the first."""
    first, last = values[min(values)], values[max(values)]
    return SimpleNamespace(first=f"{first:.2f}", last=f"{last:.2f}", left=f"{last / first:.2f}")


def _meant() -> SimpleNamespace:
    """What the note's column stands for: in words, at its fewest and at its most rows."""
    kinds: dict[str, list[int]] = {}
    for rows in SIZES:
        kinds.setdefault(definition(rows), []).append(rows)
    said = " and ".join(f"the {kind} at {listed(each)}" for kind, each in kinds.items())
    few, many = min(SIZES), max(SIZES)
    return SimpleNamespace(said=said, first=definition(few), last=definition(many), few=short(few), many=short(many))


def _syncs(system: str, summary: Summary) -> float:
    """Calls that made data durable while all rows were inserted, at the most rows."""
    return summary.mean(name(system, last(summary)), "insert_syncs")


WORDS = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "sizes": lambda summary: listed(summary.rows),
    "random_sizes": lambda summary: listed(summary.random_rows),
    "again_sizes": lambda summary: listed(sorted(summary.parameters.again_rows)),
    "tail_size": lambda summary: short(summary.parameters.tail_rows),
    "first": lambda summary: short(first(summary)),
    "last": lambda summary: short(last(summary)),
    "random": lambda summary: short(random(summary)),
    **{f"syncs_{system}": partial(_syncs, system) for system in (BEFORE, AS_RUN, WELL)},
    "printed": lambda summary: _falls(printed()),
    "means": lambda summary: _falls(mixed_behind()),
    "queries": lambda summary: _falls(behind("query")),
    "meant": lambda summary: _meant(),
    "beyond": lambda summary: listed(rows for rows in summary.rows if rows > max(SIZES)),
    "ahead": sizes.ahead,
    "reached": sizes.reached,
    "held": sizes.held,
    "missed": sizes.missed,
    "cache": sizes.cache,
    "itself": sizes.itself,
    "in_memory": sizes.in_memory,
    "differ": sizes.differ,
    "few": lambda summary: not summary.has(name(BEFORE, summary.parameters.tail_rows, SEQUENTIAL, UNIFORM), *QUANTILES),
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The printed column beside the numbers behind it."""
    query, insert, mean = behind("query"), behind("insert"), mixed_behind()
    rows = [
        {
            "rows": short(each),
            "printed speed-up": f"{value:.2f}",
            "query speed-up": f"{query[each]:.2f}",
            "insert speed-up": f"{insert[each]:.2f}",
            "mean of the two": f"{mean[each]:.2f}",
            "what was printed": definition(each),
        }
        for each, value in printed().items()
    ]
    return pd.DataFrame(rows).set_index("rows")


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: insert, look-up, what was in memory, with intervals where a claim rests on it."""
    columns: Columns = {
        "insert (µs per row)": lambda arm: with_interval(summary.row_us(arm)),
        **means(summary, "index_insert_s"),
        **levels(summary, QUERY, "query_middle_ns"),
        **means(summary, "memtable_rows", "pages_missed_per_lookup", "insert_syncs", "anonymous_bytes"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


TABLES = {"note_claims": _note_claims, "overview": _overview}
