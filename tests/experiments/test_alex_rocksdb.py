"""ALEX before RocksDB without an engine: parameters, arms, requests, and what is made of a probe's answer."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart, visits

from benchbook import lab
from benchbook.chapters.alex_rocksdb.arms import (
    AGAIN,
    BENCHMARK,
    BTREE_FIRST,
    FLAT_ALONE,
    INDEXES,
    LOOP,
    NO_ENGINE,
    NO_INDEX,
    NOTHING,
    PARTS,
    POINT,
    POINT_PARTS,
    TOOL,
    TOOL_UNIFORM,
    TOOL_WHOLE,
    Parameters,
    alone,
    configurations,
    grown,
    patterned,
    sized,
)
from benchbook.chapters.alex_rocksdb.measure import request_of
from benchbook.chapters.alex_rocksdb.metrics import levels_over, metrics, state
from benchbook.chapters.alex_rocksdb.summary import benchmark_ns, isolated_ns, noted, noted_bytes
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.options import AFTER, BEFORE
from benchbook.model import Evidence, Outcome, Run
from benchbook.numbers.estimands import saved
from benchbook.pages import names

chapter = lab.experiment("alex_rocksdb")

pytestmark = pytest.mark.usefixtures("still_machine")
ANSWERS = chapter.answers.given

MEMORY = {"anonymous_bytes": 1000, "major_faults": 2, "resident_bytes": 5000}
ENGINE: dict[str, Any] = {
    "rocksdb.num-entries-active-mem-table": 40, "rocksdb.num-entries-imm-mem-tables": 0, "files_at_level": [0, 0],
    "rocksdb.total-sst-files-size": 0, "rocksdb.cur-size-all-mem-tables": 4000, "rocksdb.block-cache-usage": 96,
    "rocksdb.num-running-flushes": 0, "rocksdb.num-running-compactions": 0,
    "tickers": {"rocksdb.memtable.hit": 3},
}  # fmt: skip
INDEX = {"bytes": 800, "shape": {"leaves": 2}}


def request(timing: str = "parts", engine: str = "rocksdb", settle: str = "nothing") -> dict[str, Any]:
    return {
        "options": {"engine": engine, "index": "note_flat"},
        "load": {"rows": 40, "settle": settle},
        "run": {"operations": 4, "warm_operations": 2, "timing": timing},
    }


def answer(engine: dict[str, Any] | None = ENGINE, **changes: Any) -> Answer:
    phase: dict[str, Any] = {"memory": MEMORY, "index": INDEX} | ({} if engine is None else {"engine": engine})
    run: dict[str, Any] = copy.deepcopy(phase) | {
        "measured_ns": 4000, "checked_reads": 4, "row_cache_hits": 0, "memory": MEMORY | {"major_faults": 5},
    }  # fmt: skip
    if engine is not None:
        run["engine"] = engine | {"tickers": {"rocksdb.memtable.hit": 7}}
    counters = {
        "open": phase | {"memory": MEMORY | {"anonymous_bytes": 200}},
        "load": phase | {"batches": 1, "memory": MEMORY | {"anonymous_bytes": 4248}},
        "warm": phase,
        "run": run | changes,
    }
    series = {
        "query.service": np.array([1000, 1000, 1000, 1000]),
        "index.service": np.array([200, 200, 200, 200]),
        "engine.service": np.array([600, 600, 600, 600]),
    }
    record = {
        "counters": counters, "seconds": {"load_engine": 2.0, "settle": 3.0}, "memory": MEMORY, "timer_ns": 20.0,
    }  # fmt: skip
    return Answer(series, record)


def test_parts_become_shares_with_and_without_what_the_clock_takes() -> None:
    found = metrics(answer(), request())
    assert found["mean_ns"] == 1000
    assert (found["index_share"], found["engine_share"], found["rest_share"]) == (0.2, 0.6, 0.2)
    assert found["query_net_ns"] == 900, "five readings of the clock lie in a query with two timed parts"
    assert (found["index_net_ns"], found["engine_net_ns"], found["rest_net_ns"]) == (180, 580, 140)
    assert found["engine_net_share"] == pytest.approx(580 / 900)
    assert sum(found[f"{part}_net_share"] or 0 for part in ("index", "engine", "rest")) == pytest.approx(1)
    assert found["query_p99_ns"] is None, "four look-ups have no tail"


def test_a_query_that_the_row_cache_answers_reads_the_clock_once() -> None:
    found = metrics(answer(row_cache_hits=4), request())
    assert found["query_net_ns"] == 980
    assert found["index_net_ns"] == 200


def test_an_index_alone_has_no_engine_and_three_readings_of_the_clock() -> None:
    given = answer(None)
    series = dict(given.series) | {"engine.service": np.zeros(4, dtype=np.int64)}
    found = metrics(Answer(series, given.record), request(engine="none"))
    assert "engine_mean_ns" not in found
    assert found["query_net_ns"] == 940
    assert found["rest_net_ns"] == 760
    assert found["resident_bytes_per_key"] == (4048 - 8 * 6) / 40, "less the keys that were drawn"
    assert state(given) is None


def test_counters_of_the_measured_window_are_differences() -> None:
    found = metrics(answer(), request())
    assert found["memtable_hits"] == 4
    assert found["block_cache_hits"] == 0
    assert found["major_faults"] == 3
    assert found["index_bytes_per_key"] == 20
    assert found["leaves"] == 2
    assert "depth" not in found
    assert "resident_bytes_per_key" not in found, "with an engine the process holds more than the index"
    assert found["load_rows_per_s"] == 20


def test_without_statistics_no_ticker_is_taken_for_0() -> None:
    plain = {name: value for name, value in ENGINE.items() if name != "tickers"}
    given = answer(plain)
    given.record["counters"]["run"]["engine"] = plain
    assert "memtable_hits" not in metrics(given, request())


@pytest.mark.parametrize(
    ("entries", "files", "held"),
    [(40, [0], "memtable"), (0, [0, 2], "files"), (7, [1], "memtable and files"), (None, [0], None)],
)
def test_where_the_rows_are_is_what_the_engine_says(entries: int | None, files: list[int], held: str | None) -> None:
    given = answer()
    given.record["counters"]["run"]["engine"] |= {
        "rocksdb.num-entries-active-mem-table": entries, "files_at_level": files,
    }  # fmt: skip
    assert state(given) == held


def test_a_probe_that_timed_something_else_gives_no_trial() -> None:
    given = answer()
    series = dict(given.series) | {"index.service": np.array([1])}
    with pytest.raises(BenchbookError, match="timed 4 queries, 1 and 4 parts of 4 look-ups"):
        metrics(Answer(series, given.record), request())


def test_an_index_that_does_not_tell_its_size_has_none() -> None:
    found = metrics(answer(index={"bytes": None, "shape": None}), request("batches"))
    assert found["index_bytes_per_key"] is None
    assert "leaves" not in found


def test_levels_are_counted_from_the_leaves_up() -> None:
    assert [levels_over(leaves) for leaves in (1, 2, 64, 65, 64**2, 64**2 + 1)] == [1, 2, 2, 3, 3, 4]


def test_every_arm_that_an_estimand_names_exists() -> None:
    summary = made()
    assert set().union(*(answer.estimand.names(summary) for answer in ANSWERS)) <= set(summary.arms)


def requests(p: Parameters) -> dict[str, dict[str, Any]]:
    return {arm.name: request_of(p, arm, 1) for arm in configurations(p)}


def test_arms_differ_from_the_engines_look_up_in_what_their_names_say_and_in_nothing_else() -> None:
    found = requests(Parameters())

    def differs(one: str, other: str) -> set[str]:
        flat = [
            {f"{part}.{key}": value for part in ("options", "load", "run") for key, value in found[name][part].items()}
            for name in (one, other)
        ]
        return {key for key in flat[0].keys() | flat[1].keys() if flat[0].get(key) != flat[1].get(key)}

    for name, what in {
        AGAIN: set(), PARTS: {"run.timing"}, POINT: {"options.row_cache_entries"},
        POINT_PARTS: {"options.row_cache_entries", "run.timing"}, NO_ENGINE: {"run.without"},
        NO_INDEX: {"run.without"}, BTREE_FIRST: {"options.index"},
        NOTHING: {"run.without", "load.rows", "run.stride"},
    }.items():  # fmt: skip
        assert differs(LOOP, name) == what, name
    assert differs(TOOL, TOOL_WHOLE) == {"run.timing"}
    assert differs(TOOL, TOOL_UNIFORM) == {"run.law", "run.stride"}
    changed = {f"options.{key}" for key in AFTER if AFTER[key] != BEFORE.get(key)}
    assert differs("witness_before", "witness_after") == changed
    assert differs("witness_after", "witness_after_compacted") == {"load.settle"}
    assert differs("absent_keys", "absent_keys_without_index") == {"options.index", "options.index_load"}


def test_the_notes_programs_are_asked_as_the_note_ran_them() -> None:
    found = requests(Parameters(tool_batch_rows=1))
    assert found[TOOL]["run"] == {
        "law": "stride", "stride": 100, "operations": 10_000, "warm_operations": 1_000, "warm_stride": 1_000,
        "timing": "parts", "without": "nothing", "dependent": False, "absent": False,
    }  # fmt: skip
    assert found[TOOL]["load"]["batch_rows"] == 1
    assert "compression" not in found[TOOL]["options"]
    assert found[LOOP]["load"] == {
        "rows": 10_000_000, "keys": "sequential", "value_bytes": 0, "batch_rows": 0, "settle": "nothing",
    }  # fmt: skip
    assert found[LOOP]["run"]["stride"] * found[LOOP]["run"]["operations"] == 10_000_000, "once over all keys"
    assert found[BENCHMARK]["run"]["operations"] == 1_000
    assert found[BENCHMARK]["run"]["stride"] == 10_000
    assert "warm_operations" not in found[BENCHMARK]["run"]


def test_every_index_is_alone_in_both_kinds_of_time_and_on_both_kinds_of_keys() -> None:
    found = requests(Parameters())
    for index in INDEXES:
        for keys in ("sequential", "random"):
            for kind in ("throughput", "dependent"):
                asked = found[alone(index, keys, kind)]
                assert asked["options"] == {"engine": "none", "index": index, "index_load": "bulk"}
                assert asked["load"]["keys"] == keys
                assert asked["run"]["dependent"] is (kind == "dependent")
                assert asked["run"]["timing"] == "batches"


def test_a_pattern_at_the_largest_size_is_measured_once() -> None:
    p = Parameters(law_rows=10_000_000, between_rows=(100_000, 1_000_000))
    assert patterned(p, "stride", compacted=False) == PARTS
    names = [arm.name for arm in configurations(p)]
    assert len(set(names)) == len(names)
    assert {sized(p, rows) for rows in p.ladder} <= set(names)


@pytest.mark.parametrize(
    "values",
    [
        {"rows": 0}, {"rows": -1}, {"law_rows": 20_000_000}, {"small_rows": 1_000_000}, {"between_rows": [1_000_000]},
        {"between_rows": [200_000, 200_000]}, {"between_rows": [10_000]}, {"index_rows": 20_000_000}, {"lookups": 0},
        {"lookups": 100}, {"tool_lookups": 10}, {"tool_batch_rows": 0}, {"benchmark_lookups": 70_000},
        {"row_cache_entries": 0}, {"zipf_exponent": 0}, {"zipf_exponent": float("nan")}, {"kept_samples": 0},
        {"blocks": 1}, {"row": 10},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(values)


BLOCKS = 6
ONE_FILE = {"files": 1.0}
IN_FILES: dict[str, Any] = {**ONE_FILE, "rows_in": "memtable"}
"""A file beside the memtable that was read: then a claim about files is judged by its number."""
STEADY: dict[str, float] = {
    "mean_ns": 1000.0, "lookups": 100_000.0, "checked_reads": 100_000.0, "timer_ns": 25.0, "background_work": 0.0,
    "memtable_rows": 10.0, "files": 0.0, "writes": 1.0, "row_cache_hits": 0.0, "query_mean_ns": 1100.0,
    "query_net_ns": 1000.0, "index_mean_ns": 225.0, "index_net_ns": 200.0, "index_share": 0.21,
    "index_net_share": 0.2, "engine_mean_ns": 800.0, "engine_net_ns": 780.0, "engine_share": 0.77,
    "engine_net_share": 0.78, "rest_mean_ns": 75.0, "rest_net_ns": 20.0, "rest_share": 0.02, "rest_net_share": 0.02,
    "resident_bytes_per_key": 130.0, "index_bytes_per_key": 129.0, "leaves": 1000.0, "depth": 2.0,
}  # fmt: skip


def planted(
    arms: dict[str, dict[str, Any]] | None = None,
    *,
    p: Parameters | None = None,
    provenance: dict[str, Any] | None = None,
) -> Run:
    """A run in which every arm has STEADY within one in a thousand, and some arms other values in every block."""
    p = p or Parameters(blocks=BLOCKS)
    generator, rows = np.random.default_rng(1), []
    for trial in chapter.plan(p).trials:
        name, settings = trial.configuration.name, trial.configuration.settings
        row: dict[str, Any] = {"trial": trial.index, "block": trial.block, "configuration": name, "session": 0}
        given = STEADY | (arms or {}).get(name, {})
        for metric, value in given.items():
            exact = metric in {"lookups", "checked_reads", "background_work"} or isinstance(value, str)
            row[metric] = value if exact else value * float(np.exp(generator.normal(0, 1e-3)))
        held = "files" if settings["settle"] == "compact" else "memtable"
        row.setdefault("rows_in", None if settings["engine"] == "none" else held)
        rows.append(row)
    return Run(
        "x", "alex_rocksdb", 1, p.model_dump(mode="json"), "custom", p.seed, p.blocks,
        provenance or {"engine_version": "0"}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def made(
    arms: dict[str, dict[str, Any]] | None = None,
    *,
    p: Parameters | None = None,
    provenance: dict[str, Any] | None = None,
) -> Any:
    """The summary of such a run."""
    return chapter.summarize(planted(arms, p=p, provenance=provenance))


def verdicts(summary: Any) -> dict[str, Any]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(summary)}


@pytest.mark.parametrize(("without", "title"), [(790.0, "only costs time"), (1_200.0, "a query is slower without")])
def test_the_lesson_says_what_the_index_costs(without: float, title: str) -> None:
    made_of = chapter.lesson(made({NO_INDEX: {"mean_ns": without}}))
    assert title in made_of.title
    assert "10 rows in its memtable and had 0 files: block cache and filters" in made_of.besides[0]


def test_the_notes_own_breakdown_reproduces_the_notes_claims() -> None:
    p = Parameters()
    found = verdicts(
        made(
            {
                NO_ENGINE: {"mean_ns": 230.0}, NO_INDEX: {"mean_ns": 790.0}, TOOL: {"query_mean_ns": 1000.0},
                TOOL_UNIFORM: {"query_mean_ns": 1000.0}, FLAT_ALONE: {"index_mean_ns": 180.0},
                grown("note_levels", p.rows): {"mean_ns": 180.0},
                sized(p, p.small_rows): {
                    "query_net_ns": 500.0, "engine_net_ns": 300.0, "engine_mean_ns": 320.0, "index_mean_ns": 205.0,
                },
                BTREE_FIRST: {"mean_ns": 1010.0},
            }
        )
    )  # fmt: skip
    for identity in ("O003", "O004", "O006", "O009", "O010", "O011", "O012", "O032", "O033", "O034", "O036", "O071",
                     "O084", "O085", "O098", "O103"):  # fmt: skip
        assert found[identity].outcome is Outcome.REPRODUCED, found[identity].reason
    assert found["O036"].estimate == found["O071"].estimate, "one sentence of the note, one estimand"
    assert found["O084"].estimate.point == pytest.approx(0.77, abs=0.01)


def test_an_index_that_takes_most_of_the_time_contradicts_the_note() -> None:
    found = verdicts(made({PARTS: IN_FILES | {"index_share": 0.7, "engine_share": 0.2, "index_mean_ns": 2000.0}}))
    for identity in ("O003", "O004", "O070"):
        assert found[identity].outcome is Outcome.CONTRADICTED, found[identity].reason


def test_rocksdbs_part_is_judged_by_its_size_and_says_that_no_level_was_read() -> None:
    small = sized(Parameters(), Parameters().small_rows)
    grown = {small: {"query_net_ns": 500.0, "engine_net_ns": 330.0}}
    found, in_files = verdicts(made(grown)), verdicts(made(grown | {PARTS: IN_FILES}))
    for identity in ("O003", "O005", "O070"):
        assert found[identity].outcome is Outcome.REPRODUCED, found[identity].reason
        assert found[identity].evidence is Evidence.MEASURED
    for identity in ("O005", "O070"):
        assert "RocksDB had no file, each get is a search in the memtable's skip list" in found[identity].reason
        assert "LSM level" not in in_files[identity].reason
    told = {finding.claim_id: finding.seen for finding in chapter.lesson(made()).findings}
    assert "in one memtable's skip list and in no file" in told["O003"]


def test_growth_without_growth_is_not_divided() -> None:
    short = made({PARTS: IN_FILES | {"query_net_ns": 400.0}})
    with pytest.raises(BenchbookError, match="took no longer"):
        short.engine_share_of_growth()
    found = verdicts(short)["O005"]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.estimate is None


@pytest.mark.usefixtures("moving_machine")
def test_an_engine_that_gets_faster_with_the_rows_has_a_share_of_the_growth_below_0_and_no_error() -> None:
    small = sized(Parameters(), Parameters().small_rows)
    found = verdicts(made({small: {"query_net_ns": 500.0, "engine_net_ns": 830.0}}))
    assert found["O005"].estimate.high < 0
    assert found["O005"].outcome is not Outcome.REPRODUCED
    assert found["O003"].estimate is not None


def test_claims_are_judged_with_the_clocks_cost_as_registered_and_the_net_value_stands_beside() -> None:
    found = verdicts(made({POINT_PARTS: {"rest_share": 0.057, "rest_net_share": 0.037}}))["O006"]
    assert found.outcome is Outcome.CONTRADICTED, "0.037 would reproduce it"
    assert found.estimate.point == pytest.approx(0.057, rel=0.01)
    assert found.reason.startswith("Without the cost of reading the clock it would be 0.037")
    net = verdicts(made({PARTS: IN_FILES | {"engine_net_ns": 190.0, "index_net_ns": 200.0}}))["O070"]
    assert net.outcome is Outcome.REPRODUCED
    assert "it would be 0.949" in net.reason


def test_a_time_that_the_clock_hides_is_not_a_number() -> None:
    found = verdicts(made({FLAT_ALONE: {"index_mean_ns": -3.0}}))["O034"]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "cost of reading the clock" in found.reason


def test_a_rest_below_the_clocks_cost_is_a_share_below_0_and_no_error() -> None:
    found = verdicts(made({POINT_PARTS: {"rest_net_share": -0.01}}))["O006"]
    assert found.outcome is Outcome.REPRODUCED
    assert "it would be -0.01" in found.reason


def test_what_leaving_a_part_out_saves_keeps_its_interval_in_order() -> None:
    found = saved(NO_ENGINE, LOOP, "mean_ns").compute(made({NO_ENGINE: {"mean_ns": 300.0}}))
    assert found.low < found.point < found.high
    assert found.point == pytest.approx(0.7, abs=0.005)


def test_parts_that_hide_nothing_add_up_to_the_whole() -> None:
    arms = {NO_ENGINE: {"mean_ns": 310.0}, NO_INDEX: {"mean_ns": 700.0}, NOTHING: {"mean_ns": 10.0}}
    assert made(arms).additivity().point == pytest.approx(1, abs=0.005)


def test_nine_processes_are_no_ten_and_two_of_a_block_are_one() -> None:
    few = visits(planted(p=Parameters(blocks=6)), planted(p=Parameters(blocks=6)))
    assert verdicts(chapter.summarize(few))["O065"].outcome is Outcome.REPRODUCED, "twelve blocks in two visits"
    nine = verdicts(made(p=Parameters(blocks=9)))["O065"]
    assert nine.outcome is Outcome.OPEN_CONDITION
    assert "departs from the claim: 9 processes where the claim names 10" in nine.reason
    assert nine.estimate.n == 9
    ten = verdicts(made(p=Parameters(blocks=10)))["O065"]
    assert ten.outcome is Outcome.ONE_VISIT
    assert "a dispersion needs two visits that agree, and this is one" in ten.reason


def test_missing_numbers_leave_claims_open_and_never_decide_them() -> None:
    found = verdicts(made({TOOL: {"engine_share": float("nan"), "engine_mean_ns": float("nan")}}))
    for identity in ("O011", "O032", "O033"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert found[identity].estimate is None
    assert found["O010"].estimate is not None


def test_answers_that_were_not_checked_void_every_verdict() -> None:
    found = verdicts(made({POINT: {"checked_reads": 99_999.0}}))
    voided = {Outcome.CHECK, Outcome.INCONCLUSIVE, Outcome.OPEN_CONDITION}
    assert {verdict.outcome for verdict in found.values()} <= voided
    assert found["O004"].outcome is Outcome.CHECK


def test_a_store_that_is_not_as_named_voids_the_claims_about_it_and_no_others() -> None:
    found = verdicts(made({PARTS: {"rows_in": "memtable and files"}}))
    assert found["O003"].outcome is Outcome.CHECK
    assert "did not read from memtable alone" in found["O003"].reason
    assert found["O010"].outcome is not Outcome.CHECK
    busy = verdicts(made({TOOL: {"background_work": 1.0}}))
    assert busy["O010"].outcome is Outcome.CHECK


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_voids_the_times(how: str, outcome: Outcome) -> None:
    found = verdicts(chapter.summarize(set_apart(planted({PARTS: IN_FILES}), AGAIN, LOOP, "mean_ns", how)))
    for identity in ("O003", "O004", "O070"):
        assert found[identity].outcome is outcome, identity
    spread = visits(*(set_apart(planted(), AGAIN, LOOP, "mean_ns", OFF_AT_99) for _ in range(2)))
    assert verdicts(chapter.summarize(spread))["O065"].outcome is Outcome.REPRODUCED, "the spread between processes"


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_decides_what_is_far_apart_and_leaves_open_what_is_near() -> None:
    found = verdicts(made({PARTS: IN_FILES | {"rest_share": 0.02, "engine_share": 0.64}, NO_ENGINE: {"mean_ns": 230.0},
                           NO_INDEX: {"mean_ns": 900.0}, BTREE_FIRST: {"mean_ns": 1010.0}}))  # fmt: skip
    for identity in ("O006", "O070", "O084"):
        assert found[identity].outcome is Outcome.REPRODUCED, found[identity].reason
    for identity in ("O003", "O085", "O103", "O098"):
        assert found[identity].outcome in (Outcome.ONE_VISIT, Outcome.DESIGN), identity
    assert "[0.59, 0.69]" in found["O003"].reason, "on the scale of logits"
    assert "[-0.13, 0.28]" in found["O085"].reason, "on that of what is left"


def test_departures_name_every_size_that_no_claim_asked_for() -> None:
    assert made().departures() == []
    small = made(p=Parameters(blocks=2, rows=100_000, law_rows=50_000, between_rows=(), index_rows=50_000))
    assert small.departures() == ["100,000 rows where 10,000,000 are asked", "2 blocks instead of at least 6"]


def test_an_incomplete_run_is_refused() -> None:
    whole = made().run
    with pytest.raises(BenchbookError, match="once per block"):
        chapter.summarize(Run(**{**vars(whole), "trials": whole.trials.iloc[1:]}))


def test_the_notes_own_numbers() -> None:
    assert noted("before_ns")["query"] == 2721
    assert benchmark_ns() == pytest.approx(4444)
    assert isolated_ns() == pytest.approx(468)
    assert noted_bytes() == pytest.approx(96 / 64, rel=1e-3)


@pytest.mark.parametrize(
    "name",
    ["design", "executed", "answer", "clock", "marker", "explained", "patterns", "index_alone", "grows"],
)
def test_sentences_say_what_is_there_and_survive_what_is_missing(name: str) -> None:
    assert chapter.say(made(), name).text.strip() not in ("", names.NOTHING)
    nothing = made({arm.name: dict.fromkeys(STEADY, float("nan")) for arm in configurations(Parameters())})
    assert chapter.say(nothing, name).text.strip()
