"""The numbers of the chapter, each once and by name, and what its claims stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from benchbook.chapters.three_rounds.arms import Parameters
from benchbook.measuring.pgbench import summary as family
from benchbook.measuring.pgbench.estimands import largest
from benchbook.measuring.pgbench.ladder import arms, states
from benchbook.measuring.pgbench.ladder.arms import ROUND_1, ROUND_1_COLD, ROUND_2, ROUND_2_COLD, ROUND_3, Start
from benchbook.measuring.pgbench.ladder.states import cold, other_codec
from benchbook.measuring.pgbench.treatment import PER_PAGE_003, applied, every, too_few
from benchbook.notes.r8g_claims import evidence
from benchbook.numbers.answers import Answer
from benchbook.numbers.estimands import Estimand, counts, ratio
from benchbook.numbers.littles_law import littles_gate
from benchbook.statistics import Gate

COLD_PAIR, PAIR = (arms.ROUND_1_COLD_AGAIN, ROUND_1_COLD), (arms.ROUND_2_AGAIN, ROUND_2)
REPORTS = {claim: evidence(claim) for claim in ("R023", "R037", "R038", "R039", "R049", "R051", "R094")}
"""What note 003's own reports show of the claims that they decide."""


class Summary(family.Summary[Parameters]):
    """One run, ready for figures and verdicts."""

    METRICS = states.METRICS

    def departures(self) -> list[str]:
        """How this run differs from the design that the claims ask for, each as half a sentence."""
        ordinary = [] if self.parameters.allow_vm_settings else ["pools in ordinary pages"]
        return [*ordinary, *super().departures()]


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The round that is measured twice, against itself: from empty caches for claims on these."""
    started = {arms.start_of(summary.configurations[each]) for each in answer.estimand.names(summary)}
    pair = COLD_PAIR if started == {Start.COLD} else PAIR
    return [summary.aa_gate(*pair, answer.estimand.metric or "")]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory, full pools of warm trials, Little's law."""
    names = answer.estimand.names(summary)
    gates = [*summary.counts_gate(names), summary.bound_gate(names)]
    if warm := names & {*summary.where("start", Start.WARM)}:
        gates.append(summary.full_gate(warm))
    if answer.estimand.metric in ("latency_mean_ns", "latency_sd_ns"):
        gates.append(littles_gate(summary.of(names), float(summary.parameters.trial_seconds)))
    return gates


def _departs(*names: str) -> Callable[[Summary], str]:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def what(summary: Summary) -> str:
        return " and ".join(filter(None, [too_few(summary, names, PER_PAGE_003), other_codec(summary)]))

    return what


def _times(top: str, bottom: str, metric: str = "tps", **ground: Any) -> Estimand:
    return ratio(top, bottom, metric, departs=_departs(top, bottom), **ground)


def _within(arm: str, above: str, below: str, *, aa: str = "", **ground: Any) -> Estimand:
    """Ratio of two metrics of each trial of one configuration. aa: metric of the A/A pair, by default the first's."""
    return ratio((arm, above), (arm, below), aa=aa or above, departs=_departs(arm), **ground)


_five = every(applied("wal_writer_flush_after", ROUND_2_COLD, ROUND_1_COLD), cold(ROUND_2_COLD, ROUND_1_COLD))
_third = partial(_times, ROUND_3, ROUND_2, idle=applied("shared_buffers", ROUND_3, ROUND_2))
NUMBERS = {
    "round_3": _third(),
    "round_3_latency": _third("latency_mean_ns"),
    "round_3_spread": _third("latency_sd_ns"),
    "round_3_start": _third("interval_01_tps"),
    "round_3_log": counts(ROUND_3, ROUND_2, "wal_bytes_per_transaction"),
    "round_3_reads": counts(ROUND_3, ROUND_2, "reads_per_transaction"),
    "best_round": largest(ROUND_2, (ROUND_1, ROUND_3), departs=_departs(ROUND_2, ROUND_1, ROUND_3)),
    "five": _times(ROUND_2_COLD, ROUND_1_COLD, idle=_five),
    "five_latency": _times(ROUND_2_COLD, ROUND_1_COLD, "latency_mean_ns", idle=_five),
    "emptied": _times(ROUND_2_COLD, ROUND_2, idle=states.apart),
    "second_run": _within(ROUND_2_COLD, "second_tps", "tps", aa="tps", idle=states.warmer("second_")),
    "third_run": _within(ROUND_2_COLD, "third_tps", "tps", aa="tps", idle=states.warmer("third_")),
    "third_run_last": _within(ROUND_2_COLD, "third_interval_12_tps", "third_tps", aa="interval_12_tps"),
    "round_1_first": _within(ROUND_1_COLD, "interval_01_tps", "interval_12_tps"),
    "round_1_falls": _within(ROUND_1_COLD, "fourth_quarter_tps", "third_quarter_tps"),
    "round_2_first": _within(ROUND_2, "interval_01_tps", "rest_tps"),
    "round_2_least": _within(ROUND_2, "min_tps", "peak_tps", bounded=True),
    **{f"{arm}_peak": _within(arm, "peak_tps", "tps", bounded=True) for arm in (ROUND_2, ROUND_3)},
    **{
        f"{arm}_{nth}": _within(arm, f"interval_{of:02}_tps", "tps")
        for arm in (ROUND_2, ROUND_3) for nth, of in (("second", 2), ("third", 3), ("last", 12))
    },
    "again": ratio(*PAIR, "tps"),
    "again_cold": ratio(*COLD_PAIR, "tps"),
}  # fmt: skip


def _mean(arm: str, metric: str) -> Callable[[Summary], float]:
    return lambda summary: summary.mean(arm, metric)


WORDS: dict[str, Callable[[Summary], Any]] = {
    "apparatus": Summary.apparatus,
    "per_page": _mean(ROUND_2, "transactions_per_account_page"),
    "pool_cold": _mean(ROUND_2_COLD, states.IN_POOL),
    "pool_warm": _mean(ROUND_2, states.IN_POOL),
    "failed": lambda summary: summary.failures(summary.arms),
}
