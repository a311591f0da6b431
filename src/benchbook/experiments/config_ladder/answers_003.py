"""The answers to note 003's claims: its rounds and their courses, one setting at a time, warmth, compression."""

from __future__ import annotations

from benchbook.claims import Quantity
from benchbook.experiments.config_ladder.arms import (
    BUFFERS_16,
    FLUSH_2MB,
    MULTIPLIER_4,
    NAPTIME_10,
    ONE_IO,
    ROUND_1,
    ROUND_1_BASE,
    ROUND_1_COLD,
    ROUND_1_FITS,
    ROUND_2,
    ROUND_2_COLD,
    ROUND_3,
    SIBLINGS_3,
    WORKERS_8,
)
from benchbook.experiments.config_ladder.estimands import (
    largest,
    of_codecs,
    times,
    uncompressed,
    within,
)
from benchbook.experiments.config_ladder.figure_ids import CLAIMED, COURSES, ROUNDS, SINGLES
from benchbook.experiments.config_ladder.treatment import (
    Words,
    any_vacuumed,
    apart,
    applied,
    bound_by_reads,
    cold,
    departs,
    departs_in_codec,
    every,
    images,
    no_parallel_plan,
    no_workers,
    warmer,
    wrote_in_each_session,
)
from benchbook.experiments.r8g_reported import evidence
from benchbook.experiments.shape.answers import Answer
from benchbook.experiments.shape.estimands import Estimand, counts, ratio, reported, totals

_five = applied("wal_writer_flush_after", ROUND_2_COLD, ROUND_1_COLD)


_read_bound = bound_by_reads(ROUND_1_COLD)
READ_START = "a start that is bound by reads"


def _cold_rounds(metric: str = "tps") -> Estimand:
    return times(ROUND_2_COLD, ROUND_1_COLD, metric, idle=every(_five, cold(ROUND_2_COLD, ROUND_1_COLD)))


def _started(metric: str) -> Estimand:
    """The same of what the first seconds decide, in which the note's clients wait for reads."""
    return times(ROUND_2_COLD, ROUND_1_COLD, metric, idle=every(_five, cold(ROUND_2_COLD, ROUND_1_COLD), _read_bound))


def _first(above: str, below: str, *, bounded: bool = False) -> Estimand:
    """How far the start of round 1 lies below the rest of it."""
    return within(ROUND_1_COLD, above, below, bounded=bounded, idle=_read_bound)


def _third(metric: str = "tps") -> Estimand:
    return times(
        ROUND_3, ROUND_2, metric, idle=applied("shared_buffers", ROUND_3, ROUND_2),
        departs=departs_in_codec(ROUND_3, ROUND_2),
    )  # fmt: skip


def _kept(with_it: str, without: str, working: Words | None = None) -> Estimand:
    """A setting that is to cost nothing, over its default."""
    return times(with_it, without, working=working)


def _counted(top: str, bottom: str, metric: str, idle: Words) -> Estimand:
    return counts(top, bottom, metric, idle=idle, departs=departs(top, bottom))


