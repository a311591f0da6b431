"""What note 003's trials of the ladder show: metrics in words, what their caches held, what they lack of the claims."""

from __future__ import annotations

from benchbook.measuring.pgbench.ladder.metric_words import OF_RUN
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.treatment import every
from benchbook.numbers.estimands import Words
from benchbook.numbers.metrics import Metrics

COLD = 0.01
"""Share of the data in a cache up to which it counts as cold: the protocol's certificate."""
FULL = 0.9
"""Share of the pool in use from which it counts as warm, where the data do not fit."""
IN_POOL, IN_OS_CACHE = "data_in_pool_start", "data_in_os_cache_start"

METRICS: Metrics = {
    **OF_RUN,
    **{
        f"{place}_{name}": metric.but(words=f"{metric.words} of the {place} run", heading="")
        for place in ("second", "third")
        for name, metric in OF_RUN.items()
    },
}
"""Of a trial; of those with several runs without a restart, the first has the names alone."""


def cold(*names: str) -> Words:
    """That the caches of one of these configurations were not empty when a trial began; "" where they were."""

    def why(summary: Summary) -> str:
        for arm in names:
            for metric in (IN_POOL, IN_OS_CACHE):
                most = float(summary.values(arm, metric).max())
                if most > COLD:
                    return f"{summary.in_words(metric)} of “{summary.label(arm)}” was up to {most:.0%}"
        return ""

    return why


def apart(summary: Summary) -> str:
    """That round 2 found the same in the caches whether it began warm or cold; "" where it did not."""
    used = float(summary.values("round_2", "pool_used_share").min())
    filled = "" if used >= FULL else f"the filled pool was in use to {used:.0%} only"
    return cold("round_2_cold")(summary) or filled


def warmer(later: str) -> Words:
    """That a later run of round 2 began with no fuller pool than its first; "" where it did in every trial."""

    def why(summary: Summary) -> str:
        first, then = (summary.values("round_2_cold", f"{prefix}{IN_POOL}") for prefix in ("", later))
        return "" if (then > first).all() else "in some trial the pool was no fuller when the later run began"

    return every(cold("round_2_cold"), why)


def other_codec(summary: Summary) -> str:
    """That the log is compressed otherwise than in the notes; "" where it is as there, or nobody knows."""
    codec = summary.run.provenance.get("wal_compression", "lz4")
    return "" if codec == "lz4" else f"{codec} where the claim's server had lz4"
