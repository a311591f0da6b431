"""The numbers of the chapter, each once and by name: throughput of a state over that of the server left alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchbook.chapters.warm_states.arms import AGAIN, Parameters, State
from benchbook.errors import BenchbookError
from benchbook.measuring.pgbench import metric_words
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.metric_words import percent
from benchbook.notes import r8g_reports
from benchbook.numbers.estimands import average, ratio
from benchbook.numbers.metrics import Metric, Metrics

METRICS: Metrics = {
    **metric_words.METRICS,
    "half_second_#_tps": Metric("throughput of a half second of a turn"),
    "machine_user_per_transaction_s": Metric("the machine's processor time in user mode per transaction", "µs", 1e6),
    "machine_system_per_transaction_s": Metric("the machine's processor time in the kernel per transaction", "µs", 1e6),
    "user_s_per_transaction": Metric("the server's processor time in user mode per transaction", "µs", 1e6),
    "system_s_per_transaction": Metric("the server's processor time in the kernel per transaction", "µs", 1e6),
    "server_read_bytes_per_transaction": Metric("bytes that the server read from the device per transaction"),
    "disk_reads_per_transaction": Metric("number of reads from the device per transaction", format="{:.3f}".format),
    "disk_writes_per_transaction": Metric("number of writes to the device per transaction", format="{:.2f}".format),
    "cpu_per_transaction_s": Metric("processor time of the server per transaction", "µs", 1e6),
    "cpu_busy_share": percent("share of the processors' time that was used"),
    "cleaned_per_transaction": Metric(
        "pages that the background writer cleaned per transaction", format="{:.2f}".format
    ),
    "taken_processors": Metric("processors that another program takes", format="{:.2f}".format),
    "vacuums": Metric("number of VACUUMs begun"),
    "dead_rows": Metric("number of dead rows of branches and tellers at most", heading="dead rows"),
    "processors": Metric("number of processors"),
    "early_over_kept": Metric("throughput of the first part of a turn over that of the rest", format="{:.2f}".format),
    "switch_s": Metric("time until the state began", "s", format="{:.2f}".format),
    "turns": Metric("number of turns"),
    "counted_transactions": Metric("number of transactions that count"),
    "sample_mean_ns": Metric("mean latency of the stored transactions", "ms", 1e-6),
    "sample_p50_ns": Metric("median latency of the stored transactions", "ms", 1e-6),
}
USER, SYSTEM = "machine_user_per_transaction_s", "machine_system_per_transaction_s"
READ = "server_read_bytes_per_transaction"
SLOW = ("115442", "115748")
"""Warm runs of note 003 that were slow from the first second to the last and read nothing from disk, by run_id."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and sentences."""

    METRICS = METRICS


AA = (AGAIN, str(State.NOTHING))


def over(state: State, metric: str = "tps") -> Any:
    """A metric of a state over that of the server left alone."""
    return ratio(str(state), str(State.NOTHING), metric)


NUMBERS = {
    "half": over(State.HALF),
    "busy": over(State.BUSY),
    "snapshot": over(State.SNAPSHOT),
    "vacuum": over(State.VACUUM),
    "os_cache": over(State.OS_CACHE),
    "cold": over(State.COLD),
    "same": ratio(AGAIN, str(State.NOTHING), "tps"),
    "snapshot_user": over(State.SNAPSHOT, USER),
    "snapshot_system": over(State.SNAPSHOT, SYSTEM),
    "busy_user": over(State.BUSY, USER),
    "busy_system": over(State.BUSY, SYSTEM),
    "vacuum_user": over(State.VACUUM, USER),
    "cold_reads": average(str(State.COLD), READ),
    "dead": average(str(State.SNAPSHOT), "dead_rows"),
    "few_dead": average(str(State.NOTHING), "dead_rows"),
    "taken": average(str(State.BUSY), "taken_processors"),
}


def noted(run_id: str) -> dict[str, float]:
    """A slow warm run of the note over its fast one: TPS, user and system time per transaction."""
    reports = r8g_reports.reports()
    slow, fast = reports[run_id].course, reports[r8g_reports.ROUND_2].course
    return {
        "tps": reports[run_id].tps / reports[r8g_reports.ROUND_2].tps,
        "user": float(slow["user_us"].mean() / fast["user_us"].mean()),
        "system": float(slow["system_us"].mean() / fast["system_us"].mean()),
    }


def _noted() -> dict[str, float]:
    every = [noted(run_id) for run_id in SLOW]
    return {name: sum(each[name] for each in every) / len(every) for name in every[0]}


def falls(summary: Summary, state: State) -> dict[str, float]:
    """TPS in the first and in the last half second of a turn, mean over trials.

    Raises BenchbookError where a turn has no half seconds.
    """
    names = sorted(name for name in summary.run.trials.columns if name.startswith("half_second_"))
    if len(names) < 2 or not summary.has(str(state), names[0], names[-1]):
        raise BenchbookError("turns of this run have no half seconds", "give turn_ms of 1,000 or more")
    first, last = (summary.mean(str(state), name) for name in (names[0], names[-1]))
    return {"first": first, "last": last}


def most_read(summary: Summary) -> float:
    """Bytes that the server read per transaction in the trial of the two slow states where it read most."""
    return float(max(summary.values(str(state), READ).max() for state in (State.BUSY, State.SNAPSHOT)))


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "most_read": most_read,
    "noted": lambda summary: _noted(),
    "along": lambda summary: falls(summary, State.SNAPSHOT),
    "turns": lambda summary: summary.mean(str(State.NOTHING), "turns"),
    "cores": lambda summary: int(summary.mean(str(State.NOTHING), "processors")),
}