_less_written = totals(
    MULTIPLIER_4, ROUND_1_BASE, "backend_writes_per_transaction", idle=wrote_in_each_session(ROUND_1_BASE),
    departs=departs(MULTIPLIER_4, ROUND_1_BASE),
)  # fmt: skip
_ANSWERS = (
    Answer(
        "R022", _cold_rounds(), CLAIMED,
        said="five changed settings give 29 % more transactions",
        seen="at the same data and from the same cold start they give {} times as many",
        lead=True, row="round 2 ÷ round 1: TPS",
    ),
    Answer(
        "R056", within(ROUND_2_COLD, "second_tps", "tps", aa="tps", idle=warmer(ROUND_2_COLD, "second_")), CLAIMED,
        said="the gain came from buffers that an earlier run had warmed",
        seen="a second run without a restart has {} times the throughput of the first",
        row="second ÷ first run: TPS",
    ),
    Answer(
        "R036", _third(), CLAIMED,
        said="round 3 loses 23 % of the throughput",
        seen="it has {} times that of round 2", row="round 3 ÷ round 2: TPS",
    ),
    Answer(
        "R044", of_codecs("wal_bytes_per_transaction", idle=images(uncompressed)), CLAIMED,
        said="without compression of the log there is more to write",
        seen="a transaction writes {} times the log", row="off ÷ lz4: log per transaction",
    ),
    Answer(
        "R105", largest(ROUND_2, (ROUND_1, ROUND_3), departs=departs_in_codec(ROUND_2, ROUND_1, ROUND_3)), ROUNDS,
        said="round 2 is the best of the three", seen="the better of the two others has {} times its throughput",
    ),
    Answer(
        "R005",
        ratio(
            (ROUND_1_COLD, "latency_sd_ns"), (ROUND_1_COLD, "latency_mean_ns"), quantity=Quantity.DISPERSION,
            idle=_read_bound, departs=departs(ROUND_1_COLD),
        ),
        COURSES, cause=READ_START,
    ),
    Answer("R006", _first("interval_01_tps", "interval_12_tps"), COURSES, cause=READ_START),
    Answer("R007", _first("peak_tps", "tps", bounded=True), COURSES, cause=READ_START),
    Answer(
        "R008", within(ROUND_1_COLD, "fourth_quarter_tps", "third_quarter_tps"), COURSES,
    ),
    Answer("R088", _first("interval_02_tps", "interval_12_tps"), COURSES, cause=READ_START),
    Answer("R089", _first("interval_03_tps", "interval_12_tps"), COURSES, cause=READ_START),
    Answer(
        "R087",
        times(
            ROUND_1_COLD, ROUND_1_FITS, "wait_read_share", idle=every(cold(ROUND_1_COLD, ROUND_1_FITS), _read_bound)
        ),
        CLAIMED, cause=READ_START, row="data 2.5 ÷ 0.92 × pool: waits for reads",
    ),
    Answer("R017", _less_written, SINGLES),
    Answer(
        "R019",
        times(
            ONE_IO, ROUND_1_COLD,
            idle=every(applied("effective_io_concurrency", ONE_IO, ROUND_1_COLD), cold(ONE_IO, ROUND_1_COLD)),
        ),
        SINGLES,
    ),
    Answer(
        "R020",
        _counted(SIBLINGS_3, ROUND_1_BASE, "commits_per_flush", applied("commit_siblings", SIBLINGS_3, ROUND_1_BASE)),
        SINGLES,
    ),
    Answer(
        "R021",
        _counted(
            FLUSH_2MB, ROUND_1_BASE, "log_bytes_per_write", applied("wal_writer_flush_after", FLUSH_2MB, ROUND_1_BASE)
        ),
        SINGLES,
    ),
    Answer("R023", _cold_rounds("latency_mean_ns"), ROUNDS),
    Answer(
        "R024", _started("latency_sd_ns"), CLAIMED, cause=READ_START,
        said="round 2 cuts the spread of the latency by 85 %",
        seen="from an equal start its standard deviation is {} times that of round 1",
        row="round 2 ÷ 1: sd of latency",
    ),
    Answer(
        "R028", _started("first_over_mean"), CLAIMED, cause=READ_START,
        said="round 2 needs no warm-up, where round 1 began at half of its mean",
        seen="from an equal start the first twelfth, over the mean, is {} times what it is in round 1",
        row="round 2 ÷ 1: first twelfth ÷ mean",
    ),
    Answer("R029", _started("latency_sd_ns"), ROUNDS, cause=READ_START),
    Answer("R025", within(ROUND_2, "interval_01_tps", "rest_tps"), COURSES),
    Answer("R090", within(ROUND_2, "interval_02_tps", "tps"), COURSES),
    Answer("R091", within(ROUND_2, "interval_03_tps", "tps"), COURSES),
    Answer("R026", within(ROUND_2, "peak_tps", "tps", bounded=True), COURSES),
    Answer("R027", within(ROUND_2, "interval_12_tps", "tps"), COURSES),
    Answer("R030", within(ROUND_2, "min_tps", "peak_tps", bounded=True), COURSES),
    Answer("R034", times(NAPTIME_10, ROUND_2, idle=any_vacuumed(ROUND_2)), SINGLES),
    Answer("R065", _kept(ROUND_2, BUFFERS_16), SINGLES),
    Answer("R096", _kept(ROUND_2, WORKERS_8, no_workers(ROUND_2, WORKERS_8)), SINGLES).but(inert=no_parallel_plan),
    Answer("R037", _third("latency_mean_ns"), ROUNDS),
    Answer(
        "R038", _third("latency_sd_ns"), CLAIMED,
        said="round 3 nearly doubles the spread of the latency",
        seen="its standard deviation is {} times that of round 2", row="round 3 ÷ 2: sd of latency",
    ),
    Answer(
        "R039", _third("interval_01_tps"), CLAIMED,
        said="round 3 is worse from the start, by 25 %",
        seen="its first twelfth has {} times the throughput of round 2's", row="round 3 ÷ 2: TPS of the first twelfth",
    ),
    Answer("R092", within(ROUND_3, "interval_02_tps", "tps"), COURSES),
    Answer("R093", within(ROUND_3, "interval_03_tps", "tps"), COURSES),
    Answer("R040", within(ROUND_3, "peak_tps", "tps", bounded=True), COURSES),
    Answer("R041", within(ROUND_3, "interval_12_tps", "tps"), COURSES),
    Answer(
        "R049", times(ROUND_2_COLD, ROUND_2, idle=apart(ROUND_2, ROUND_2_COLD)), CLAIMED, row="cold ÷ warm: TPS"
    ),
    Answer(
        "R050", within(ROUND_2_COLD, "second_tps", "tps", aa="tps", idle=warmer(ROUND_2_COLD, "second_")), ROUNDS,
    ),
    Answer(
        "R051", within(ROUND_2_COLD, "third_tps", "tps", aa="tps", idle=warmer(ROUND_2_COLD, "third_")), CLAIMED,
        row="third ÷ first run: TPS",
    ),
    Answer(
        "R055", times(ROUND_2, ROUND_2_COLD, idle=apart(ROUND_2, ROUND_2_COLD)), ROUNDS
    ),
    Answer(
        "R094", within(ROUND_2_COLD, "third_interval_12_tps", "third_tps", aa="interval_12_tps"), CLAIMED,
        row="third run: last twelfth ÷ mean",
    ),
)  # fmt: skip
ANSWERS = reported(_ANSWERS, evidence, "R022", "R036", "R055", "R056")
"""Those that note 003's own reports decide are judged by them first."""
