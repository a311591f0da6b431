"""Trials of look-ups in sets of tables: a fresh server with an empty pool, one trace of keys, and what was counted."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from benchbook.engines.postgres import find, private_cluster, sessions
from benchbook.errors import BenchbookError
from benchbook.measuring.features import row_lookups
from benchbook.measuring.features.bench import Metrics
from benchbook.measuring.features.parameters import PAGE_BYTES
from benchbook.measuring.features.rewriting import Rewriting
from benchbook.measuring.features.row_lookups import Answered, Counts, RowClient
from benchbook.measuring.features.row_tables import Found, TableSet, inspect, load
from benchbook.measuring.postgres import Loaded
from benchbook.measuring.samples import Begun
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.base import ExperimentParameters, param
from benchbook.statistics import describe

ROW_BYTES, MIB = 1024, 2**20
"""Width of the rows of which the claims speak."""
SHARE_OF_30 = {"numeric_3": 18 / 30, "timestamp_4": 9 / 30, "numeric_10": 3 / 30}
"""By their names 18 of its 30 tables hold rates, 9 times and 3 velocities; no published table is as wide as 92."""


class RowParameters(ExperimentParameters):
    """What the trials depend on."""

    definition_rows: int = param(20_000, 500, 100_000_000, "rows of each table defined as in the source repository")
    small_pool_percent: float = param(
        20, 1, 90, "buffer pool of the Zipf traces, in % of the tables and indexes that they read"
    )
    large_pool_mib: int = param(256, 8, 1_000_000, "buffer pool in MiB of all other trials")
    upsert_percents: tuple[float, ...] = param(
        (1, 5, 10, 20), words="rows upserted in all after CLUSTER, in % of the table, one after the other"
    )
    upsert_batch_rows: int = param(500, 1, 1_000_000, "rows upserted by one statement, which is a transaction")
    direct_io: bool = param(True, words="read past the OS page cache, so that each miss reaches the device")
    pin_cores: bool = param(True, words="client on one processor core, server on the others (Linux, 2 or more)")


def characters(width: int) -> int:
    """Of the further columns, so that a row with its pointer takes about so many bytes; the others take 144."""
    return width - 144


class Trace(NamedTuple):
    """Ids of rows, from 0; int64, shape (requests, keys of a request). warm: before what is measured."""

    warm: np.ndarray
    measured: np.ndarray


@contextmanager
def row_session(
    parameters: RowParameters, sets: Mapping[str, TableSet], trace: Callable[[str, int, int], Trace], disk_bytes: int,
    progress: Callable[[str, float], None],
) -> Iterator[RowBench]:  # fmt: skip
    """A private cluster with these tables, on which trials are measured; ``progress`` is told of the loading.

    trace: what a trial asks of tables, by its draw, their rows and the seed.
    """
    binaries = find()
    with private_cluster(binaries, bytes_needed=disk_bytes) as cluster:
        cluster.start({"shared_buffers": "512MB"})  # with commits on disk, or VACUUM would find no page all-visible
        load(cluster, [*sets.values()], lambda share: progress("loading tables", share))
        with cluster.connect() as connection:
            found = {name: inspect(connection, each) for name, each in sets.items()}
            written = [
                {int(str(row[1])[6:]): tuple(row) for row in connection.execute(f"SELECT * FROM {name}")}
                for name in sets["defined"].tables
            ]
        cluster.stop()
        heap = sum(sum(each.heap_bytes.values()) for each in found.values())
        rest = sum(each.bytes for each in found.values()) - heap
        gc.freeze()  # collections between requests then look at what the trial made, not at all imported modules
        try:
            yield RowBench(parameters, binaries, cluster, heap, rest, sets, trace, found, written)
        finally:
            gc.unfreeze()


Measured = tuple[Metrics, dict[str, str], dict[str, np.ndarray]]


@dataclass(frozen=True)
class RowBench(Loaded[RowParameters]):
    """A loaded data set, measured trial by trial. written: rows of the definitions whose values were drawn, by id."""

    sets: Mapping[str, TableSet]
    trace: Callable[[str, int, int], Trace]
    found: dict[str, Found]
    written: list[dict[int, tuple[Any, ...]]]

    def provenance(self) -> dict[str, Any]:
        sizes = {
            name: {"heap": sum(each.heap_bytes.values()), "index": each.index_bytes, "toast": each.toast_bytes}
            for name, each in self.found.items()
        }
        rows = self.parameters.definition_rows
        defined = {name: size / rows for name, size in self.found["defined"].heap_bytes.items()}
        return super().provenance() | {"bytes": sizes, "bytes_per_defined_row": defined}

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once. Raises BenchbookError when a row that came back is wrong or missing."""
        begun = Begun()
        rewrites = planned.configuration.settings["kind"] == "rewrite"
        metrics, labels, samples = (self._rewrite if rewrites else self._look_ups)(planned)
        [times] = samples.values()
        labels["state"], metrics = "measured", metrics | reduce(times)
        return begun.ended(planned, metrics, labels, samples)

    def _rewrite(self, planned: PlannedTrial) -> Measured:
        settings, p = planned.configuration.settings, self.parameters
        with self.fresh({"shared_buffers": f"{p.large_pool_mib}MB"}), self.cluster.connect() as connection:
            in_force = sessions.checked(connection)
            found, took_ns = Rewriting(
                connection, self.binaries, int(settings["rows"] or 0), characters(170),
                p.upsert_percents if settings.get("upserts") else (), planned.seed,
                fillfactor=int(settings.get("fillfactor") or 100), new=bool(settings.get("new")),
                batch_rows=int(settings.get("batch_rows") or p.upsert_batch_rows),
            ).metrics()  # fmt: skip
        return found, {"settings": in_force}, {"cluster": np.array([took_ns], dtype=np.int64)}

    def _look_ups(self, planned: PlannedTrial) -> Measured:
        settings, p = planned.configuration.settings, self.parameters
        name, columns, draw = (str(settings[each]) for each in ("tables", "columns", "draw"))
        each, found, pool_kib = self.sets[name], self.found[name], p.large_pool_mib * 1024
        asked = self.trace(draw, each.rows, planned.seed)
        if draw == "zipf":  # three columns from the index have the pool of the rows of the same width
            needed = self.found[f"width_{ROW_BYTES}" if name == "covered" else name].bytes
            pool_kib = max(1024, int(needed * p.small_pool_percent / 100) // 1024)
        with self.fresh({"shared_buffers": f"{pool_kib}kB"}), ExitStack() as stack:
            stack.enter_context(self.on_client())
            observer, measured = (stack.enter_context(self.cluster.connect()) for _ in range(2))
            in_force = sessions.checked(measured)
            client = RowClient(measured, each, columns, self.written)

            def counted(ids: np.ndarray) -> tuple[Answered, Counts]:
                before = row_lookups.counts(observer, measured, self.binaries, each.schema)
                done = client.run(ids)
                return done, row_lookups.counts(observer, measured, self.binaries, each.schema) - before

            first, first_counts = counted(asked.warm if draw == "zipf" else asked.measured)
            held = row_lookups.resident(observer, each.schema)
            again, again_counts = counted(asked.measured)
            plan, fetches = row_lookups.explained(measured, each, columns, asked.measured)
        metrics: Metrics = {
            "requests": float(len(asked.measured)),
            "loop_share_in_requests": float(again.latencies.sum()) / again.loop_ns,
            "pool_pages": pool_kib * 1024 / PAGE_BYTES,
            "table_pages": found.bytes / PAGE_BYTES,
            "hash_correlation": found.correlation,
            "all_visible_share": found.all_visible,
            "heap_fetches": fetches,
            "first_mean_ns": float(first.latencies.mean()),
        }
        metrics |= of_bytes(each, found, again) | per_request(again_counts, len(asked.measured))
        if draw != "zipf":
            metrics |= cold(asked, found, first_counts, again_counts, held, draw)
        return metrics, {"settings": in_force, "plan": plan}, {"request": again.latencies}


def of_bytes(each: TableSet, found: Found, asked: Answered) -> Metrics:
    """Bytes of a row at rest and as returned: over the tables, or as the source repository's 30 are made up."""
    shares = SHARE_OF_30 if each.definitions else dict.fromkeys(each.names, 1 / len(each.names))
    heap = {name: size / each.rows for name, size in found.heap_bytes.items()}
    of = {"returned_bytes": asked.value_bytes, "message_bytes": asked.row_bytes, "heap_bytes_per_row": heap}
    metrics: Metrics = {
        metric: sum(share * sizes[name] for name, share in shares.items()) for metric, sizes in of.items()
    }
    for name in each.names if each.definitions else ():
        metrics |= {f"{name}_returned_bytes": asked.value_bytes[name], f"{name}_heap_bytes": heap[name]}
    return metrics


def per_request(seen: Counts, requests: int) -> Metrics:
    heap = seen.accessed("heap")
    return {
        "heap_blocks_per_request": heap / requests,
        "index_blocks_per_request": seen.accessed("idx") / requests,
        "toast_blocks_per_request": seen.accessed("toast", "tidx") / requests,
        "reads_per_request": seen.reads / requests,
        "heap_blocks": float(heap),
        "heap_hit_ratio": seen.hit["heap"] / heap if heap else None,
        "index_scans": float(seen.scans),
        "evictions": None if seen.evictions is None else float(seen.evictions),
    }


def cold(asked: Trace, found: Found, first: Counts, again: Counts, held: dict[str, int], draw: str) -> Metrics:
    """What the keys brought into an empty pool; and that asking again read nothing, so that all are served from it."""
    if again.reads:
        told = f"asking for the same keys again read {again.reads} blocks: the pool does not hold their pages"
        raise BenchbookError(told, "raise large_pool_mib")
    keys, pages = asked.measured.size, sum(held.values())
    metrics: Metrics = {
        "keys": float(keys),
        "cold_reads_per_request": first.reads / len(asked.measured),
        "resident_pages": float(pages),
        "resident_pages_per_key": pages / keys,
        "keys_per_mib": keys / (pages * PAGE_BYTES / MIB),
        **{f"resident_{kind}_pages_per_key": number / keys for kind, number in held.items()},
    }
    if found.pages is not None:
        metrics |= {
            "distinct_heap_pages": float(held["heap"]),
            "heap_pages_by_address": float(len(np.unique(found.pages[asked.measured.ravel()]))),
            "expected_heap_pages": row_lookups.expected_pages(np.unique(found.pages, return_counts=True)[1], keys),
            "heap_pages_per_key": held["heap"] / keys,
        }
        if draw in ("related", "random"):
            metrics["heap_pages_per_key"] = row_lookups.pages_per_key(found.pages, asked.measured)
    return metrics


def reduce(latencies: np.ndarray) -> Metrics:
    """One number per metric from a trial's times in ns, int64: of its requests, or of CLUSTER."""
    return describe(latencies)
