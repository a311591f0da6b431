"""The numbers of the chapter, each once and by name, what its claims stand on, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from benchbook import notes
from benchbook.chapters.scale import arms
from benchbook.chapters.scale.arms import AFTER, AGAIN, AS_RUN, ASKED_ROWS, BEFORE, WELL, name, short
from benchbook.chapters.scale.summary import (
    INSERT,
    QUANTILES,
    QUERY,
    Rows,
    Sized,
    Summary,
    at,
    change,
    least_of,
    mean,
    mixed,
    sized,
)
from benchbook.claims import Quantity
from benchbook.claims.evidence import Reported
from benchbook.figures import with_interval
from benchbook.measuring.kv.checks import compared
from benchbook.measuring.kv.note import SIZES, behind, definition, mixed_behind, printed
from benchbook.measuring.kv.options import MIB
from benchbook.measuring.kv.words import in_turns
from benchbook.numbers import each_host
from benchbook.numbers.answers import Answer
from benchbook.numbers.environment import cache_bytes
from benchbook.numbers.estimands import Estimand, custom, ratio
from benchbook.numbers.quantities import Number, Told, on_hosts
from benchbook.numbers.summary import NotEstimableError
from benchbook.pages.prose import listed
from benchbook.pages.tables import Columns, levels, means, table
from benchbook.statistics import Gate

TEN_K, HUNDRED_K, MILLION, TEN_MILLION = ASKED_ROWS


def _own_table() -> Reported:
    """O068: the note's table has the speed-up at its largest size, before and after the change."""
    before, after = (
        notes.number("omendb_speedup", state, scale_rows=TEN_MILLION, distribution="Sequential")
        for state in ("before", "after")
    )
    return Reported(
        f"The note's own table has {after:g} times for ten million sequential rows after the change, and {before:g} "
        "before it (OPTIMIZATION_RESULTS_OCT_14.md, omendb/omendb at 7ab24ab).",
        after,
    )


REPORTS = {"O068": _own_table}
"""What the note's own table shows of the claim that it decides."""


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
    """A speed-up at a size, on each kind of host where these lie apart. which: as ``Summary.speedup`` takes it."""
    return on_hosts(custom(mean(at(rows, metric, **which)), Quantity.COMPARISON))


def _latency(top: str, bottom: str, rows: int) -> Sized:
    """Ratio of mean query latencies of two systems at one size."""
    return sized(ratio(name(top, rows), name(bottom, rows), QUERY).compute, rows)


def _single(system: str) -> Callable[[Summary], str]:
    """The configuration of a system whose look-ups are timed one by one."""
    return lambda summary: name(system, summary.parameters.tail_rows, distribution=arms.UNIFORM)


def _longer(system: str) -> Estimand:
    """A look-up at the most rows over one at the fewest."""
    return ratio(
        lambda summary: name(system, summary.last()), lambda summary: name(system, summary.first()), QUERY
    )  # fmt: skip


BOTH, EXCELLED, WHAT = (INSERT, QUERY), (HUNDRED_K, MILLION), {"query": QUERY, "insert": INSERT}
ENDS = [*product(WHAT.items(), (("first", Summary.first), ("last", Summary.last)))]
NUMBERS = {
    "change": sized(change(at(TEN_MILLION), at(TEN_K)), TEN_MILLION, TEN_K),
    "change_from_1M": sized(change(at(TEN_MILLION), at(MILLION)), TEN_MILLION, MILLION),
    "lead_10M": _latency(AS_RUN, BEFORE, TEN_MILLION),
    "time_10M": _latency(BEFORE, AS_RUN, TEN_MILLION),
    **{f"mixed_{short(rows)}": sized(mean(mixed(rows)), rows, metrics=BOTH) for rows in (TEN_K, *EXCELLED)},
    "least_after": sized(least_of({rows: at(rows, system=AFTER) for rows in ASKED_ROWS}), *ASKED_ROWS, system=AFTER),
    "least_mixed": sized(least_of({rows: mixed(rows) for rows in EXCELLED}), *EXCELLED, metrics=BOTH),
    "column_as_printed": custom(change(at(TEN_MILLION), mixed(TEN_K)), Quantity.COMPARISON),
    "column_mean": custom(change(mixed(TEN_MILLION), mixed(TEN_K)), Quantity.COMPARISON),
    "fall": custom(change(at(Summary.last), at(Summary.first)), Quantity.COMPARISON),
    **{f"longer_{system}": on_hosts(_longer(system)) for system in (BEFORE, AS_RUN)},
    **{f"{what}_{place}": _apart(metric, rows) for (what, metric), (place, rows) in ENDS},
    **{f"well_{what}_{place}": _apart(metric, rows, base=WELL) for (what, metric), (place, rows) in ENDS},
    **{f"random_{what}": _apart(metric, Summary.random, keys=arms.RANDOM) for what, metric in WHAT.items()},
    **{f"random_{what}_change": custom(
        change(at(Summary.random, metric, keys=arms.RANDOM), at(Summary.random, metric)), Quantity.COMPARISON)
       for what, metric in WHAT.items()},
    "tail_p50": on_hosts(ratio(_single(AS_RUN), _single(BEFORE), "uniform_p50_ns")),
    "tail_well": on_hosts(ratio(_single(WELL), _single(BEFORE), "uniform_p50_ns")),
}  # fmt: skip


