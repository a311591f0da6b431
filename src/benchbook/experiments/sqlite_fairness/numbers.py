"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.kv import note as printed
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.shape import judging
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.claim_sides import by_claim, side
from benchbook.experiments.shape.estimands import Estimand, custom, ratio
from benchbook.experiments.shape.named import on_hosts
from benchbook.experiments.shape.processors import on_each
from benchbook.experiments.shape.telling import listed
from benchbook.experiments.sqlite_fairness import tables
from benchbook.experiments.sqlite_fairness.arms import (
    AFTER,
    AS_RUN,
    BEFORE,
    BEST,
    CLAIMED_ROWS,
    CLAIMED_SIZES,
    COMMITS,
    DEFAULT,
    NO_LOG,
    ONCE,
    ONCE_WARM,
    ONE_WRITE,
    POWER_CUT,
    TIMED,
    UNSYNCED,
    WARM,
    WRITES,
    at,
    note,
    note_again,
)
from benchbook.experiments.sqlite_fairness.summary import (
    COUNTED,
    KILLED,
    METRICS,
    SYNCS,
    TIME,
    WRITE,
    Summary,
    all_recovered,
    found_after,
    journal_came_back,
    not_durable,
    recovered_words,
    worst,
)
from benchbook.figures import with_interval
from benchbook.model import Estimate, Outcome, Verdict
from benchbook.statistics import Gate

__all__ = ["AA", "METRICS", "NUMBERS", "TABLES", "TIME", "WORDS", "Summary", "checks"]
AA = (lambda summary: note_again(summary.parameters), lambda summary: note(ONCE, summary.parameters.largest))
"""SQLite prepared once at the largest size, a second and a first time."""
USES = (AS_RUN, ONCE, BEST)


def sizes_together(summary: Summary, use: str) -> np.ndarray:
    """Geometric mean over the claimed sizes of the mean look-up in one use, in ns, shape (blocks,)."""
    return np.asarray(
        np.exp(np.mean([np.log(summary.values(note(use, rows), TIME)) for rows in CLAIMED_SIZES], axis=0))
    )


def _over_four(use: str) -> Estimand:
    """Geometric mean over the claimed sizes of SQLite's mean look-up in one use over the note's engine's after."""

    def compute(summary: Summary, confidence: float) -> Estimate:
        sqlite, omendb = (sizes_together(summary, each) for each in (use, AFTER))
        return statistics.ratio(sqlite, omendb, confidence=confidence, sessions=summary.sessions)

    arms = (note(each, rows) for rows in CLAIMED_SIZES for each in (use, AFTER))
    return custom(compute, Quantity.COMPARISON, *arms, aa=TIME)


