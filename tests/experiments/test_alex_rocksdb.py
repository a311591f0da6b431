"""ALEX before RocksDB without an engine: parts and the clock, states, growth, processes."""

import copy
from typing import Any

import numpy as np
import planting
import pytest
from planting import planted, visits

from benchbook import lab
from benchbook.chapters.alex_rocksdb import Parameters, engine_of_growth, metrics
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.timed_parts import rows_in
from benchbook.model import Outcome, PlannedTrial, Run

chapter = lab.experiment("alex_rocksdb")
pytestmark = pytest.mark.usefixtures("still_machine")
MEMORY = {"anonymous_bytes": 1000, "major_faults": 2, "resident_bytes": 5000}
ENGINE: dict[str, Any] = {
    "rocksdb.num-entries-active-mem-table": 40, "rocksdb.num-entries-imm-mem-tables": 0, "files_at_level": [0, 0],
    "rocksdb.total-sst-files-size": 0, "rocksdb.cur-size-all-mem-tables": 4000, "rocksdb.block-cache-usage": 96,
    "rocksdb.num-running-flushes": 0, "rocksdb.num-running-compactions": 0,
    "tickers": {"rocksdb.memtable.hit": 3},
}  # fmt: skip


def request(timing: str = "parts", engine: str = "rocksdb") -> dict[str, Any]:
    run = {"operations": 4, "warm_operations": 2, "timing": timing}
    return {"options": {"engine": engine}, "load": {"rows": 40, "settle": "nothing"}, "run": run}


def answer(engine: dict[str, Any] | None = ENGINE, engine_ns: int = 600, **changes: Any) -> Answer:
    phase: dict[str, Any] = {"memory": MEMORY, "index": {"bytes": 800, "shape": {"leaves": 2}}}
    phase |= {} if engine is None else {"engine": engine}
    run = copy.deepcopy(phase) | {"measured_ns": 4000, "checked_reads": 4, "row_cache_hits": 0} | changes
    run["memory"] |= {"major_faults": 5}
    if engine and "tickers" in engine:
        run["engine"]["tickers"] = {"rocksdb.memtable.hit": 7}
    counters = {
        "open": phase | {"memory": MEMORY | {"anonymous_bytes": 200}},
        "load": phase | {"batches": 1, "memory": MEMORY | {"anonymous_bytes": 4248}}, "warm": phase, "run": run,
    }  # fmt: skip
    times = {"query": 1000, "index": 200, "engine": engine_ns}
    record = {"counters": counters, "seconds": {"load_engine": 2.0}, "memory": MEMORY, "timer_ns": 20.0}
    return Answer({f"{name}.service": np.full(4, ns) for name, ns in times.items()}, record)


def test_parts_become_shares_with_and_without_what_the_clock_takes() -> None:
    found = metrics(answer(), request())
    assert (found["index_share"], found["engine_share"], found["rest_share"]) == (0.2, 0.6, 0.2)
    assert found["query_net_ns"] == 900, "five readings of the clock lie in a query with two timed parts"
    assert (found["index_net_ns"], found["engine_net_ns"], found["rest_net_ns"]) == (180, 580, 140)
    assert sum(found[f"{part}_net_share"] or 0 for part in ("index", "engine", "rest")) == pytest.approx(1)
    cached = metrics(answer(row_cache_hits=4), request())
    assert (cached["query_net_ns"], cached["index_net_ns"]) == (980, 200), "the row cache answers before both"
    alone = metrics(answer(None, 0), request(engine="none"))
    assert (alone["query_net_ns"], alone["rest_net_ns"]) == (940, 760), "three readings"
    assert alone["resident_bytes_per_key"] == (4048 - 8 * 6) / 40, "less the keys that were drawn"
    assert "engine_mean_ns" not in alone


def test_counters_of_the_measured_window_are_differences() -> None:
    found = metrics(answer(), request())
    assert (found["memtable_hits"], found["block_cache_hits"], found["major_faults"]) == (4, 0, 3)
    assert (found["index_bytes_per_key"], found["leaves"], found["load_rows_per_s"]) == (20, 2, 20)
    assert not {"depth", "resident_bytes_per_key"} & {*found}, "with an engine the process holds more than the index"
    plain = {name: value for name, value in ENGINE.items() if name != "tickers"}
    assert "memtable_hits" not in metrics(answer(plain), request()), "what was not counted is not 0"
    silent = metrics(answer(index={"bytes": None, "shape": None}), request("batches"))
    assert silent["index_bytes_per_key"] is None


@pytest.mark.parametrize(
    ("entries", "files", "held"),
    [(40, [0], "memtable"), (0, [0, 2], "files"), (7, [1], "memtable and files"), (None, [0], None)],
)
def test_where_the_rows_are_is_what_the_engine_says(entries: int | None, files: list[int], held: str | None) -> None:
    assert rows_in(answer(ENGINE | {"rocksdb.num-entries-active-mem-table": entries, "files_at_level": files})) == held
    assert rows_in(answer(None)) is None


def test_a_probe_that_timed_something_else_gives_no_trial() -> None:
    given = answer()
    series = {**given.series, "index.service": np.array([1])}
    with pytest.raises(BenchbookError, match="timed 4 queries, 1 and 4 parts of 4 look-ups"):
        metrics(Answer(series, given.record), request())


