"""Trials: a fresh server with an empty pool, one trace of keys over one set of tables, and what the server counted."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from benchbook.chapters.row_access import counts, tables
from benchbook.chapters.row_access.arms import PAGE_BYTES, RANDOM, RELATED, REWRITE, ROW_BYTES, ZIPF, Parameters
from benchbook.chapters.row_access.asking import Asked, Client
from benchbook.chapters.row_access.rewriting import rewrite
from benchbook.chapters.row_access.tables import SHARE_OF_30, Found, TableSet
from benchbook.chapters.row_access.traces import Trace, expected_pages, pages_per_key, trace
from benchbook.engines import cores
from benchbook.engines.postgres import find, identity, private_cluster, sessions
from benchbook.errors import BenchbookError
from benchbook.measuring.postgres import Loaded
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import describe
from benchbook.workloads import hash_keys

MIB = 2**20
LEAST_POOL_KIB = 1024
EXPLAINED = 20
"""So many look-ups are explained after the trial, to see how they were done."""
Numbers = dict[str, float | None]


def reduce(latencies: np.ndarray) -> Numbers:
    """One number per metric from a trial's times in ns, int64: of its requests, or of CLUSTER."""
    return describe(latencies)


def needs(parameters: Parameters) -> Needs:
    """Disk for the tables, what rewriting them takes, and the log; memory for the pool and the client."""
    return Needs(
        disk_bytes=int(1.2 * parameters.data_bytes) + 800_000_000,
        memory_bytes=parameters.large_pool_mib * MIB + 1_000_000_000,
        engine=identity,
    )


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A loaded private cluster on which trials are measured; ``progress`` is told of the loading."""
    binaries = find()
    sets = tables.table_sets(parameters)
    with private_cluster(binaries, bytes_needed=needs(parameters).disk_bytes) as cluster:
        cluster.start({"shared_buffers": "512MB"})  # with commits on disk, or VACUUM would find no page all-visible
        tables.load(cluster, parameters, lambda share: progress("loading tables", share))
        with cluster.connect() as connection:
            found = {name: tables.inspect(connection, each) for name, each in sets.items()}
            written = [
                {int(str(row[1])[6:]): tuple(row) for row in connection.execute(f"SELECT * FROM {name}")}
                for name in sets["defined"].tables
            ]
        cluster.stop()
        heap = sum(sum(each.heap_bytes.values()) for each in found.values())
        rest = sum(each.bytes for each in found.values()) - heap
        gc.freeze()  # collections between requests then look at what the trial made, not at all imported modules
        try:
            yield Bench(parameters, binaries, cluster, heap, rest, sets, found, written)
        finally:
            gc.unfreeze()


@dataclass(frozen=True)
class Bench(Loaded[Parameters]):
    """A loaded data set, measured trial by trial. written: rows of the definitions whose values were drawn, by id."""

    sets: dict[str, TableSet]
    found: dict[str, Found]
    written: list[dict[int, tuple[Any, ...]]]

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once. Raises BenchbookError when a row that came back is wrong or missing."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        settings = planned.configuration.settings
        metrics: Numbers
        if settings["kind"] == REWRITE:
            metrics, labels, samples = self._rewrite(planned)
        else:
            metrics, labels, samples = self._look_ups(planned)
        [times] = samples.values()
        return Trial(
            planned, started_at, time.monotonic() - clock, metrics | reduce(times),
            {"state": "measured", **labels}, samples,
        )  # fmt: skip

    def provenance(self) -> dict[str, Any]:
        """Also the size of each set of tables, and what the definitions' rows take."""
        sizes = {
            name: {"heap": sum(each.heap_bytes.values()), "index": each.index_bytes, "toast": each.toast_bytes}
            for name, each in self.found.items()
        }
        rows = self.parameters.definition_rows
        defined = {name: size / rows for name, size in self.found["defined"].heap_bytes.items()}
        return super().provenance() | {"bytes": sizes, "bytes_per_defined_row": defined}

    def pool_kib(self, tables_of: str, draw: str) -> int:
        """The buffer pool of a trial; three columns from the index have that of the rows of the same width."""
        if draw != ZIPF:
            return self.parameters.large_pool_mib * 1024
        needed = self.found[f"width_{ROW_BYTES}" if tables_of == "covered" else tables_of].bytes
        return max(LEAST_POOL_KIB, int(needed * self.parameters.small_pool_percent / 100) // 1024)

    @contextmanager
    def _server(self, pool_kib: int) -> Iterator[None]:
        self.cluster.evict()
        with cores.on(None if self.cores is None else self.cores.server):
            self.cluster.start({"shared_buffers": f"{pool_kib}kB"} | self.settings())
        try:
            yield
        finally:
            self.cluster.stop()

    def _rewrite(self, planned: PlannedTrial) -> tuple[Numbers, dict[str, str], dict[str, np.ndarray]]:
        settings, p = planned.configuration.settings, self.parameters
        with self._server(p.large_pool_mib * 1024), self.cluster.connect() as connection:
            in_force = sessions.checked(connection)
            rows = int(settings["rows"] or 0)
            percents = p.upsert_percents if settings.get("upserts") else ()
            found, took_ns = rewrite(
                connection, self.binaries, rows, percents, planned.seed,
                fillfactor=int(settings.get("fillfactor") or 100), new=bool(settings.get("new")),
                batch_rows=int(settings.get("batch_rows") or p.upsert_batch_rows),
            )  # fmt: skip
        return found, {"settings": in_force}, {"cluster": np.array([took_ns], dtype=np.int64)}

    def _look_ups(self, planned: PlannedTrial) -> tuple[Numbers, dict[str, str], dict[str, np.ndarray]]:
        settings = planned.configuration.settings
        name, columns, draw = (str(settings[each]) for each in ("tables", "columns", "draw"))
        each, found = self.sets[name], self.found[name]
        asked = trace(self.parameters, draw, each.rows, planned.seed)
        pool_kib = self.pool_kib(name, draw)
        client_cores = None if self.cores is None else self.cores.client
        with (
            self._server(pool_kib), cores.on(client_cores), self.cluster.connect() as observer,
            self.cluster.connect() as measured,
        ):  # fmt: skip
            in_force = sessions.checked(measured)
            client = Client(measured, each, columns, self.written)

            def counted(ids: np.ndarray) -> tuple[Asked, counts.Counts]:
                before = counts.read(observer, measured, self.binaries, each.schema)
                done = client.run(ids)
                return done, counts.read(observer, measured, self.binaries, each.schema) - before

            warm = asked.warm if draw == ZIPF else asked.measured
            first, first_counts = counted(warm)
            held = counts.resident(observer, each.schema)
            again, again_counts = counted(asked.measured)
            plan, fetches = self._explained(measured, each, columns, asked.measured)
        metrics: Numbers = {
            "requests": float(len(asked.measured)),
            "loop_share_in_requests": float(again.latencies.sum()) / again.loop_ns,
            "pool_pages": pool_kib * 1024 / PAGE_BYTES,
            "table_pages": found.bytes / PAGE_BYTES,
            "hash_correlation": found.correlation,
            "all_visible_share": found.all_visible,
            "heap_fetches": fetches,
            "first_mean_ns": float(first.latencies.mean()),
        }
        metrics |= _bytes(each, found, again) | _per_request(again_counts, len(asked.measured))
        if draw != ZIPF:
            metrics |= _cold(asked, found, first_counts, again_counts, held, draw)
        return metrics, {"settings": in_force, "plan": plan}, {"request": again.latencies}

    def _explained(self, measured: Any, each: TableSet, columns: str, ids: np.ndarray) -> tuple[str, float]:
        """The kind of scan of the look-ups, and how many heap rows some of them fetched for want of visibility."""
        statement, kinds, fetches = each.select(0, columns, ids.shape[1]), set(), 0
        for row in ids[:EXPLAINED].tolist():
            keys = row if each.key == "business_id" else hash_keys(row)
            [(plan,)] = measured.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", keys).fetchall()
            node = (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]
            kinds.add(str(node["Node Type"]))
            fetches += int(node.get("Heap Fetches", 0))
        return ", ".join(sorted(kinds)), float(fetches)


def _bytes(each: TableSet, found: Found, asked: Asked) -> Numbers:
    """Bytes of a row at rest and as returned: over the tables, or as the source repository's 30 are made up."""
    shares = SHARE_OF_30 if each.definitions else dict.fromkeys(each.names, 1 / len(each.names))
    metrics: Numbers = {
        "returned_bytes": sum(share * asked.value_bytes[name] for name, share in shares.items()),
        "message_bytes": sum(share * asked.row_bytes[name] for name, share in shares.items()),
        "heap_bytes_per_row": sum(share * found.heap_bytes[name] / each.rows for name, share in shares.items()),
    }
    if each.definitions:
        for name in each.names:
            metrics[f"{name}_returned_bytes"] = asked.value_bytes[name]
            metrics[f"{name}_heap_bytes"] = found.heap_bytes[name] / each.rows
    return metrics


def _per_request(seen: counts.Counts, requests: int) -> Numbers:
    heap = seen.hit["heap"] + seen.read["heap"]
    return {
        "heap_blocks_per_request": heap / requests,
        "index_blocks_per_request": (seen.hit["idx"] + seen.read["idx"]) / requests,
        "toast_blocks_per_request": sum(seen.hit[k] + seen.read[k] for k in ("toast", "tidx")) / requests,
        "reads_per_request": seen.reads / requests,
        "heap_blocks": float(heap),
        "heap_hit_ratio": seen.hit["heap"] / heap if heap else None,
        "index_scans": float(seen.scans),
        "evictions": None if seen.evictions is None else float(seen.evictions),
    }


def _cold(
    asked: Trace, found: Found, first: counts.Counts, again: counts.Counts, held: dict[str, int], draw: str
) -> Numbers:
    """What the keys brought into an empty pool; and that asking again read nothing, so that all are served from it."""
    if again.reads:
        raise BenchbookError(
            f"asking for the same keys again read {again.reads} blocks: the pool does not hold their pages",
            "raise large_pool_mib",
        )
    keys, pages = asked.measured.size, sum(held.values())
    metrics: Numbers = {
        "keys": float(keys),
        "cold_reads_per_request": first.reads / len(asked.measured),
        "resident_pages": float(pages),
        "resident_pages_per_key": pages / keys,
        "keys_per_mib": keys / (pages * PAGE_BYTES / MIB),
        **{f"resident_{kind}_pages_per_key": number / keys for kind, number in held.items()},
    }
    if found.pages is not None:
        touched = found.pages[asked.measured.ravel()]
        metrics |= {
            "distinct_heap_pages": float(held["heap"]),
            "heap_pages_by_address": float(len(np.unique(touched))),
            "expected_heap_pages": expected_pages(np.unique(found.pages, return_counts=True)[1], keys),
            "heap_pages_per_key": held["heap"] / keys,
        }
        if draw in (RELATED, RANDOM):
            metrics["heap_pages_per_key"] = pages_per_key(found.pages, asked.measured)
    return metrics
