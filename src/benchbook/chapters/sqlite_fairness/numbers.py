"""The numbers of the chapter, each once and by name, its tables, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.sqlite_fairness import arms
from benchbook.chapters.sqlite_fairness.arms import AFTER, AS_RUN, BEFORE, BEST, CLAIMED_ROWS, ONCE, at, note
from benchbook.chapters.sqlite_fairness.summary import (
    COUNTED,
    KILLED,
    SYNCS,
    TIME,
    WRITE,
    Summary,
    all_recovered,
    not_durable,
    recovered_words,
    worst,
)
from benchbook.claims import Quantity
from benchbook.figures import with_interval
from benchbook.measuring.kv import note as printed
from benchbook.measuring.kv.words import in_turns
from benchbook.model import Estimate, Outcome
from benchbook.numbers import judging
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, custom, level, ratio
from benchbook.numbers.processors import on_each
from benchbook.numbers.quantities import Told, on_hosts
from benchbook.pages.prose import listed
from benchbook.pages.tables import Columns, levels, means, table
from benchbook.statistics import Gate

AA = (lambda summary: arms.note_again(summary.parameters), lambda summary: note(ONCE, summary.parameters.largest))
"""SQLite prepared once at the largest size, a second and a first time."""
USES = (AS_RUN, ONCE, BEST)
PARTS = {
    arms.NOTE: "as the note",
    arms.WARM: "warm, in batches",
    arms.DEPENDENT: "warm, dependent",
    arms.TIMED: "warm, timed one by one",
    arms.COMMITS: "many commits, killed",
    arms.ONE_WRITE: "one commit, killed",
    arms.POWER_CUT: "one commit, power cut",
}


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Of times every check; of what a kill left only what was counted."""
    gates = summary.consistency_gates(answer.estimand.names(summary))
    return gates if answer.estimand.metric else [gate for gate in gates if gate.name == COUNTED]


def _over_four(use: str) -> Estimand:
    """Geometric mean over the claimed sizes of SQLite's mean look-up in one use over the note's engine's after."""

    def compute(summary: Summary) -> Estimate:
        sqlite, omendb = (summary.sizes_together(each) for each in (use, AFTER))
        return summary.estimated(statistics.ratio, sqlite, omendb)

    names = (note(each, rows) for rows in arms.CLAIMED_SIZES for each in (use, AFTER))
    return custom(compute, Quantity.COMPARISON, *names, aa=TIME)


def _at_largest(use: str) -> Callable[[Summary], str]:
    return lambda summary: note(use, summary.parameters.largest)


def _written(sqlite: str, rocksdb: str) -> Estimand:
    return ratio(at(arms.COMMITS, sqlite), at(arms.COMMITS, rocksdb), WRITE)


SETTLED = at(arms.WARM, "after_settled")
NUMBERS = {
    **{f"over_four_{use}": on_hosts(_over_four(use)) for use in USES},
    **{f"largest_{use}": on_hosts(ratio(_at_largest(use), _at_largest(AFTER), TIME)) for use in USES},
    "largest_before": on_hosts(ratio(_at_largest(AS_RUN), _at_largest(BEFORE), TIME)),
    "inserting": on_hosts(ratio(_at_largest(AS_RUN), _at_largest(AFTER), "insert_ns_per_row")),
    "preparing": ratio(note(AS_RUN, CLAIMED_ROWS), note(ONCE, CLAIMED_ROWS), TIME),
    "recovered": custom(all_recovered, Quantity.COUNTER, worst, working=recovered_words, idle=not_durable),
    "once_us": level(arms.ONCE_WARM, TIME, 1e3),
    "once_itself": ratio(arms.WARM_AGAIN, arms.ONCE_WARM, TIME),
    "settled": ratio(SETTLED, at(arms.WARM, AFTER), TIME),
    "best_over_settled": ratio(at(arms.WARM, BEST), SETTLED, TIME),
    **{
        f"{quantile}_{use}": ratio(at(arms.TIMED, use), at(arms.TIMED, AFTER), f"query_{quantile}_ns")
        for quantile in ("p50", "p99")
        for use in USES
    },
    "default_over_as_run": _written(arms.DEFAULT, arms.UNSYNCED),
    "default_over_synced": _written(arms.DEFAULT, "log_synced"),
    "wal_over_synced": _written("wal_full", "log_synced"),
    "wal_over_unsynced": _written("wal_normal", arms.UNSYNCED),
}


def _prepared(summary: Summary, rows: int) -> dict[str, Any]:
    """What preparing for every query costs at so many rows, in µs and as a ratio."""
    query, once = note(AS_RUN, rows), note(ONCE, rows)
    times = (summary.values(arm, TIME) / 1e3 for arm in (query, once))
    more = summary.estimated(statistics.difference, *times)
    return {"rows": rows, "more": Told(more), "times": Told(summary.over(query, once, TIME))}