STEADY: dict[str, float] = {
    "mean_ns": 1000.0, "lookups": 1e5, "checked_reads": 1e5, "background_work": 0.0, "files": 0.0,
    "query_mean_ns": 1100.0, "query_net_ns": 1000.0, "index_mean_ns": 225.0, "index_net_ns": 200.0,
    "index_share": 0.21, "index_net_share": 0.2, "engine_mean_ns": 800.0, "engine_net_ns": 780.0,
    "engine_share": 0.77, "engine_net_share": 0.78, "rest_share": 0.02, "rest_net_share": 0.02,
}  # fmt: skip


def made(arms: dict[str, dict[str, Any]] | None = None, blocks: int = 6) -> Run:
    """A run in which every arm has STEADY within one in a thousand, and some arms other values in every block."""
    generator = np.random.default_rng(1)

    def values(trial: PlannedTrial) -> dict[str, Any]:
        name, settings = trial.configuration.name, trial.configuration.settings
        held = "files" if settings["settle"] == "compact" else "memtable"
        row = {"rows_in": None if settings["engine"] == "none" else held}
        for metric, value in (STEADY | (arms or {}).get(name, {})).items():
            exact = isinstance(value, str) or metric in ("lookups", "checked_reads")
            row[metric] = value if exact else value * float(np.exp(generator.normal(0, 1e-3)))
        return row

    return planted("alex_rocksdb", Parameters(blocks=blocks), values)


def verdicts(arms: dict[str, dict[str, Any]] | None, *claims: str, **given: int) -> dict[str, Any]:
    return planting.verdicts(chapter.summarize(made(arms, **given)), *claims)


def test_numbers_are_judged_with_the_clocks_cost_and_the_net_value_stands_beside() -> None:
    found = verdicts({"point_query_parts": {"rest_share": 0.057, "rest_net_share": 0.037}}, "O006")["O006"]
    assert found.estimate.point == pytest.approx(0.057, rel=0.01)
    assert found.reason.startswith("Without the cost of reading the clock it would be 0.037")
    below = verdicts({"point_query_parts": {"rest_net_share": -0.01}}, "O006")["O006"]
    assert "it would be -0.01" in below.reason, "such a share has no logit"
    hidden = verdicts({"note_flat_alone": {"index_mean_ns": -3.0}}, "O034")["O034"]
    assert hidden.outcome is Outcome.INCONCLUSIVE
    assert "cost of reading the clock" in hidden.reason


def test_rocksdbs_part_says_that_no_level_was_read_where_none_was() -> None:
    small = {"parts_10000": {"query_net_ns": 500.0, "engine_net_ns": 330.0}}
    claims = "O005", "O070"
    found, in_files = verdicts(small, *claims), verdicts(small | {"parts": {"files": 1.0}}, *claims)
    for claim in claims:
        assert "RocksDB had no file, each get is a search in the memtable's skip list" in found[claim].reason
        assert "LSM level" not in in_files[claim].reason


def test_growth_without_growth_is_not_divided_and_a_share_of_it_may_be_below_0() -> None:
    with pytest.raises(BenchbookError, match="took no longer"):
        engine_of_growth(chapter.summarize(made({"parts": {"query_net_ns": 400.0}})))
    falling = made({"parts_10000": {"query_net_ns": 500.0, "engine_net_ns": 830.0}})
    assert engine_of_growth(chapter.summarize(falling)).high < 0


def test_nine_processes_are_no_ten_and_two_of_a_block_are_one() -> None:
    both = chapter.summarize(visits(made(), made()))
    assert planting.verdicts(both, "O065")["O065"].outcome is Outcome.REPRODUCED, "twelve blocks in two visits"
    nine = verdicts(None, "O065", blocks=9)["O065"]
    assert "departs from the claim: 9 processes where the claim names 10" in nine.reason
    assert nine.estimate.n == 9


@pytest.mark.parametrize(
    ("arms", "void", "beside"),
    [
        ({"point_query": {"checked_reads": 99_999.0}}, "O004", ""),
        ({"without_both": {"checked_reads": 0.0}}, "", "O004"),
        ({"parts": {"rows_in": "memtable and files"}}, "O003", "O010"),
        ({"tool": {"background_work": 1.0}}, "O010", ""),
        ({"tool": {"rows_in": "files"}}, "", "O010"),  # its buffer decides
    ],
)
def test_answers_that_were_not_compared_and_a_store_unlike_its_name_void_their_claims(
    arms: Any, void: str, beside: str
) -> None:
    of_all = "point_query" in arms
    found = verdicts(arms, *(() if of_all else filter(None, (void, beside))))
    assert not void or found[void].outcome is Outcome.CHECK
    assert not beside or found[beside].outcome is not Outcome.CHECK
    if of_all:
        left = {Outcome.CHECK, Outcome.INCONCLUSIVE, Outcome.OPEN_CONDITION}
        assert {each.outcome for each in found.values()} <= left, "every verdict rests on it"
    if void == "O003":
        assert "did not read from memtable alone" in found[void].reason
