"""The claims of the chapter: how each number comes from the trials, which figure shows it, what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.families.kv.piloted import over, picked
from benchbook.experiments.lru.arms import AGAIN, BEST, LARGE, ONCE, SMALL, SQLITE, UNIFORM, ZIPF, at
from benchbook.experiments.lru.summary import TIME, Summary
from benchbook.experiments.parameters import other_numbers
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, departing, ratio, share
from benchbook.model import Estimate
from benchbook.statistics import Gate

TIMES, HITS, SPEEDUPS, CLAIMED = (f"fig-lru-{each}" for each in ("times", "hits", "speedups", "claims"))
AA = (at(ZIPF, AGAIN), at(ZIPF, SMALL))
Z_SMALL, Z_LARGE = at(ZIPF, SMALL), at(ZIPF, LARGE)


def _speedup(law: str) -> Estimand:
    """SQLite's mean look-up over that of the largest cache over the setting that the pilot chose, same keys."""
    return picked(over(at(law, SQLITE), None), tuple(at(law, use) for use in BEST), at(law, SQLITE))


def memory_mb(summary: Summary, confidence: float = 0.95) -> Estimate:
    """Memory that the largest cache adds once it is full, in MB of 10^6 bytes."""
    full, empty = (summary.values(at(UNIFORM, use), "anonymous_bytes") / 1e6 for use in (LARGE, SMALL))
    return statistics.difference(full, empty, confidence=confidence, sessions=summary.sessions)


def _locality(summary: Summary, confidence: float) -> Estimate:
    """What the larger cache gains with Zipf keys over what it gains with uniform ones."""
    zipf, uniform = (
        summary.values(at(law, SMALL), TIME) / summary.values(at(law, LARGE), TIME) for law in (ZIPF, UNIFORM)
    )
    return statistics.ratio(zipf, uniform, confidence=confidence, sessions=summary.sessions)


def asked_twice(summary: Summary) -> str:
    """That a key was asked for twice where none was to be; "" where the caches never had one."""
    hits = max(float(summary.values(at(ONCE, use), "hit_ratio").max()) for use in (SMALL, LARGE))
    return f"{hits:.2%} of the look-ups found their row in the cache" if hits else ""


_once = ratio(at(ONCE, LARGE), at(ONCE, SMALL), TIME, idle=asked_twice)


def _departs(summary: Summary) -> str:
    p = summary.parameters
    other = [f"a Zipf exponent of {p.zipf_exponent} where 0.99 is asked"] if p.zipf_exponent != 0.99 else []
    return " and ".join([*other_numbers(p), *other])


ANSWERS = departing(
    (
        Answer(
            "O061", _speedup(ZIPF), SPEEDUPS,
            said="with a cache of a million rows the engine is at least twice as fast as SQLite on realistic keys",
            seen="with Zipf keys it is {} times as fast", lead=True, brief="{} times with Zipf keys",
            row="Zipf keys: SQLite as run ÷ largest cache",
        ),
        Answer(
            "O072", _speedup(UNIFORM), SPEEDUPS,
            said="so it is on the note's own benchmark, which it calls uniform",
            seen="with uniform keys it is {} times as fast",
            row="uniform keys: SQLite as run ÷ largest cache",
        ),
        Answer(
            "O059", ratio(Z_SMALL, Z_LARGE, TIME), TIMES,
            said="for hot keys, a query becomes 1.25 to 1.5 times as fast",
            seen="with Zipf keys and a million rows cached instead of a thousand, {} times",
            row="query, Zipf keys: 1,000 ÷ 1 M rows cached",
        ),
        Answer(
            "O058", share(Z_LARGE, "hit_ratio", "lookups"), HITS,
            said="most queries then hit the cache",
            seen="with Zipf keys, {} % do", factor=100,
            row="hit ratio, Zipf keys, 1 M rows cached",
        ),
        Answer(
            "O062", _once, TIMES,
            said="the risk is low: where the cache cannot help, it costs at most 5 %",
            seen="where no key is asked for twice, a query takes {} times as long",
            row="query, each key once: 1 M ÷ 1,000 rows cached (risk)",
        ),
        Answer("O060", _once, TIMES, row="query, each key once: 1 M ÷ 1,000 rows cached (no help)"),
        Answer(
            "O074", custom(_locality, Quantity.COMPARISON, *(at(law, use) for law in (ZIPF, UNIFORM)
                           for use in (SMALL, LARGE)), aa=TIME), TIMES,
            row="gain with Zipf ÷ gain with uniform keys",
        ),
        Answer(
            "O057", custom(memory_mb, Quantity.COUNTER, at(UNIFORM, LARGE), at(UNIFORM, SMALL)), CLAIMED,
            said="a cache of a million rows takes 100 to 500 MB", seen="here it adds {} MB",
            row="memory of the largest cache (MB)",
        ),
    ),
    _departs,
)  # fmt: skip


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)
