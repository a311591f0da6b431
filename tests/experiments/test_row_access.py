"""Columns and order without a server: what is refused and drawn, what chance expects, what planted counts decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters.row_access.arms import (
    HASH,
    LOAD,
    LOOKUPS,
    RANDOM,
    RELATED,
    ROW_BYTES,
    SEQUENTIAL,
    SEQUENTIAL_CLUSTERED,
    UNIFORM,
    ZIPF,
    Parameters,
    columns_of,
    configurations,
    order_of,
)
from benchbook.chapters.row_access.tables import DEFINITIONS, SHARE_OF_30, table_sets
from benchbook.chapters.row_access.traces import expected_pages, pages_per_key, trace
from benchbook.errors import BenchbookError
from benchbook.model import Outcome, Run, Verdict

chapter = lab.experiment("row_access")

CLAIMS = (
    "L026", "L027", "L028", "L029", "L030", "L031", "L033", "L034", "L035", "L036", "L037", "L038", "L074", "L085",
    "L087",
)  # fmt: skip


@pytest.mark.parametrize(
    ("given_", "said"),
    [
        ({"keys": 990}, "no multiple of batch_keys=25"),
        ({"keys": 20_000, "large_pool_mib": 100_000}, "more than half of the 20,000 rows"),
        ({"n_tables": 30}, "large_pool_mib=256 may not hold"),
        ({"toasted_row_bytes": 100_000}, "up to 938 MiB"),
        ({"other_row_bytes": [ROW_BYTES]}, "without 1,024"),
        ({"other_row_bytes": [9_000]}, "between 170 and 8,000"),
        ({"other_row_bytes": [170, 170]}, "names a value twice"),
        ({"upsert_percents": []}, "at least one"),
        ({"upsert_percents": [120]}, "between 0.1 and 100"),
        ({"cluster_rows": [10]}, "between 2,000"),
        ({"small_pool_percent": 100}, "less than or equal to 90"),
        ({"zipf_exponent": 0}, "greater than 0"),
    ],
)
def test_contradictions_are_refused_with_the_numbers(given_: dict[str, Any], said: str) -> None:
    with pytest.raises(BenchbookError, match=said):
        Parameters.given(given_)


def test_every_configuration_reads_tables_that_are_loaded() -> None:
    for parameters in (Parameters(), Parameters.given({"other_orders": False, "other_row_bytes": []})):
        sets = table_sets(parameters)
        arms = [arm for arm in configurations(parameters) if arm.settings["kind"] == LOOKUPS]
        assert {arm.settings["tables"] for arm in arms} == set(sets)


@pytest.mark.parametrize("values", [{"upsert_percents": [3]}, {"other_upserts": False}, {"cluster_rows": []}])
def test_a_run_with_fewer_parts_is_told_without_them(values: dict[str, Any]) -> None:
    run = planted({"upserts": {"correlation_kept_3": 0.9}}, **values)
    summary = chapter.summarize(run)
    for drawn in chapter.figures(summary).values():
        assert len(drawn.data)
    for part in ("extrapolated", "order", "covering"):
        assert "nan" not in chapter.say(summary, part).text
    for table in ("columns", "orders", "left"):
        assert "nan" not in chapter.table(summary, table).to_string()
    assert len(chapter.table(summary, "cluster_cost"))
    assert chapter.lesson(summary).title
    assert {verdict.claim_id for verdict in chapter.judge(summary)} == {*CLAIMS, "L039"}


def test_statements_ask_for_what_their_names_say() -> None:
    sets = table_sets(Parameters())
    width = sets[f"width_{ROW_BYTES}"]
    assert width.select(1, "all", 1) == "SELECT * FROM width_1024.feature_01 WHERE hashkey = %s"
    assert width.select(0, "three", 1).startswith("SELECT feature_1, feature_2, feature_3 FROM")
    assert sets[LOAD].select(0, "all", 3).endswith("WHERE hashkey IN (%s, %s, %s)")
    assert sets[SEQUENTIAL].select(0, "all", 1).endswith("WHERE business_id = %s")


def test_the_definitions_make_up_thirty_tables() -> None:
    assert sum(SHARE_OF_30.values()) == pytest.approx(1)
    assert set(SHARE_OF_30) <= set(DEFINITIONS)


@given(seed=st.integers(0, 2**31), rows=st.integers(200, 5_000))
def test_keys_are_rows_and_but_for_zipf_no_key_comes_twice(seed: int, rows: int) -> None:
    parameters = Parameters.given({"keys": 50, "batch_keys": 5, "trace_requests": 200})
    for draw in (UNIFORM, RELATED, RANDOM, ZIPF):
        found = trace(parameters, draw, rows, seed)
        ids = found.measured
        assert ids.min() >= 0
        assert ids.max() < rows
        assert np.array_equal(ids, trace(parameters, draw, rows, seed).measured), "a block's trials share their keys"
        if draw == ZIPF:
            assert ids.shape == found.warm.shape == (200, 1)
            continue
        assert ids.size == 50 == len(np.unique(ids))
        if draw == RELATED:
            assert (np.diff(ids, axis=1) == 1).all()


@given(pages=st.lists(st.integers(1, 40), min_size=1, max_size=60), share=st.floats(0, 1))
def test_pages_expected_by_chance_lie_between_the_fewest_and_the_most(pages: list[int], share: float) -> None:
    rows_on_page = np.array(pages)
    keys = int(share * rows_on_page.sum())
    found = expected_pages(rows_on_page, keys)
    assert -1e-9 <= found <= min(keys, len(pages)) + 1e-6
    assert expected_pages(rows_on_page, int(rows_on_page.sum())) == pytest.approx(len(pages))
    assert found <= expected_pages(rows_on_page, min(keys + 1, int(rows_on_page.sum()))) + 1e-9


def test_pages_expected_by_chance_are_those_of_a_simulation() -> None:
    rows_on_page, keys = np.array([47] * 40 + [20]), 300
    place = np.repeat(np.arange(41), rows_on_page)
    generator = np.random.default_rng(1)
    seen = [len(np.unique(generator.choice(place, keys, replace=False))) for _ in range(4_000)]
    assert expected_pages(rows_on_page, keys) == pytest.approx(np.mean(seen), abs=4 * np.std(seen) / 4_000**0.5)


def test_pages_per_key_count_within_each_group() -> None:
    pages = np.array([0, 0, 1, 1])
    assert pages_per_key(pages, np.array([[0, 1], [2, 3]])) == 0.5
    assert pages_per_key(pages, np.array([[0, 2], [1, 3]])) == 1.0


COUNTS = {
    "requests": 1_000.0, "index_scans": 4_000.0, "returned_bytes": 900.0, "message_bytes": 950.0,
    "heap_bytes_per_row": 150.0, "heap_blocks": 20_000.0, "heap_blocks_per_request": 4.0, "heap_hit_ratio": 0.5,
    "reads_per_request": 2.0, "evictions": 900.0, "resident_pages": 5_000.0, "resident_pages_per_key": 5.0,
    "keys_per_mib": 25.0, "distinct_heap_pages": 900.0, "heap_pages_by_address": 900.0, "expected_heap_pages": 900.0,
    "heap_pages_per_key": 0.9, "hash_correlation": 0.0, "correlation_kept_20": 0.8, "hot_update_share": 0.5,
    "heap_fetches": 0.0, "all_visible_share": 1.0, "mean_ns": 2e5, "cluster_s": 1.0, "cluster_s_per_gib": 30.0,
}  # fmt: skip
NARROW = {"returned_bytes": 18.0, "message_bytes": 37.0}
CLUSTERED = {"hash_correlation": 1.0}


def planted(arms: dict[str, dict[str, float]], blocks: int = 8, **values: Any) -> Run:
    """A run whose counts differ by a tenth of a percent at most, but where ``arms`` says otherwise."""
    parameters = Parameters.given({"blocks": blocks} | values)
    generator, rows = np.random.default_rng(3), []
    for trial in chapter.plan(parameters).trials:
        name, settings = trial.configuration.name, trial.configuration.settings
        own = dict(COUNTS)
        if settings.get("columns") == "three":
            own |= NARROW
        if settings.get("tables") in (HASH, SEQUENTIAL_CLUSTERED):
            own |= CLUSTERED
        tables = str(settings.get("tables"))
        own["index_scans"] = own["requests"] * (4 if tables.startswith(("width", "cover", "defined")) else 1)
        own |= arms.get(name, {})
        noisy = ("resident_pages", "keys_per_mib", "reads_per_request", "heap_pages_per_key", "expected_heap_pages")
        own |= {metric: own[metric] * float(np.exp(generator.normal(0, 0.001))) for metric in noisy}
        row = {"trial": trial.index, "block": trial.block, "configuration": name, "session": 0, "plan": "Index Scan"}
        rows.append(row | own)
    return Run(
        "r", "row_access", 1, parameters.model_dump(mode="json"), "standard", parameters.seed, blocks,
        {"engine_version": "18.6", "direct_io": True, "heap_bytes": 1, "index_bytes": 1}, pd.DataFrame(rows),
        pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame(),
    )  # fmt: skip


def judged(arms: dict[str, dict[str, float]]) -> dict[str, Verdict]:
    found = chapter.judge(chapter.summarize(planted(arms)))
    return {verdict.claim_id: verdict for verdict in found}


ALL, THREE = columns_of("all", ROW_BYTES), columns_of("three", ROW_BYTES)
ALL_SMALL, THREE_SMALL = columns_of("all", ROW_BYTES, small=True), columns_of("three", ROW_BYTES, small=True)
AS_CLAIMED = {
    THREE: {"heap_blocks_per_request": 0.4, "resident_pages": 500.0, "keys_per_mib": 250.0},
    THREE_SMALL: {"heap_hit_ratio": 0.9, "reads_per_request": 0.2},
    "all_defined": {"heap_bytes_per_row": 2_000.0},
    order_of(HASH, UNIFORM): {"distinct_heap_pages": 300.0, "heap_pages_by_address": 300.0},
    order_of(HASH, RELATED): {"heap_pages_per_key": 0.1},
    order_of(HASH, ZIPF): {"heap_hit_ratio": 0.9, "reads_per_request": 0.4},
    **{each: {"correlation_kept_20": 0.99} for each in ("upserts", "upserts_in_small_transactions", "upserts_at_once")},
}


def test_a_run_as_the_note_has_it_reproduces_every_claim_and_one_without_effect_none_but_chance() -> None:
    found = judged(AS_CLAIMED)
    assert {id_: found[id_].outcome for id_ in CLAIMS} == dict.fromkeys(CLAIMS, Outcome.REPRODUCED)
    nothing = judged({})
    kept = {"L029", "L033", "L034"}  # fewer bytes, random pages, and in this plant scattered keys
    wanted = {id_: Outcome.REPRODUCED if id_ in kept else Outcome.CONTRADICTED for id_ in CLAIMS}
    assert {id_: nothing[id_].outcome for id_ in CLAIMS} == wanted


def test_a_claim_on_a_cause_that_did_not_act_stays_open() -> None:
    same_bytes = judged(AS_CLAIMED | {THREE: AS_CLAIMED[THREE] | {"returned_bytes": 900.0}})
    for id_ in ("L027", "L028", "L030"):
        assert same_bytes[id_].outcome is Outcome.DESIGN
    large = judged(AS_CLAIMED | {THREE_SMALL: AS_CLAIMED[THREE_SMALL] | {"evictions": 0.0}})
    for id_ in ("L031", "L074"):
        assert large[id_].outcome is Outcome.DESIGN
    ordered = judged({order_of(HASH, UNIFORM): {"hash_correlation": 0.0}})
    for id_ in ("L033", "L034", "L036", "L038"):
        assert ordered[id_].outcome is Outcome.DESIGN


def test_upserts_stay_open_where_the_size_of_transactions_decides_for_nobody_named_it_before_the_data() -> None:
    found = judged({"upserts_in_small_transactions": {"correlation_kept_20": 0.96}})["L085"]
    assert found.outcome is Outcome.OPEN_CONDITION
    assert "where rows change in transactions of 20: holds" in found.reason


def test_counts_that_disagree_decide_nothing() -> None:
    assert judged({ALL: {"index_scans": 3_999.0}})["L030"].outcome not in (Outcome.REPRODUCED, Outcome.CONTRADICTED)
    apart = judged({order_of(LOAD, UNIFORM): {"heap_pages_by_address": 899.0}})["L036"]
    assert apart.outcome not in (Outcome.REPRODUCED, Outcome.CONTRADICTED)


@pytest.mark.parametrize(("arms", "said"), [(AS_CLAIMED, "brings related rows together"), ({}, "leaves related rows")])
def test_the_title_follows_the_run(arms: dict[str, dict[str, float]], said: str) -> None:
    summary = chapter.summarize(planted(arms))
    title = chapter.lesson(summary).title
    assert said in title
    assert ("keeps no more rows" in title) is not bool(arms)
    assert "index-only in every trial" in chapter.say(summary, "covering").text, "its plan was no index-only scan"


def test_captions_stay_short_with_every_configuration() -> None:
    arms = {"upserts": {f"correlation_kept_{percent}": 0.9 for percent in (1, 5, 10, 20)}}
    for drawn in chapter.figures(chapter.summarize(planted(arms))).values():
        assert len(drawn.caption.split()) <= 60, drawn.id
        assert len(drawn.data)