def _at_largest(use: str) -> Callable[[Summary], str]:
    return lambda summary: note(use, summary.parameters.largest)


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Of times every check; of what a kill left only what was counted."""
    gates = summary.consistency_gates(answer.estimand.names(summary))
    return gates if answer.estimand.metric else [gate for gate in gates if gate.name == COUNTED]


def _written(sqlite: str, rocksdb: str) -> Estimand:
    return ratio(at(COMMITS, sqlite), at(COMMITS, rocksdb), WRITE)


SETTLED = at(WARM, "after_settled")
NUMBERS = {
    **{f"over_four_{use}": on_hosts(_over_four(use)) for use in USES},
    **{f"largest_{use}": on_hosts(ratio(_at_largest(use), _at_largest(AFTER), TIME)) for use in USES},
    "largest_before": on_hosts(ratio(_at_largest(AS_RUN), _at_largest(BEFORE), TIME)),
    "preparing": ratio(note(AS_RUN, CLAIMED_ROWS), note(ONCE, CLAIMED_ROWS), TIME),
    "recovered": custom(all_recovered, Quantity.COUNTER, worst, working=recovered_words, idle=not_durable),
    "settled": ratio(SETTLED, at(WARM, AFTER), TIME),
    "best_over_settled": ratio(at(WARM, BEST), SETTLED, TIME),
    **{
        f"{quantile}_{use}": ratio(at(TIMED, use), at(TIMED, AFTER), f"query_{quantile}_ns")
        for quantile in ("p50", "p99")
        for use in USES
    },
    "default_over_as_run": _written(DEFAULT, UNSYNCED),
    "default_over_synced": _written(DEFAULT, "log_synced"),
    "wal_over_synced": _written("wal_full", "log_synced"),
    "wal_over_unsynced": _written("wal_normal", UNSYNCED),
}


def _claim(summary: Summary) -> Verdict:
    return by_claim(judging.verdicts(summary), ["O078"])["O078"]


def _prepared(summary: Summary, rows: int) -> dict[str, Any]:
    """What preparing for every query costs at so many rows."""
    query, once = note(AS_RUN, rows), note(ONCE, rows)
    times = (summary.values(arm, TIME) / 1e3 for arm in (query, once))
    apart = statistics.difference(*times, sessions=summary.sessions)
    return {"rows": rows, "more": with_interval(apart), "times": with_interval(summary.over(query, once, TIME))}


def _settings(summary: Summary) -> dict[str, list[str]]:
    """Which settings change a warm look-up, with intervals that hold together, and which do not."""
    sqlite = [arm for arm in summary.part(WARM) if arm != ONCE_WARM and not {BEFORE, AFTER} & set(arm.split("_"))]
    others = {summary.label(arm): summary.values(arm, TIME) for arm in summary.having(sqlite, TIME)}
    effects = statistics.many_to_one(summary.values(ONCE_WARM, TIME), others, sessions=summary.sessions)
    return {
        "moved": [f"{label} {with_interval(e)}" for label, e in effects.items() if e.low > 1 or e.high < 1],
        "still": [label for label, e in effects.items() if e.low <= 1 <= e.high],
    }


def _kernels(summary: Summary) -> dict[str, str]:
    """The builds of the kernel by kind of host."""
    found: dict[str, dict[str, None]] = {}
    for part in summary.run.parts:
        of_host = found.setdefault(str(part.provenance.get("processor", "")), {})
        of_host[str(part.provenance.get("system", "an unknown kernel"))] = None
    return {name: ", ".join(kernels) for name, kernels in found.items()}


def _syncs(summary: Summary) -> list[str]:
    means_of = {use.label: summary.mean(at(COMMITS, name), SYNCS) for name, use in WRITES.items() if name != NO_LOG}
    return [f"{label}: {mean:.2f}" for label, mean in means_of.items()]


def _mean(use: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(_at_largest(use)(summary), metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "apart": lambda summary: _claim(summary).outcome is Outcome.HOST,
    "side": lambda summary: str(side(_claim(summary))),
    "note_before": lambda summary: printed.behind("query")[CLAIMED_ROWS],
    "note_after": lambda summary: printed.speedup_after(),
    "prepared": lambda summary: listed(*(partial(_prepared, summary, rows) for rows in summary.parameters.sizes)),
    "settings": _settings,
    "faster_on": lambda summary: on_each(summary, *(sizes_together(summary, use) for use in (ONCE, AFTER))),
    "locking_on": lambda summary: on_each(
        summary, *(summary.values(arm, TIME) for arm in (ONCE_WARM, at(WARM, "read_held")))
    ),
    "kernels": _kernels,
    "memtable": _mean(AFTER, "memtable_share"),
    "files": _mean(AFTER, "table_files"),
    "page_hits": _mean(ONCE, "page_hit_ratio"),
    "engine_bytes": _mean(AFTER, "resident_bytes"),
    "sqlite_bytes": _mean(ONCE, "resident_bytes"),
    "syncs": _syncs,
    "kept": lambda summary: listed(
        *(partial(found_after(part, use), summary) for part in (COMMITS, ONE_WRITE) for use in (UNSYNCED, NO_LOG))
    ),
    "left": lambda summary: listed(*(partial(found_after(POWER_CUT, use), summary) for use in WRITES)),
    "journal_came_back": journal_came_back,
    "killed": found_after(ONE_WRITE, UNSYNCED),
    "cut": found_after(POWER_CUT, UNSYNCED),
    "synced": lambda summary: bool(summary.values(KILLED, SYNCS).any()),
    "clock_ns": lambda summary: summary.run.provenance["probe_timer_ns"],
}
TABLES = {"note_claims": tables.note_claims, "overview": tables.overview}
