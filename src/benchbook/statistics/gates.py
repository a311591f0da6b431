"""A trial's or a run's own numbers go in; named yes-or-no checks with the sentence to print come out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchbook.errors import BenchbookError
from benchbook.model import Effect

LITTLE_TOLERANCE = 0.02
CLIENT_COST_LIMIT = 0.20


@dataclass(frozen=True)
class Gate:
    """One check. value: what was found (a ratio, a count); reason: one sentence with the numbers."""

    name: str
    passed: bool
    value: float
    reason: str


def littles_law(
    clients: float, operations_per_s: float, mean_latency_ns: float, *, tolerance: float = LITTLE_TOLERANCE
) -> Gate:
    """Closed loop: throughput times mean latency must give the number of clients, within 2 %.

    value: implied over real clients. Raises BenchbookError unless all three are finite and > 0. Source: Little 1961.
    """
    _check_positive(clients=clients, operations_per_s=operations_per_s, mean_latency_ns=mean_latency_ns)
    implied = operations_per_s * mean_latency_ns / 1e9
    value = implied / clients
    reason = f"throughput times mean latency gives {implied:.4g} clients, {clients:g} were there"
    return Gate("Little's law", abs(value - 1) <= tolerance, value, reason)


def counts_agree(client: int, server: int) -> Gate:
    """Operations counted by the client and by the server must be the same. value: server minus client."""
    if client < 0 or server < 0:
        raise BenchbookError(f"counts {client} and {server} are not both counts", "count operations, not differences")
    reason = f"the client counted {client:,} operations and the server {server:,}"
    return Gate("counts agree", client == server, float(server - client), reason)


def aa_gate(effect: Effect) -> Gate:
    """The baseline against itself: the interval must contain "the same" (ratio 1, difference 0).

    value: the point. By the 95 % of the interval, one sound run in twenty fails this gate.
    """
    same = 1.0 if effect.scale == "ratio" else 0.0
    passed = effect.low <= same <= effect.high
    reason = (
        f"the baseline against itself gives a {effect.scale} of {effect.point:.4g} "
        f"[{effect.low:.4g}, {effect.high:.4g}], which {'contains' if passed else 'misses'} {same:g}"
    )
    return Gate("A/A", passed, effect.point, reason)


def client_cost(empty_p50_ns: float, p50_ns: float, *, limit: float = CLIENT_COST_LIMIT) -> Gate:
    """The client's own share of the median latency, from the same loop over an empty statement: at most 20 %.

    value: that share. A failed gate goes into the caption; it voids nothing and is never subtracted.
    """
    _check_positive(empty_p50_ns=empty_p50_ns, p50_ns=p50_ns)
    value = empty_p50_ns / p50_ns
    return Gate("client cost", value <= limit, value, f"an empty statement takes {value:.0%} of the median latency")


def environment(gates: Iterable[Gate]) -> tuple[bool, str]:
    """Whether all gates passed, and the reasons of those that did not, joined: what ``judge`` asks for."""
    failed = [f"{gate.name}: {gate.reason}" for gate in gates if not gate.passed]
    return not failed, "; ".join(failed)


def _check_positive(**numbers: float) -> None:
    for name, value in numbers.items():
        if not (math.isfinite(value) and value > 0):
            raise BenchbookError(f"{name}={value:g} is not a finite number above 0", "refuse the trial")
