"""A run in, why what the claims name as the cause did not act in it out; and how far it departs from what they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchbook.experiments.shared_buffers.arms import Part
from benchbook.experiments.shared_buffers.summary import Summary

NOTE_SECONDS, NOTE_CLIENTS = 60.0, 100
WARM, COLD = 0.99, 0.01
"""Share of the data in the pool from which it counts as warm, and up to which as cold: the protocol's certificate."""
READS_A_TRANSACTION = 0.01
"""Device reads per transaction below which there are none to be saved: the least that the claim on them asks for."""


def nothing_evicted(*arms: str) -> Callable[[Summary], str]:
    """Why pools of these sizes did the same work: none evicted a page; "" where one did."""

    def why(summary: Summary) -> str:
        values = [summary.values(arm, "evictions_per_allocation") for arm in arms]
        if any(each.any() for each in values):
            return ""
        used = max(float(summary.values(arm, "data_in_pool_end").max()) for arm in arms)
        trials = sum(len(each) for each in values)
        return (
            f"no pool evicted a page in any of {trials} trials, since a trial touched {100 * used:.0f} % of the data "
            "at most, so that all did the same work"
        )

    return why


def no_reads(arm: str) -> Callable[[Summary], str]:
    """Why there was no read of the device to be saved in a configuration; "" where there was."""

    def why(summary: Summary) -> str:
        reads = summary.values(arm, "device_reads_per_transaction")
        if float(reads.max()) >= READS_A_TRANSACTION:
            return ""
        return (
            f"{summary.label(arm)} read at most {float(reads.max()):.2g} blocks a transaction from the device, so "
            "there was no read to save"
        )

    return why


def not_warmer(cold: str, warm: str) -> Callable[[Summary], str]:
    """Why two configurations did not differ in what the pool held at the start; "" where they did."""

    def why(summary: Summary) -> str:
        least = float(summary.values(warm, "data_in_pool_start").min())
        most = float(summary.values(cold, "data_in_pool_start").max())
        if least >= WARM and most <= COLD:
            return ""
        return (
            f"the pools to be compared held {100 * most:.0f} % of the data at most and {100 * least:.0f} % at least "
            "when the trials began"
        )

    return why


def departure(arms: Iterable[str]) -> Callable[[Summary], str]:
    """How far the trials of these configurations depart from what the claims name; "" where they do not."""

    def what(summary: Summary) -> str:
        p, warm = summary.parameters, set(summary.of_part(Part.WARM))
        seconds = min(float(p.warm_seconds if arm in warm else p.tpcb_seconds) for arm in arms)
        found = []
        if seconds < NOTE_SECONDS:
            found.append(f"trials of {seconds:g} s where the claim names {NOTE_SECONDS:g} s")
        if p.clients != NOTE_CLIENTS:
            found.append(f"{p.clients} clients where it names {NOTE_CLIENTS}")
        return " and ".join(found)

    return what
