"""One trial: a store and an index filled anew, warmed, asked as a whole or part by part, and every answer checked."""

from __future__ import annotations

from typing import Any

from benchbook.chapters.alex_rocksdb.arms import OF_BENCHMARK, OF_TOOL, WHOLE, Parameters, configurations
from benchbook.chapters.alex_rocksdb.metrics import metrics, state
from benchbook.measuring.kv.bench import Asked, Probing, Reading
from benchbook.measuring.kv.options import AFTER, BEFORE
from benchbook.measuring.kv.requests import Request, request, unwarmed
from benchbook.measuring.samples import reduce
from benchbook.model import Configuration

TOOL_OPTIONS = {"write_buffer_bytes": BEFORE["write_buffer_bytes"]}
"""The diagnostic program's own store."""
OPTIONS = {"before": BEFORE, "after": AFTER, "tool": TOOL_OPTIONS, "none": {}}
TOOL_STRIDE, TOOL_WARM_LOOKUPS, TOOL_WARM_STRIDE = 100, 1_000, 1_000
WARM_STRIDE = 7_919
"""A prime, so that look-ups before a fixed stride come from everywhere and not from the keys that are measured."""


def request_of(parameters: Parameters, arm: Configuration, seed: int) -> Request:
    """What the probe is asked for in a trial."""
    p, settings = parameters, arm.settings
    options: dict[str, Any] = {"engine": settings["engine"], "index": settings["index"]}
    if settings["index"] != "none":
        options["index_load"] = settings["index_load"]
    if settings["row_cache"]:
        options["row_cache_entries"] = p.row_cache_entries
    options |= OPTIONS[str(settings["options"])]
    if settings["statistics"]:
        options["statistics"] = True
    run = _pattern(p, arm) | {name: settings[name] for name in ("timing", "without", "dependent", "absent")}
    return request(
        seed, options, int(settings["rows"] or 0), run, keys=settings["keys"], settle=settings["settle"],
        batch_rows=p.tool_batch_rows if settings["options"] == "tool" else 0,
    )  # fmt: skip


def _pattern(p: Parameters, arm: Configuration) -> dict[str, Any]:
    """Which keys are asked for, how many, and which before them."""
    rows, law, whose = int(arm.settings["rows"] or 0), arm.settings["law"], arm.settings["pattern"]
    if whose == OF_BENCHMARK:
        stride = max(1, rows // p.benchmark_lookups)
        return {"law": law, "stride": stride, "operations": p.benchmark_lookups,
                "batch_operations": p.benchmark_lookups}  # fmt: skip
    if whose == OF_TOOL:
        found = {"law": law, "operations": p.tool_lookups, "warm_operations": TOOL_WARM_LOOKUPS,
                 "warm_stride": TOOL_WARM_STRIDE}  # fmt: skip
        return found | ({"stride": TOOL_STRIDE} if law == "stride" else {})
    found = {"law": law, "operations": p.lookups, "warm_operations": p.lookups // 10}
    if law == "stride":
        found |= {"stride": max(1, rows // p.lookups), "warm_stride": WARM_STRIDE}
    if law == "zipf":
        found["exponent"] = p.zipf_exponent
    return found


def read(asked: Asked[Parameters]) -> Reading:
    """A trial's metrics, and the times of its queries, or of batches of them."""
    series = "batch" if asked.request["run"]["timing"] == "batches" else "query"
    held = state(asked.answer)
    labels = {} if held is None else {"rows_in": held}
    return Reading(metrics(asked.answer, asked.request), series, asked.answer.series[f"{series}.service"], labels)


def once(arm: Configuration, request: Request) -> bool:
    """The note's two programs asked for so many keys and no more; which ones is what some claims are about."""
    return arm.settings["pattern"] != WHOLE or unwarmed(arm, request)


PROBING = Probing("RocksDB", ("RocksDB",), configurations, request_of, read, pinned=True, once=once)
needs, session = PROBING.needs, PROBING.session

__all__ = ["needs", "read", "reduce", "request_of", "session"]
