"""The chapter's claims in the order in which its lesson tells of them, and what their verdicts stand on."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.experiments.config_ladder import answers_002, answers_003
from benchbook.experiments.config_ladder.arms import (
    A_AGAIN,
    B_AGAIN,
    ROUND_1_COLD,
    ROUND_1_COLD_AGAIN,
    ROUND_2,
    ROUND_2_AGAIN,
    A,
    B,
    Start,
)
from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.shape.answers import Answer
from benchbook.statistics import Gate

LATENCIES = {"latency_mean_ns", "latency_sd_ns"}
PAIRS = {"workers": (A_AGAIN, A), "scenario B": (B_AGAIN, B), "cold": (ROUND_1_COLD_AGAIN, ROUND_1_COLD)}
"""The baseline's second and first configuration of each group that has its own; ROUND_2's of all others."""
PAIR = (ROUND_2_AGAIN, ROUND_2)
ANSWERS = (*answers_003.ANSWERS, *answers_002.ANSWERS)


def aa_gates(summary: Summary, answer: Answer) -> list[Gate]:
    """The baseline of the claim's own group against itself."""
    known = summary.configurations
    groups = {known[arm].group for arm in answer.estimand.names(summary) if arm in known}
    again, first = next((PAIRS[group] for group in PAIRS if group in groups and PAIRS[group][0] in known), PAIR)
    return [summary.aa_gate(again, first, answer.estimand.metric or "")]


def checks(summary: Summary, answer: Answer) -> Iterable[Gate]:
    """Equal counts, bounded memory; full pools of warm trials, equal starts after a restart; Little's law."""
    arms = answer.estimand.names(summary)
    if not arms:
        return []
    gates = [*summary.counts_gate(arms), summary.bound_gate(arms)]
    if arms & {*summary.starting(Start.WARM)}:
        gates.append(summary.full_gate(arms))
    if arms & {*summary.starting(Start.RESTART)}:
        gates.append(summary.dirty_gate(arms))
    if answer.estimand.metric in LATENCIES:
        gates.append(summary.littles_gate(arms))
    return gates
