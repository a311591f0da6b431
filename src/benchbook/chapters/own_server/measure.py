"""A session on the server: tables in a schema of our own, trials measured on them, everything dropped at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from benchbook.chapters.own_server import server
from benchbook.chapters.own_server.arms import EMPTY_WAY, PIPELINE_WAY, SERIAL_WAY, Parameters, configurations
from benchbook.chapters.own_server.bench import Bench
from benchbook.chapters.own_server.data import Data
from benchbook.engines import own_server
from benchbook.engines.own_server import Facts
from benchbook.engines.own_server.schema import PREFIX
from benchbook.errors import MachineError
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe

_REQUEST_MS, _READ_MIB_S = 3.0, 500
"""A guess of what a request takes beside its trips, and of how fast a server reads the filler."""


def needs(parameters: Parameters) -> Needs:
    """Disk and memory for a private server; on a server of the user's own hardly any, but time."""
    if own_server.service() is None:
        memory_bytes = parameters.private_pool_mib * 2**20 + 500_000_000
        return Needs(_private_bytes(parameters), memory_bytes, server.identity)
    named = _named()
    minutes, reached = (None, "") if named is None else (_minutes(parameters, named), named.words())
    return Needs(50_000_000, 300_000_000, server.identity, minutes=minutes, reached=reached)


def _named() -> Facts | None:
    """The server that is named; None where it cannot be asked, which ``Needs.check`` tells."""
    try:
        return server.facts()
    except MachineError:
        return None


def _private_bytes(parameters: Parameters) -> int:
    """Disk of a private server: tables, and the filler with its log."""
    return int(parameters.data_bytes + parameters.filler_mib(parameters.private_pool_mib) * 2**20 * 2) + 1_000_000_000


def _minutes(parameters: Parameters, named: Facts) -> float:
    """Of measuring."""
    trips = {PIPELINE_WAY: 1, SERIAL_WAY: parameters.n_tables}
    seconds = 0.0
    for each in configurations(parameters):
        way, n = str(each.settings["way"]), int(each.settings.get("requests") or parameters.requests)
        work = 0.0 if way == EMPTY_WAY else _REQUEST_MS
        seconds += n * (trips.get(way, 1) * named.trip_ms + work) / 1e3
        seconds += parameters.hot_keys * (named.trip_ms + _REQUEST_MS) / 1e3
        seconds += parameters.filler_passes * parameters.filler_mib(named.pool_mib) / _READ_MIB_S
    return parameters.blocks * seconds / 60


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """The server with our tables on it; ``progress`` is told of the loading."""
    with server.opened(parameters, _private_bytes(parameters)) as opened:
        data = Data(schema(parameters), parameters, parameters.filler_mib(opened.facts.pool_mib))
        with own_server.made(opened.connect, data.schema, pooler=opened.facts.pooler) as keeper:
            with own_server.told("did not load the tables"):
                data.load(keeper, lambda share: progress("loading tables", share))
                heap, index = data.bytes(keeper)
            yield Bench(parameters, opened, data, heap, index)


def schema(parameters: Parameters) -> str:
    """The name of our schema: the same for the same parameters, so that what a killed run left is met again."""
    return PREFIX + hashlib.sha256(parameters.model_dump_json().encode()).hexdigest()[:12]


def reduce(latencies: np.ndarray) -> dict[str, float | None]:
    """Metrics that follow from the latencies of a trial in ns, shape (requests,)."""
    return describe(latencies)
