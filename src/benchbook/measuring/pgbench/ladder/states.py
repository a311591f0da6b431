"""What trials of the ladder show: metrics in words, note 003's rounds, what caches held, what they lack of claims."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from benchbook.drawing.regular import Dots, Given
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.treatment import every
from benchbook.model import Estimate
from benchbook.notes import number, table
from benchbook.numbers.estimands import Words
from benchbook.numbers.metrics import Metric, Metrics

NOTHING = "This run did not measure note 003's rounds"
LATER_RUNS: Mapping[str, str] = {
    "round_2_cold": "round 2, cold: first run",
    "second_": "round 2, cold: second run",
    "third_": "round 2, cold: third run",
}
"""The configuration with several runs, and the prefixes of the later ones, to their rows."""
COLD = 0.01
"""Share of the data in a cache up to which it counts as cold: the protocol's certificate."""
FULL = 0.9
"""Share of the pool in use from which it counts as warm, where the data do not fit."""
IN_POOL, IN_OS_CACHE = "data_in_pool_start", "data_in_os_cache_start"
_TWO = "{:.2f}".format
OF_RUN: Metrics = {
    **metric_words.METRICS,
    "pool_used_share": percent("share of the pool in use after the discarded run"),
    "start_tps": Metric("throughput of the first two twelfths"),
    "rest_tps": Metric("throughput of all twelfths but the first"),
    "sustained_tps": Metric("throughput of the last third"),
    "third_quarter_tps": Metric("throughput of the third quarter"),
    "fourth_quarter_tps": Metric("throughput of the last quarter"),
    "cv": Metric("standard deviation over mean of the twelfths", format=_TWO),
    "early_cv": Metric("standard deviation over mean of the first five twelfths", format=_TWO),
    "mean_over_peak": Metric("mean over highest twelfth", format=_TWO),
    "first_over_mean": Metric("first twelfth over the mean", format=_TWO),
    "cliff": percent("share of the trials with a cliff", "trials with a cliff"),
    "cliff_slot": Metric("place of the sixtieth in which throughput falls"),
    "reads_per_transaction": Metric(
        "number of blocks of 8 KiB read per transaction", format=_TWO, heading="blocks read per transaction"
    ),
    "cleaned_per_transaction": Metric(
        "number of pages written by the background writer per transaction", format=_TWO,
        heading="written by the background writer per transaction",
    ),
    "backend_writes_per_transaction": Metric(
        "number of pages written by clients' backends per transaction", format="{:.4f}".format,
        heading="written by backends per transaction",
    ),
    "clean_stops": Metric(
        "number of rounds that the limit of the background writer cut short", heading="rounds cut short"
    ),
    "flushes_per_transaction": Metric("number of flushes of the log per transaction", format=_TWO),
    "commits_per_flush": Metric("number of commits per flush of the log", format=_TWO, heading="commits per flush"),
    "log_bytes_per_write": Metric("bytes of log per write", heading="log bytes per write"),
    "parallel_workers": Metric("number of parallel workers launched", heading="parallel workers"),
    "temp_files": Metric("number of temporary files", heading="temporary files"),
    "cpu_per_transaction_s": Metric(
        "processor time of the server per transaction", "ms", 1e3, "{:.3f}".format, "processor time per transaction"
    ),
    "cpu_busy_share": percent("share of the processors' time that is busy", "processors busy"),
    "wait_read_share": percent("share of the clients that wait for a block", "wait for a block"),
    "wait_lock_share": percent("share of the clients that wait for a row", "wait for a row"),
    "wait_log_share": percent("share of the clients that wait for the log", "wait for the log"),
    "wait_none_share": percent("share of the clients whose backend runs", "run"),
}  # fmt: skip
METRICS: Metrics = {
    **OF_RUN,
    **{
        f"{place}_{name}": metric.but(words=f"{metric.words} of the {place} run", heading="")
        for place in ("second", "third")
        for name, metric in OF_RUN.items()
    },
}
"""Of a trial; of those with several runs without a restart, the first has the names alone."""


def inspected(start: str, summary: Summary) -> pd.DataFrame:
    """What the pool and the operating system's cache held before the trials that start so."""
    return summary.inspected(summary.where("start", start), IN_POOL, IN_OS_CACHE)


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


def over_round_2(rows: Mapping[str, str], mend: str) -> Dots:
    """Throughput of these over that of round 2 on a warm pool. rows: as LATER_RUNS, and other configurations."""
    return Dots(
        rows=rows, row="round", series={"measured": _over_round_2}, given=_noted,
        axis="throughput over that of round 2, warm (above 1: faster)", scale="plain", rule=1, replicates="blocks",
        nothing=NOTHING, mend=mend,
    )  # fmt: skip


def _over_round_2(summary: Summary, key: str) -> Estimate:
    above = ("round_2_cold", f"{key}tps") if key.endswith("_") else (key, "tps")
    return summary.ratio(above, ("round_2", "tps"))


def _noted(summary: Summary) -> tuple[Given, ...]:
    """The note's runs over its second round, each at the state that it later names."""
    tps = {each: number("r8g_runs", "tps", round=each) for each in (1, 2, 3)}
    values = {"round_1_cold": tps[1], "round_3": tps[3]}
    values |= dict(zip(LATER_RUNS, table("r8g_validation")["tps"].astype(float), strict=False))
    return (Given("the note's single runs", {key: value / tps[2] for key, value in values.items()}),)
