"""The scale chapter without an engine: what is made of an answer, the smallest of several, its checks."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planting import summary, verdicts
from stand_in import StandIn

from benchbook import lab, statistics
from benchbook.chapters.scale import ASKED_ROWS, REPORTS, Parameters, metrics, short, smallest
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, PlannedTrial
from benchbook.pages.names import NOTHING

chapter = lab.experiment("scale")
pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")
ROCKSDB: dict[str, Any] = {
    "engine": {"rocksdb.num-entries-active-mem-table": 700, "rocksdb.num-entries-imm-mem-tables": 200,
               "files_at_level": [1, 0, 2]},
    "index": {"bytes": 64_000, "shape": {"leaves": 300}},
}  # fmt: skip
BATCHES = {"law": "stride", "operations": 20, "batch_operations": 10}
SQLITE: dict[str, Any] = {"engine": {"cache_misses": 10, "page_count": "25"}}


def answer(held: dict[str, Any], series: dict[str, list[int]], **changes: Any) -> Answer:
    calls = {"fsync": 1, "fdatasync": 0, "msync": 0, "sync_file_range": 7}
    phases = {phase: copy.deepcopy(held) | {"syncs": dict(calls)} for phase in ("open", "load", "warm", "run")}
    phases["load"]["syncs"] |= {"fsync": 3, "fdatasync": 1}
    phases["run"] |= {"checked_reads": 20, "row_cache_hits": 0, "measured_ns": 60_000} | changes
    seconds = {"load_engine": 2.0} | ({"load_index": 0.5} if "index" in held else {})
    record = {"counters": phases, "seconds": seconds, "memory": {"anonymous_bytes": 1_000}}
    return Answer({key: np.array(values, dtype=np.int64) for key, values in series.items()}, record)


def test_inserting_is_writing_and_filling_the_index() -> None:
    found = metrics(answer(ROCKSDB, {"batch.service": [20_000, 40_000]}), BATCHES)
    assert (found["insert_s"], found["engine_insert_s"], found["index_insert_s"]) == (2.5, 2.0, 0.5)
    assert found["query_mean_ns"] == found["query_middle_ns"] == 3_000
    assert (found["memtable_rows"], found["table_files"], found["index_leaves"]) == (900, 3, 300)
    assert found["insert_syncs"] == 3, "what the engine asked to be durable while rows were written"
    assert "pages_missed_per_lookup" not in found, "RocksDB has no pages of SQLite's"


def test_sqlite_has_pages_and_neither_memtable_nor_index() -> None:
    found = metrics(answer(SQLITE, {"batch.service": [30_000] * 2}, engine=SQLITE["engine"] | {"cache_misses": 40}),
                    BATCHES)  # fmt: skip
    assert (found["insert_s"], found["index_insert_s"]) == (2.0, None)
    assert (found["pages"], found["pages_missed_per_lookup"]) == (25, 1.5)
    assert not {"memtable_rows", "table_files", "index_bytes", "index_leaves"} & set(found)


def test_single_lookups_give_quantiles_and_no_mean_of_batches() -> None:
    found = metrics(answer(SQLITE, {"query.service": list(range(1, 201))}), {"law": "uniform", "operations": 200})
    assert (found["uniform_p50_ns"], found["uniform_mean_ns"]) == (100.5, 100.5)
    assert found["uniform_p99_ns"] is None, "two look-ups say nothing of a tail"
    assert "query_mean_ns" not in found


@pytest.mark.parametrize(
    ("law", "series"), [("stride", {"batch.service": [1]}), ("uniform", {"query.service": [1, 2]})]
)
def test_lookups_that_were_not_timed_make_no_trial(law: str, series: dict[str, list[int]]) -> None:
    with pytest.raises(BenchbookError, match=r"timed .* of 20 look-ups"):
        metrics(answer(SQLITE, series), BATCHES | {"law": law})


def test_numbers_of_rows_are_named_without_loss() -> None:
    sizes = (999, 10_000, 250_000, 2_500_000, 1_234_567)
    assert [*map(short, sizes)] == ["999", "10k", "250k", "2.5M", "1,234,567"]


ANY: Any = StandIn()
"""A summary of a run of one session."""


def test_the_smallest_of_several_has_an_interval_in_which_all_hold() -> None:
    generator = np.random.default_rng(3)
    truths, covered, narrow = (1.5, 1.55, 4.0), 0, 0
    for _ in range(400):
        values = [np.exp(np.log(truth) + 0.1 * generator.standard_normal(6)) for truth in truths]
        found, simple = smallest(ANY, values), statistics.ratio(np.min(values, axis=0), np.ones(6))
        assert found.low <= found.point <= found.high
        covered += found.low <= min(truths) <= found.high
        narrow += simple.low <= min(truths) <= simple.high
    assert covered >= 0.95 * 400 - 3 * np.sqrt(400 * 0.05 * 0.95)
    assert narrow < covered, "the smallest of each block is too small where two sizes are close"
    one = np.array([2.0, 2.2, 2.1])
    assert smallest(ANY, [one]) == statistics.many_to_one(np.ones(3), {"only": one})["only"]


QUERY_NS = {"before": 1_000.0, "before_again": 1_000.0, "after": 900.0, "sqlite_as_run": 4_000.0, "sqlite_well": 800.0}


def made(changes: dict[str, dict[str, Any]] | None = None, **parameters: Any) -> Any:
    """A summary in which every system has its time at all sizes but where ``changes`` says otherwise, by arm."""
    generator = np.random.default_rng(5)

    def values(trial: PlannedTrial) -> dict[str, Any]:
        name, jitter = trial.configuration.name, np.exp(0.01 * generator.standard_normal(2))
        system, row = "_".join(name.split("_")[:-2]), {"checked_reads": 1e3, "lookups": 1e3, "anonymous_bytes": 1e6}
        row |= {"insert_s": (2.0 if system == "sqlite_as_run" else 1.0) * jitter[0]}
        row |= {} if name.endswith("uniform") else {"query_mean_ns": QUERY_NS[system] * jitter[1]}
        return row | (changes or {}).get(name, {})

    return summary("scale", Parameters.given({"blocks": 6} | parameters), values)


def test_a_baseline_that_differs_from_itself_voids_the_claims_of_its_size_and_time() -> None:
    slow = verdicts(made({"before_again_10000_sequential": {"query_mean_ns": 3_000.0}}), "O002", "O027", "O068", "O016")
    assert {slow[claim].outcome for claim in ("O002", "O027", "O068")} == {Outcome.CHECK}
    assert slow["O016"].outcome is not Outcome.CHECK, "of ten million rows"
    long = verdicts(made({"before_again_10000_sequential": {"insert_s": 9.0}}), "O027", "O002")
    assert long["O027"].outcome is Outcome.CHECK
    assert long["O002"].outcome is not Outcome.CHECK, "of queries"
    next_smaller = made({"before_again_10000_sequential": {"query_mean_ns": 3_000.0}}, again_rows=[10_000])
    found = verdicts(next_smaller, "O016")["O016"]
    assert found.outcome is Outcome.CHECK, "a smaller size answers for one that has no second"


def test_a_run_without_ten_million_rows_leaves_their_claims_open_and_decides_the_others() -> None:
    open_ = "O002", "O014", "O016", "O030", "O068"
    found = verdicts(made(rows=[10_000, 100_000, 1_000_000], again_rows=[10_000]), *open_, "O027")
    assert all(found[claim].outcome is Outcome.INCONCLUSIVE for claim in open_)
    assert found["O027"].estimate.point == pytest.approx((2 + 4) / 2, rel=0.05)


def test_unchecked_look_ups_void_the_claims() -> None:
    found = verdicts(made({"sqlite_well_10000_sequential": {"checked_reads": 999.0}}), "O027")["O027"]
    assert found.outcome is Outcome.CHECK
    assert "differ in 6 trials" in found.reason


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("6-167-1-491520 KB", "480 MiB, shared by its cores: it can hold all of that at 10k, 100k, 1M rows."),
        ("6-1-1-1024 KB", "a cache of 1.00 MiB, shared by its cores: it can hold that at no size."),
    ],
)
def test_the_page_says_which_sizes_the_processors_cache_can_hold(model: str, said: str) -> None:
    held = {f"before_{rows}_sequential": {"anonymous_bytes": 200.0 * rows + 2e6} for rows in ASKED_ROWS}
    run = made(held).run
    found = chapter.summarize(replace(run, provenance=run.provenance | {"processor_model": model}))
    assert said in chapter.say(found, "caches").text
    nothing = {arm: {"anonymous_bytes": float("nan")} for arm in held}
    assert chapter.say(made(nothing), "caches").text == NOTHING


def test_the_notes_own_table_is_below_what_all_its_tests_are_said_to_show() -> None:
    found = REPORTS["O068"]()
    assert found.value == 1.44
    assert by_report(load_claims()["O068"], found, None).outcome is Outcome.CONTRADICTED
