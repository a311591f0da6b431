"""The scale chapter without an engine: parameters, arms, requests, what is made of an answer, and its verdicts."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from planting import OFF_AT_95_ALONE, OFF_AT_99, set_apart
from stand_in import StandIn

from benchbook import lab, statistics
from benchbook.chapters.scale.arms import (
    AFTER,
    AGAIN,
    AS_RUN,
    BEFORE,
    RANDOM,
    STRIDE,
    SYSTEMS,
    UNIFORM,
    WELL,
    Parameters,
    configurations,
    name,
    short,
)
from benchbook.chapters.scale.measure import metrics, request_of
from benchbook.chapters.scale.numbers import REPORTS
from benchbook.chapters.scale.summary import Summary, effect, least
from benchbook.claims import load_claims
from benchbook.claims.evidence import by_report
from benchbook.engines.probe import Answer
from benchbook.errors import BenchbookError
from benchbook.measuring.kv.note import SIZES, definition, mixed_behind, printed
from benchbook.model import Outcome, Run
from benchbook.pages.names import NOTHING

chapter = lab.experiment("scale")

pytestmark = pytest.mark.usefixtures("still_machine", "no_reports")

SYNCS = {"fsync": 1, "fdatasync": 0, "msync": 0, "sync_file_range": 7}
ROCKSDB: dict[str, Any] = {
    "engine": {
        "rocksdb.num-entries-active-mem-table": 700,
        "rocksdb.num-entries-imm-mem-tables": 200,
        "files_at_level": [1, 0, 2],
    },
    "index": {"bytes": 64_000, "shape": {"leaves": 300}},
}
BATCHES = {"law": STRIDE, "operations": 20, "batch_operations": 10}
SQLITE: dict[str, Any] = {"engine": {"cache_misses": 10, "page_count": "25"}}


def answer(held: dict[str, Any], series: dict[str, list[int]], **changes: Any) -> Answer:
    phases = {phase: copy.deepcopy(held) | {"syncs": dict(SYNCS)} for phase in ("open", "load", "warm", "run")}
    phases["load"]["syncs"] |= {"fsync": 3, "fdatasync": 1}
    phases["run"] |= {"checked_reads": 20, "row_cache_hits": 0, "measured_ns": 60_000} | changes
    record = {
        "counters": phases,
        "seconds": {"load_engine": 2.0} | ({"load_index": 0.5} if "index" in held else {}),
        "memory": {"anonymous_bytes": 1_000},
    }
    return Answer({key: np.array(values, dtype=np.int64) for key, values in series.items()}, record)


def test_inserting_is_writing_and_filling_the_index() -> None:
    found = metrics(answer(ROCKSDB, {"batch.service": [20_000, 40_000]}), BATCHES)
    assert found["insert_s"] == 2.5
    assert found["engine_insert_s"] == 2.0
    assert found["index_insert_s"] == 0.5
    assert found["query_mean_ns"] == 3_000
    assert found["query_middle_ns"] == 3_000
    assert found["memtable_rows"] == 900
    assert found["table_files"] == 3
    assert found["index_leaves"] == 300
    assert found["insert_syncs"] == 3, "what the engine asked to be durable while rows were written"
    assert "pages_missed_per_lookup" not in found, "RocksDB has no pages of SQLite's"


def test_sqlite_has_pages_and_neither_memtable_nor_index() -> None:
    read = answer(SQLITE, {"batch.service": [30_000, 30_000]}, engine={"cache_misses": 40, "page_count": "25"})
    found = metrics(read, BATCHES)
    assert found["insert_s"] == 2.0
    assert found["index_insert_s"] is None
    assert found["pages"] == 25
    assert found["pages_missed_per_lookup"] == 1.5
    assert not {"memtable_rows", "table_files", "index_bytes", "index_leaves"} & set(found)


def test_single_lookups_give_quantiles_and_no_mean_of_batches() -> None:
    found = metrics(answer(SQLITE, {"query.service": list(range(1, 201))}), {"law": UNIFORM, "operations": 200})
    assert "query_mean_ns" not in found
    assert found["uniform_p50_ns"] == 100.5
    assert found["uniform_mean_ns"] == 100.5
    assert found["uniform_p99_ns"] is None, "two look-ups say nothing of a tail"


@pytest.mark.parametrize(("law", "series"), [(STRIDE, {"batch.service": [1]}), (UNIFORM, {"query.service": [1, 2]})])
def test_lookups_that_were_not_timed_make_no_trial(law: str, series: dict[str, list[int]]) -> None:
    with pytest.raises(BenchbookError, match=r"timed .* of 20 look-ups"):
        metrics(answer(SQLITE, series), BATCHES | {"law": law})


def test_every_system_that_an_estimand_names_is_a_configuration_at_its_size() -> None:
    arms = {arm.name for arm in configurations(Parameters())}
    for rows in (10_000, 100_000, 1_000_000, 10_000_000):
        for system in (BEFORE, AFTER, AS_RUN, WELL):
            assert name(system, rows) in arms
    for system in (BEFORE, AS_RUN):
        assert name(system, 1_000_000, RANDOM) in arms


def requests(parameters: Parameters) -> dict[str, dict[str, Any]]:
    return {arm.name: request_of(parameters, arm, 1) for arm in configurations(parameters)}


def test_arms_of_one_size_differ_in_the_system_and_in_nothing_else() -> None:
    asked = requests(Parameters())
    for rows in Parameters().rows:
        of_size = [asked[name(system, rows)] for system in SYSTEMS]
        assert all(each["load"] == of_size[0]["load"] and each["run"] == of_size[0]["run"] for each in of_size)
        before, after = (asked[name(system, rows)]["options"] for system in (BEFORE, AFTER))
        changed = {key for key in after if after[key] != before.get(key)}
        assert changed == {
            "bloom_bits", "block_cache_bytes", "cache_index_and_filter_blocks", "pin_level0", "block_bytes",
        }, "the note's five options"  # fmt: skip
        assert set(before) <= set(after)
        assert asked[name(AGAIN, rows)] == asked[name(BEFORE, rows)]


def test_lookups_are_the_notes_thousand_at_a_fixed_stride_each_key_once() -> None:
    asked = requests(Parameters())
    for rows in Parameters().rows:
        run = asked[name(BEFORE, rows)]["run"]
        assert (run["law"], run["stride"], run["operations"]) == ("stride", rows // 1_000, 1_000)
        assert run["stride"] * run["operations"] <= rows
        assert "warm_operations" not in run
        assert asked[name(BEFORE, rows)]["load"]["batch_rows"] == 0, "all rows in one go"


def test_single_lookups_are_timed_in_trials_of_their_own() -> None:
    for arm in configurations(Parameters()):
        run = request_of(Parameters(), arm, 1)["run"]
        assert run["timing"] == ("queries" if arm.settings["law"] == UNIFORM else "batches")


def test_the_notes_tree_gets_its_keys_in_their_order() -> None:
    asked = requests(Parameters())
    assert asked[name(BEFORE, 10_000)]["options"]["index_load"] == "single"
    assert asked[name(BEFORE, 10_000, RANDOM)]["options"]["index_load"] == "bulk"
    assert "index_load" not in asked[name(AS_RUN, 10_000)]["options"]


def test_the_arms_of_a_block_share_their_keys() -> None:
    for block in range(2):
        assert len({t.seed for t in chapter.plan(Parameters(blocks=2)).trials if t.block == block}) == 1


@pytest.mark.parametrize(
    "values",
    [
        {"rows": []}, {"rows": [10_000]}, {"rows": [10_000, 10_000]}, {"rows": [999, 10_000]}, {"rows": [0, 10_000]},
        {"rows": [10_000, 200_000_000]}, {"random_rows": [10]}, {"random_rows": [10_000, 10_000]},
        {"again_rows": []}, {"again_rows": [20_000]}, {"lookups": 0}, {"lookups": 150}, {"batch_lookups": 7},
        {"batch_lookups": 0}, {"lookups": 20_000}, {"tail_rows": 0}, {"tail_lookups": 0}, {"tail_warm_lookups": -1},
        {"kept_samples": 1}, {"blocks": 1}, {"row": [10_000]}, {"rows": "many"}, {"rows": [1e4, float("nan")]},
    ],
)  # fmt: skip
def test_impossible_parameters_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(BenchbookError):
        Parameters.given(values)


def test_numbers_of_rows_are_named_without_loss() -> None:
    assert [short(rows) for rows in (10_000, 250_000, 1_000_000, 25_000_000)] == ["10k", "250k", "1M", "25M"]
    assert short(2_500_000) == "2.5M"
    assert short(1_234_567) == "1,234,567"
    assert short(999) == "999"


ANY: Any = StandIn()
"""A summary of a run of one session."""


def test_the_smallest_of_several_has_an_interval_in_which_all_hold() -> None:
    generator = np.random.default_rng(3)
    truths, covered, narrow = (1.5, 1.55, 4.0), 0, 0
    for _ in range(400):
        values = {i: np.exp(np.log(truth) + 0.1 * generator.standard_normal(6)) for i, truth in enumerate(truths)}
        found = least(ANY, values)
        assert found.low <= found.point <= found.high
        covered += found.low <= min(truths) <= found.high
        per_block = np.min(list(values.values()), axis=0)
        narrow += effect(ANY, per_block).low <= min(truths) <= effect(ANY, per_block).high
    assert covered >= 0.95 * 400 - 3 * np.sqrt(400 * 0.05 * 0.95)
    assert narrow < covered, "the smallest of each block is too small where two sizes are close"


def test_one_size_alone_is_its_own_smallest() -> None:
    values = np.array([2.0, 2.2, 2.1])
    assert least(ANY, {1: values}) == statistics.many_to_one(np.ones(3), {"only": values})["only"]


QUERY_NS = {BEFORE: 1_000.0, AGAIN: 1_000.0, AFTER: 900.0, AS_RUN: 4_000.0, WELL: 800.0}
INSERT_S = {BEFORE: 1.0, AGAIN: 1.0, AFTER: 1.0, AS_RUN: 2.0, WELL: 0.5}
SMALL = {"rows": (10_000, 100_000, 1_000_000, 10_000_000), "tail_rows": 10_000}


def made(changes: dict[str, dict[str, float]] | None = None, *, blocks: int = 6, **parameters: Any) -> Summary:
    """A summary in which every system has its time at all sizes but where ``changes`` says otherwise, by arm."""
    p = Parameters.given(SMALL | {"blocks": blocks} | parameters)
    generator = np.random.default_rng(5)
    rows = []
    for trial in chapter.plan(p).trials:
        arm = trial.configuration
        again = arm.name.startswith(AGAIN)
        system = AGAIN if again else str(arm.settings["system"])
        jitter = np.exp(0.01 * generator.standard_normal(2))
        row: dict[str, Any] = {"trial": trial.index, "block": trial.block, "configuration": arm.name}
        row |= {"insert_s": INSERT_S[system] * jitter[0], "checked_reads": 1_000.0, "lookups": 1_000.0}
        row |= {"insert_syncs": 2.0, "anonymous_bytes": 1e6}
        if arm.settings["law"] == STRIDE:
            row["query_mean_ns"] = QUERY_NS[system] * jitter[1]
        else:
            row |= {"uniform_p50_ns": 500 * jitter[0], "uniform_p99_ns": 900 * jitter[1]}
        if system in (BEFORE, AFTER):
            row |= {"memtable_rows": arm.settings["rows"], "table_files": 0.0, "index_leaves": 100.0}
        rows.append(row | (changes or {}).get(arm.name, {}))
    return chapter.summarize(
        Run(
            "x", "scale", 1, p.model_dump(mode="json"), "custom", p.seed, blocks, {"engine_version": "0"},
            pd.DataFrame(rows), pd.DataFrame(), pd.DataFrame(),
        )
    )  # fmt: skip


def verdicts(summary: Summary) -> dict[str, Any]:
    return {verdict.claim_id: verdict for verdict in chapter.judge(summary)}


def test_the_notes_mean_is_the_arithmetic_one_of_insert_and_query() -> None:
    summary = made()
    assert effect(summary, summary.mixed(10_000)).point == pytest.approx((2 + 4) / 2, rel=0.05)
    assert effect(summary, summary.balanced(10_000)).point == pytest.approx(8**0.5, rel=0.05)
    found = verdicts(summary)
    for identity in ("O027", "O028", "O029"):
        assert found[identity].estimate.point == pytest.approx(3, rel=0.05)


def test_a_speed_up_that_does_not_change_contradicts_the_fall_and_one_that_falls_as_claimed_reproduces_it() -> None:
    assert verdicts(made())["O002"].outcome is Outcome.CONTRADICTED
    falling = {name(AS_RUN, 10_000): {"query_mean_ns": 4_800.0}, name(AS_RUN, 10_000_000): {"query_mean_ns": 1_270.0}}
    found = verdicts(made(falling))
    assert found["O002"].outcome is Outcome.REPRODUCED
    assert found["O016"].outcome is Outcome.REPRODUCED
    assert found["O014"].outcome is Outcome.REPRODUCED
    assert found["O016"].estimate.point == pytest.approx(1 / found["O014"].estimate.point)
    assert found["O030"].outcome is Outcome.DIRECTION_ONLY, "4 to 1.27 is more than 2.40 to 1.27"


def test_all_sizes_after_the_options_must_reach_the_claims_lower_end() -> None:
    assert verdicts(made())["O068"].outcome is Outcome.REPRODUCED
    one = {name(AFTER, 10_000_000): {"query_mean_ns": 4_000.0}}
    found = verdicts(made(one))["O068"]
    assert found.outcome is Outcome.CONTRADICTED
    assert found.estimate.point == pytest.approx(1, rel=0.05)
    assert verdicts(made({name(AFTER, 100_000): {"insert_s": 99.0}}))["O068"].outcome is Outcome.REPRODUCED


def test_a_run_without_ten_million_rows_leaves_their_claims_open_and_decides_the_others() -> None:
    found = verdicts(made(rows=[10_000, 100_000, 1_000_000], again_rows=[10_000]))
    for identity in ("O002", "O014", "O016", "O030", "O068"):
        assert found[identity].outcome is Outcome.INCONCLUSIVE
        assert found[identity].estimate is None
        assert "10000000" in found[identity].reason
    assert found["O027"].outcome is Outcome.REPRODUCED
    assert found["O079"].outcome is Outcome.REPRODUCED


def test_a_time_that_is_missing_in_one_trial_leaves_its_claims_open() -> None:
    found = verdicts(made({name(BEFORE, 10_000): {"query_mean_ns": float("nan")}}))
    assert found["O027"].outcome is Outcome.INCONCLUSIVE
    assert found["O027"].estimate is None
    assert found["O028"].outcome is Outcome.REPRODUCED


def test_a_state_that_differs_from_itself_voids_the_claims_of_its_size_and_no_others() -> None:
    found = verdicts(made({name(AGAIN, 100_000): {"query_mean_ns": 1_500.0}}))
    assert found["O028"].outcome is Outcome.CHECK
    assert found["O079"].outcome is Outcome.CHECK
    assert found["O027"].outcome is Outcome.REPRODUCED
    inserts = verdicts(made({name(AGAIN, 100_000): {"insert_s": 1.5}}))
    assert inserts["O028"].outcome is Outcome.CHECK
    assert inserts["O068"].outcome is Outcome.REPRODUCED, "it is about queries"


def test_a_size_without_a_second_measurement_is_answered_for_by_the_next_smaller_one() -> None:
    apart = {name(AGAIN, 1_000_000): {"query_mean_ns": 1_500.0}}
    found = verdicts(made(apart, again_rows=[10_000, 1_000_000]))
    assert found["O016"].outcome is Outcome.CHECK
    assert found["O028"].outcome is Outcome.REPRODUCED, "10k answers for 100k"


@pytest.mark.parametrize(("how", "outcome"), [(OFF_AT_95_ALONE, Outcome.REPRODUCED), (OFF_AT_99, Outcome.CHECK)])
def test_an_a_a_pair_that_is_off_at_99_percent_voids_the_claims_of_its_size(how: str, outcome: Outcome) -> None:
    run = made({name(AS_RUN, 10_000_000): {"query_mean_ns": 1_270.0}}).run
    found = verdicts(
        chapter.summarize(set_apart(run, name(AGAIN, 10_000_000), name(BEFORE, 10_000_000), "query_mean_ns", how))
    )
    assert found["O014"].outcome is found["O016"].outcome is outcome
    assert found["O027"].outcome is Outcome.REPRODUCED, "another size"


@pytest.mark.usefixtures("moving_machine")
def test_a_machine_that_moves_decides_what_is_far_apart_and_leaves_open_what_is_near() -> None:
    falling = {name(AS_RUN, 10_000): {"query_mean_ns": 4_800.0}, name(AS_RUN, 10_000_000): {"query_mean_ns": 1_270.0}}
    found = verdicts(made(falling))
    assert found["O002"].outcome is Outcome.ONE_VISIT, found["O002"].reason
    assert "an interval wider by a quarter does not say the same: [0.2" in found["O002"].reason
    assert verdicts(made())["O068"].outcome is Outcome.REPRODUCED, "more than 1.25 times 1.5"
    assert verdicts(made())["O002"].outcome is Outcome.CONTRADICTED


def test_fewer_than_six_blocks_decide_nothing() -> None:
    found = verdicts(made(blocks=5))["O068"]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "5 blocks instead of at least 6" in found.reason


def test_values_that_were_not_compared_void_every_verdict() -> None:
    found = verdicts(made({name(WELL, 10_000): {"checked_reads": 999.0}}))
    assert found["O027"].outcome is Outcome.CHECK
    assert "differ in 6 trials" in found["O027"].reason


def test_the_notes_printed_column_is_a_mean_in_three_rows_and_a_query_in_the_last() -> None:
    assert [definition(rows) for rows in SIZES] == [*["mean of insert and query"] * 3, "query alone"]
    assert mixed_behind()[10_000_000] == pytest.approx(1.83)
    assert printed()[10_000] == 3.54
    assert len(chapter.table(made(), "note_claims")) == 4


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            "6-167-1-491520 KB",
            "480 MiB, shared by its cores: it can hold all of that at 10k, 100k, 1M rows.",
        ),
        ("6-1-1-1024 KB", "a cache of 1.00 MiB, shared by its cores: it can hold that at no size."),
        ("6-167-1", "often shared by all of its cores, flatters small sizes."),
    ],
)
def test_the_page_says_which_sizes_the_processors_cache_can_hold(model: str, said: str) -> None:
    held = {name(BEFORE, rows): {"anonymous_bytes": 200.0 * rows + 2e6} for rows in SIZES}
    run = made(held).run
    summary = chapter.summarize(replace(run, provenance=run.provenance | {"processor_model": model}))
    text = chapter.say(summary, "caches").text
    assert said in text
    assert "1,910 MiB at 10M" in text


def test_a_run_without_memory_says_nothing_of_caches() -> None:
    held = {name(BEFORE, rows): {"anonymous_bytes": float("nan")} for rows in SIZES}
    assert chapter.say(made(held), "caches").text == NOTHING


def test_figures_and_sentences_say_what_the_trials_say() -> None:
    summary = made()
    drawn = chapter.figures(summary)
    column = drawn["column"].data.set_index(["series", "rows"])["speed-up"]
    printed = "mixed as in the note"
    assert column[printed, 1_000_000] == pytest.approx(3, rel=0.05)
    assert column[printed, 10_000_000] == pytest.approx(4, rel=0.05)
    assert column["mean throughout", 10_000_000] == pytest.approx(3, rel=0.05)
    assert column["the note's column", 10_000_000] == 1.27
    against = drawn["comparator"].data.set_index(["series", "rows"])["speed-up"]
    assert against["query, SQLite used well", 10_000] == pytest.approx(0.8, rel=0.05)
    inserts = drawn["inserts"].data.set_index(["series", "rows"])["insert (µs per row)"]
    assert inserts[SYSTEMS[AS_RUN], 10_000] == pytest.approx(200, rel=0.05)
    assert "SQLite answers queries faster at 10k, 100k, 1M, 10M rows" in chapter.say(summary, "comparator").text
    assert "all rows were in RocksDB's memtable" in chapter.say(summary, "held").text
    assert "there was no table file" in chapter.say(summary, "held").text
    assert "10M" in chapter.say(summary, "answer").text


@pytest.mark.parametrize(
    ("at_first", "title"), [(16_000.0, "shrinks as the rows grow"), (1_000.0, "grows with the rows")]
)
def test_the_lesson_says_where_the_lead_goes_and_names_sqlite_used_well(at_first: float, title: str) -> None:
    made_of = chapter.lesson(made({name(AS_RUN, 10_000): {"query_mean_ns": at_first}}))
    assert title in made_of.title
    assert made_of.besides[0].startswith("At 10M rows, the speed-up of queries over SQLite as the note ran it is ")
    assert "over SQLite used well" in made_of.besides[0]


def test_an_interval_wider_than_the_axis_is_cut_and_the_caption_says_so() -> None:
    assert "beyond the axis" not in chapter.figures(made())["speedups"].caption
    wild = made({name(AS_RUN, 10_000): {}}, blocks=4)
    wild.run.trials.loc[wild.run.trials["configuration"] == name(AS_RUN, 10_000), "query_mean_ns"] = [1e3, 1e5] * 2
    drawn = chapter.figures(wild)["speedups"]
    assert "Intervals that reach beyond the axis stand in the table in full." in drawn.caption
    low, high = drawn.plot.layout.yaxis.range
    assert high - low < 4, "powers of ten"
    assert drawn.data["high"].max() > 10**high


def test_a_run_without_random_keys_and_without_times_says_so() -> None:
    bare = made(random_rows=[])
    assert "no trials with random keys" in chapter.figures(bare)["random"].caption
    assert chapter.say(bare, "random_keys").text.startswith("No number of rows was timed both with random and with")
    gone = {arm.name: {"query_mean_ns": float("nan")} for arm in configurations(Parameters.given(SMALL))}
    for figure in chapter.figures(made(gone)).values():
        assert figure.caption.strip()
        assert len(figure.data)


def test_the_notes_own_table_is_below_what_all_its_tests_are_said_to_show() -> None:
    found = REPORTS["O068"]()
    assert found.value == 1.44
    assert by_report(load_claims()["O068"], found, None).outcome is Outcome.CONTRADICTED
