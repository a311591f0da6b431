"""The configurations: how many clients, with which threads and protocol, through what, cold or warm."""

from __future__ import annotations

from collections.abc import Iterable

from benchbook.chapters.clients.parameters import Parameters
from benchbook.model import Configuration, Scalar

__all__ = ["Parameters", "configurations"]

DIRECT, AGAIN, HALF = "direct", "direct_again", "half_the_clients"
COLD = "round_1_cold"
POOLED, FEW, MANY, PREPARED = "pooled", "pooled_few_backends", "pooled_many_clients", "pooled_prepared"
PROTOCOLS = ("simple", "extended", "prepared")
MATCHED, TWICE = "matched", "twice"
"""As many pgbench threads as processors, or twice as many."""


def count_name(count: int) -> str:
    """Configuration of another number of clients than the baseline's, without a pooler."""
    return f"direct_{count}"


def pooled_name(count: int) -> str:
    """The same through the pooler."""
    return f"pooled_{count}"


def protocol_name(protocol: str, threads: str) -> str:
    """Configuration of a protocol and a number of threads, with as many clients as the baseline."""
    return DIRECT if (protocol, threads) == ("simple", TWICE) else f"{protocol}_{threads}"


def direct_by_count(parameters: Parameters) -> dict[int, str]:
    """Numbers of clients without a pooler, increasing, to their configurations."""
    every = {**{count: count_name(count) for count in parameters.counts}, parameters.clients: DIRECT}
    return dict(sorted(every.items()))


def pooled_by_count(parameters: Parameters) -> dict[int, str]:
    """The same through the pooler; empty where it is not measured."""
    if "pooled" not in parameters.parts:
        return {}
    every = {count: pooled_name(count) for count in parameters.pooled_counts}
    return dict(sorted({**every, parameters.clients: POOLED, parameters.many_clients: MANY}.items()))


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    arms = [
        Configuration(DIRECT, f"{p.clients} clients", _warm(p), "clients"),
        Configuration(AGAIN, f"{p.clients} clients again (A/A)", _warm(p), "clients"),
        Configuration(
            HALF, f"{p.clients // 2} clients, half the threads", _warm(p, p.clients // 2, MATCHED), "clients"
        ),
    ]
    for count in p.counts:
        label = "1 client" if count == 1 else f"{count:,} clients"
        arms.append(Configuration(count_name(count), label, _warm(p, count), "clients"))
    if "protocols" in p.parts:
        arms += _protocols(p)
    if "pooled" in p.parts:
        arms += _pooled(p)
    if "waits" in p.parts:
        cold = _warm(p) | {"cold": True, "seconds": p.waits_seconds, "looks": 60}
        arms.append(Configuration(COLD, "round 1, cold start", cold, "cold"))
    return tuple(arms)


def _protocols(p: Parameters) -> Iterable[Configuration]:
    for threads, many in ((MATCHED, _threads(p, p.clients, MATCHED)), (TWICE, _threads(p, p.clients, TWICE))):
        for protocol in PROTOCOLS:
            name = protocol_name(protocol, threads)
            if name != DIRECT:
                settings = _warm(p, p.clients, threads) | {"protocol": protocol}
                yield Configuration(name, f"{protocol} protocol, {many} thread{'s' * (many > 1)}", settings, "clients")


def _pooled(p: Parameters) -> Iterable[Configuration]:
    for count in p.pooled_counts:
        yield _through(p, pooled_name(count), count, p.pool_backends)
    yield _through(p, POOLED, p.clients, p.pool_backends)
    yield _through(p, FEW, p.clients, p.few_backends)
    yield _through(p, MANY, p.many_clients, p.pool_backends, seconds=p.many_seconds)
    if p.pooled_prepared:
        yield _through(p, PREPARED, p.clients, p.pool_backends, protocol="prepared")


def _through(p: Parameters, name: str, clients: int, backends: int, **other: Scalar) -> Configuration:
    label = f"{clients:,} clients through {backends} connections"
    if "protocol" in other:
        label += f", {other['protocol']}"
    return Configuration(name, label, _warm(p, clients) | {"backends": backends} | other, "clients")


def _threads(p: Parameters, clients: int, threads: str) -> int:
    return min(clients, p.threads * (2 if threads == TWICE else 1))


def _warm(p: Parameters, clients: int | None = None, threads: str = TWICE) -> dict[str, Scalar]:
    """Of round 2 after a warm start, without a pooler."""
    count = p.clients if clients is None else clients
    return {
        "clients": count,
        "threads": _threads(p, count, threads),
        "protocol": "simple",
        "backends": 0,
        "seconds": p.seconds,
        "cold": False,
        "looks": 10,
        "huge_pages": p.allow_vm_settings,
    }
