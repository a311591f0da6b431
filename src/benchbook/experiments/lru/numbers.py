"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from benchbook import statistics
from benchbook.claims import Quantity
from benchbook.experiments import notes
from benchbook.experiments.families.kv import metric_words, piloted
from benchbook.experiments.families.kv.checks import compared
from benchbook.experiments.families.kv.piloted import over, picked
from benchbook.experiments.families.kv.words import in_turns
from benchbook.experiments.lru.arms import (
    AGAIN,
    BEST,
    LARGE,
    MIDDLE,
    ONCE,
    SMALL,
    SQLITE,
    UNIFORM,
    ZIPF,
    Parameters,
    at,
)
from benchbook.experiments.parameters import other_numbers
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, custom, ratio, share
from benchbook.experiments.shape.metrics import Metric, Metrics
from benchbook.experiments.shape.named import percent
from benchbook.model import Estimate
from benchbook.statistics import Gate

TIME = piloted.TIME
METRICS: Metrics = {
    **metric_words.METRICS,
    "hit_ratio": Metric("hit ratio of the cache of rows", "%", 100, heading="hits"),
}
AA = (at(ZIPF, AGAIN), at(ZIPF, SMALL))


class Summary(piloted.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = METRICS

    def sizes(self) -> str:
        """Rows, after the blocks."""
        return f", {self.parameters.rows:,} rows"


def _best(law: str) -> Estimand:
    """SQLite's mean look-up over that of the largest cache over the setting that the pilot chose, same keys."""
    return picked(over(at(law, SQLITE), None), tuple(at(law, use) for use in BEST), at(law, SQLITE))


def _memory_mb(summary: Summary) -> Estimate:
    """Memory that the largest cache adds once it is full, in MB of 10^6 bytes."""
    full, empty = (summary.values(at(UNIFORM, use), "anonymous_bytes") / 1e6 for use in (LARGE, SMALL))
    return summary.estimated(statistics.difference, full, empty)


def _locality(summary: Summary) -> Estimate:
    """What the larger cache gains with Zipf keys over what it gains with uniform ones."""
    zipf, uniform = (
        summary.values(at(law, SMALL), TIME) / summary.values(at(law, LARGE), TIME) for law in (ZIPF, UNIFORM)
    )
    return summary.estimated(statistics.ratio, zipf, uniform)


def _asked_twice(summary: Summary) -> str:
    """That a key was asked for twice where none was to be; "" where the caches never had one."""
    hits = max(float(summary.values(at(ONCE, use), "hit_ratio").max()) for use in (SMALL, LARGE))
    return f"{hits:.2%} of the look-ups found their row in the cache" if hits else ""


def departs(summary: Summary) -> str:
    """What a claim names and this run does not have."""
    p = summary.parameters
    other = [f"a Zipf exponent of {p.zipf_exponent} where 0.99 is asked"] if p.zipf_exponent != 0.99 else []
    return " and ".join([*other_numbers(p), *other])


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Every look-up was compared."""
    return compared(summary.run.trials)


NUMBERS = {
    **{f"best_{law}": _best(law) for law in (ZIPF, UNIFORM)},
    **{f"gain_{law}": ratio(at(law, SMALL), at(law, LARGE), TIME) for law in (ZIPF, UNIFORM)},
    "gain_zipf_middle": ratio(at(ZIPF, SMALL), at(ZIPF, MIDDLE), TIME),
    "cost_uniform": ratio(at(UNIFORM, LARGE), at(UNIFORM, SMALL), TIME),
    **{f"lead_zipf_{use}": ratio(at(ZIPF, SQLITE), at(ZIPF, use), TIME) for use in (SMALL, LARGE)},
    **{f"lead_uniform_{use}": ratio(at(UNIFORM, SQLITE), at(UNIFORM, use), TIME) for use in (SMALL, LARGE)},
    **{f"hits_zipf_{use}": percent(share(at(ZIPF, use), "hit_ratio", "lookups")) for use in (SMALL, LARGE)},
    "hits_uniform": percent(share(at(UNIFORM, LARGE), "hit_ratio", "lookups")),
    "once": ratio(at(ONCE, LARGE), at(ONCE, SMALL), TIME, idle=_asked_twice),
    "locality": custom(
        _locality, Quantity.COMPARISON, *(at(law, use) for law in (ZIPF, UNIFORM) for use in (SMALL, LARGE)), aa=TIME
    ),
    "memory": custom(_memory_mb, Quantity.COUNTER, at(UNIFORM, LARGE), at(UNIFORM, SMALL)),
}  # fmt: skip
WORDS = {"in_turns": lambda summary: in_turns(summary.parameters, all_of_them=True)}


def _note_claims(summary: Summary) -> pd.DataFrame:
    """The note's three ways on, with what it expects of each."""
    told = notes.table("omendb_options").set_index("name")
    own = told[["expected_gain", "expected_speedup_lo", "expected_speedup_hi", "risk"]]
    return own.astype(object).fillna("").rename(
        columns={"expected_gain": "gain", "expected_speedup_lo": "speed-up from", "expected_speedup_hi": "to"}
    )  # fmt: skip


TABLES = {"note_claims": _note_claims}