def _settings(summary: Summary) -> dict[str, Told]:
    """A warm look-up in each setting of SQLite over one prepared once, with intervals that hold together."""
    sqlite = [
        arm
        for arm in summary.having(summary.part(arms.WARM), TIME)
        if arm != arms.ONCE_WARM and not {BEFORE, AFTER} & set(arm.split("_"))
    ]
    others = {summary.label(arm): summary.values(arm, TIME) for arm in sqlite}
    effects = summary.estimated(statistics.many_to_one, summary.values(arms.ONCE_WARM, TIME), others)
    return {label: Told(effect) for label, effect in effects.items()}


def _kernels(summary: Summary) -> dict[str, str]:
    """The builds of the kernel by kind of host."""
    found: dict[str, dict[str, None]] = {}
    for part in summary.run.parts:
        of_host = found.setdefault(str(part.provenance.get("processor", "")), {})
        of_host[str(part.provenance.get("system", "an unknown kernel"))] = None
    return {name: ", ".join(kernels) for name, kernels in found.items()}


def _left(parts: Iterable[str], uses: Iterable[str]) -> Callable[[Summary], list[dict[str, Any]]]:
    """What was left in each of these, of which a run may lack some."""
    every = [(part, use) for part in parts for use in uses]
    return lambda summary: listed(*(partial(summary.left, part, use) for part, use in every))


def _mean(use: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(_at_largest(use)(summary), metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "in_turns": lambda summary: in_turns(summary.parameters),
    "apart": lambda summary: any(
        each.claim_id == "O078" and each.outcome is Outcome.HOST for each in judging.verdicts(summary)
    ),
    "note_before": lambda summary: printed.behind("query")[CLAIMED_ROWS],
    "note_after": lambda summary: printed.speedup_after(),
    "prepared": lambda summary: listed(*(partial(_prepared, summary, rows) for rows in summary.parameters.sizes)),
    "settings": _settings,
    "faster_on": lambda summary: on_each(summary, *(summary.sizes_together(use) for use in (ONCE, AFTER))),
    "locking_on": lambda summary: on_each(
        summary, *(summary.values(arm, TIME) for arm in (arms.ONCE_WARM, at(arms.WARM, "read_held")))
    ),
    "kernels": _kernels,
    "memtable": _mean(AFTER, "memtable_share"),
    "files": _mean(AFTER, "table_files"),
    "page_hits": _mean(ONCE, "page_hit_ratio"),
    "engine_bytes": _mean(AFTER, "resident_bytes"),
    "sqlite_bytes": _mean(ONCE, "resident_bytes"),
    "syncs": lambda summary: {
        use.label: summary.mean(at(arms.COMMITS, name), SYNCS)
        for name, use in arms.WRITES.items()
        if name != arms.NO_LOG
    },
    "kept": _left((arms.COMMITS, arms.ONE_WRITE), (arms.UNSYNCED, arms.NO_LOG)),
    "left": _left([arms.POWER_CUT], arms.WRITES),
    "journal_came_back": Summary.journal_came_back,
    "killed": lambda summary: summary.left(arms.ONE_WRITE, arms.UNSYNCED),
    "cut": lambda summary: summary.left(arms.POWER_CUT, arms.UNSYNCED),
    "synced": lambda summary: bool(summary.values(KILLED, SYNCS).any()),
    "clock_ns": lambda summary: summary.run.provenance["probe_timer_ns"],
}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The speed-ups over SQLite that the note and the report beside it print."""
    told_of = notes.table("omendb_speedup").set_index("scale_rows")
    rows = [
        {
            "rows": f"{rows:,}",
            "note, before": f"{told_of['before'][rows]:g}",
            "note, after": "" if pd.isna(told_of["after"][rows]) else f"{told_of['after'][rows]:g}",
            "look-ups alone": f"{look_ups:g}",
            "inserts alone": f"{printed.behind('insert')[rows]:g}",
        }
        for rows, look_ups in printed.behind("query").items()
    ]
    return pd.DataFrame(rows).set_index("rows")


def _overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: look-ups and writes with intervals, syncs, memory, rows lost."""
    settings = {name: arm.settings for name, arm in summary.configurations.items()}

    def written(arm: str) -> str:
        metric = WRITE if settings[arm]["part"] in arms.WRITTEN else "insert_ns_per_row"
        return with_interval(summary.level(arm, metric, 1e3))

    def lost(arm: str) -> str:
        reported, found = summary.counted(arm)
        return f"{(reported - found).sum():,.0f}"

    columns: Columns = {
        **levels(summary, TIME, "query_p50_ns", "query_p99_ns"),
        "write (µs per row)": written,
        **means(summary, "insert_syncs", SYNCS),
        "rows lost": lost,
        **means(summary, "resident_bytes"),
    }
    rows = [
        ({"what": PARTS[str(of["part"])], "rows": f"{of['rows']:,}", "use": summary.label(arm)}, arm)
        for arm, of in settings.items()
    ]
    return table(rows, columns)


TABLES = {"note_claims": _note_claims, "overview": _overview}