def _falls(values: Mapping[int, float]) -> dict[str, float]:
    """A column of the note's at its fewest and at its most rows, and what is left of the first."""
    first, last = values[min(values)], values[max(values)]
    return {"first": first, "last": last, "left": last / first}


def _syncs(system: str, summary: Summary) -> float:
    """Calls that made data durable while all rows were inserted, at the most rows."""
    return summary.mean(name(system, summary.last()), "insert_syncs")


def _by_size(**which: str) -> Callable[[Summary], dict[str, Told]]:
    """The query speed-up by size, on each kind of host where these lie apart. which: as ``speedup`` takes it."""

    def told(summary: Summary, rows: int) -> Told:
        compute = mean(at(rows, **which))
        return Told(compute(summary), hosts=each_host.apart(summary, compute))

    return lambda summary: {short(rows): told(summary, rows) for rows in summary.compared}


def _each(
    ask: Callable[[Summary, int], Any], sizes: Callable[[Summary], Iterable[int]]
) -> Callable[[Summary], dict[str, Any]]:
    """What is asked at each of these sizes, of which a run may lack some."""

    def one(summary: Summary, rows: int) -> tuple[str, Any]:
        return short(rows), ask(summary, rows)

    return lambda summary: dict(listed(*(partial(one, summary, rows) for rows in sizes(summary))))


def _itself(summary: Summary, rows: int) -> dict[str, Told]:
    """The state before the options over itself."""
    return {what: Told(summary.over(name(AGAIN, rows), name(BEFORE, rows), metric)) for what, metric in WHAT.items()}


def _held(summary: Summary) -> dict[str, Any]:
    """Where the rows were when they were looked up, and what the note's tree had become."""
    wanted = ("memtable_rows", "table_files", "index_leaves")
    seen = {rows: name(BEFORE, rows) for rows in summary.rows if summary.has(name(BEFORE, rows), *wanted)}
    if not seen:
        raise NotEstimableError("this run did not record where the rows were", "measure again")
    rows = max(seen)
    leaves = summary.mean(seen[rows], "index_leaves")
    return {
        "share": min(float((summary.values(arm, "memtable_rows") / rows).min()) for rows, arm in seen.items()),
        "files": max(float(summary.values(arm, "table_files").max()) for arm in seen.values()),
        "rows": short(rows), "leaves": leaves, "per_leaf": rows / leaves,
    }  # fmt: skip


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "sizes": lambda summary: [*map(short, summary.rows)],
    "random_sizes": lambda summary: [*map(short, summary.random_rows)],
    "again_sizes": lambda summary: [*map(short, sorted(summary.parameters.again_rows))],
    "tail_size": lambda summary: short(summary.parameters.tail_rows),
    "first": lambda summary: short(summary.first()),
    "last": lambda summary: short(summary.last()),
    "random": lambda summary: short(summary.random()),
    **{f"syncs_{system}": partial(_syncs, system) for system in (BEFORE, AS_RUN, WELL)},
    "printed": lambda summary: _falls(printed()),
    "means": lambda summary: _falls(mixed_behind()),
    "queries": lambda summary: _falls(behind("query")),
    "definitions": lambda summary: {short(rows): definition(rows) for rows in SIZES},
    "beyond": lambda summary: [short(rows) for rows in summary.rows if rows > max(SIZES)],
    "speedup_after": _by_size(system=AFTER),
    "speedup_well": _by_size(base=WELL),
    "held": _held,
    "missed": _each(
        lambda summary, rows: summary.mean(name(AS_RUN, rows), "pages_missed_per_lookup"), lambda summary: summary.rows
    ),
    "taken_mib": _each(
        lambda summary, rows: summary.mean(name(BEFORE, rows), "anonymous_bytes") / MIB, lambda summary: summary.rows
    ),
    "cache_mib": lambda summary: (cache_bytes(summary.run.provenance) or 0) / MIB,
    "itself": _each(_itself, lambda summary: sorted(summary.parameters.again_rows)),
    "few": lambda summary: not summary.has(
        name(BEFORE, summary.parameters.tail_rows, distribution=arms.UNIFORM), *QUANTILES
    ),
}  # fmt: skip


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The printed column beside the numbers behind it."""
    columns = {
        "printed speed-up": printed(), "query speed-up": behind("query"), "insert speed-up": behind("insert"),
        "mean of the two": mixed_behind(),
    }  # fmt: skip
    rows = [
        {"rows": short(each)}
        | {heading: f"{values[each]:.2f}" for heading, values in columns.items()}
        | {"what was printed": definition(each)}
        for each in SIZES
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
