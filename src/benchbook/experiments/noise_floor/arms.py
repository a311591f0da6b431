"""The configurations: two workloads, each under two labels, and the same TPC-B command without our samplers."""

from __future__ import annotations

from benchbook.experiments.noise_floor.parameters import Parameters
from benchbook.experiments.planning import blocked
from benchbook.model import Configuration, Plan

SELECT, SELECT_AGAIN = "select_only", "select_only_again"
TPCB, TPCB_AGAIN, TPCB_PLAIN = "tpcb", "tpcb_again", "tpcb_plain"
WORKLOADS = {"select-only": (SELECT, SELECT_AGAIN), "TPC-B-like": (TPCB, TPCB_AGAIN)}
"""Workload as figures name it -> its two labels. Everything else of the two is the same."""


def configurations() -> tuple[Configuration, ...]:
    """Every arm, in the order of the figures. sampled: per-transaction log, and a look at the waits each second."""
    return (
        Configuration(SELECT, "select-only", {"script": "select-only", "sampled": True}),
        Configuration(SELECT_AGAIN, "select-only, again (A/A)", {"script": "select-only", "sampled": True}),
        Configuration(TPCB, "TPC-B-like", {"script": "tpcb-like", "sampled": True}),
        Configuration(TPCB_AGAIN, "TPC-B-like, again (A/A)", {"script": "tpcb-like", "sampled": True}),
        Configuration(TPCB_PLAIN, "TPC-B-like, plain command", {"script": "tpcb-like", "sampled": False}),
    )


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(), parameters.blocks, parameters.seed)
