"""One run of row_access on tiny tables and a real PostgreSQL: its counts, its proofs, and how wrong rows are met."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_whole, planned, trials

from benchbook import lab
from benchbook.chapters.row_access import ROW_BYTES, SHARE_OF_30, Parameters, session
from benchbook.errors import BenchbookError
from benchbook.measuring.features.row_bench import RowBench
from benchbook.model import Run

pytestmark = pytest.mark.engine
CHAPTER = "row_access"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 2, "rows_per_table": 2_000, "other_row_bytes": [], "definition_rows": 500,
        "order_rows": 10_000, "keys": 100, "trace_requests": 200, "large_pool_mib": 32, "rewritten_rows": 3_000,
        "cluster_rows": [2_000],
    }
)  # fmt: skip
arm = partial(planned, chapter=CHAPTER, parameters=PARAMETERS)


@pytest.fixture(scope="module")
def bench(module_home: Path) -> Iterator[RowBench]:
    with session(PARAMETERS, lambda what, share: None) as ready:
        yield ready


def mean(run: Run, name: str, metric: str) -> float:
    return float(trials(run, name)[metric].mean())


def test_the_run_is_whole_and_gives_the_sizes_that_the_notes_name(run: Run) -> None:
    summary = check_whole(run, ("design", "covering", "noise", "order", "extrapolated"))
    chapter = lab.experiment(CHAPTER)
    assert len(chapter.table(summary, "cluster_cost")) == 6
    assert "146 to 170 bytes" in chapter.say(summary, "published_sizes").text


def test_fewer_columns_return_fewer_bytes_from_the_same_pages_but_for_an_index_and_toast(run: Run) -> None:
    wide, narrow = (f"{each}_{ROW_BYTES}" for each in ("all", "three"))
    assert mean(run, narrow, "returned_bytes") < 0.05 * mean(run, wide, "returned_bytes")
    assert mean(run, narrow, "resident_pages") == mean(run, wide, "resident_pages")
    assert mean(run, wide, "heap_bytes_per_row") == pytest.approx(ROW_BYTES, rel=0.2)
    covered = trials(run, f"covering_{ROW_BYTES}")
    assert set(covered["plan"]) == {"Index Only Scan"}
    assert covered[["heap_fetches", "resident_heap_pages_per_key"]].eq(0).all(axis=None)
    assert covered["all_visible_share"].eq(1).all()
    assert mean(run, "all_toasted", "resident_toast_pages_per_key") > 1
    assert mean(run, "three_toasted", "resident_toast_pages_per_key") == 0


def test_orders_are_what_they_are_called(run: Run) -> None:
    assert abs(mean(run, "load_related", "hash_correlation")) < 0.2
    assert mean(run, "hash_related", "hash_correlation") == pytest.approx(1)
    per_key = {
        order: mean(run, f"{order}_related", "heap_pages_per_key") for order in ("load", "business", "hash", "arrival")
    }
    assert max(per_key["load"], per_key["business"]) < 0.1
    assert min(per_key["hash"], per_key["arrival"]) > 0.8
    by_address = run.trials.dropna(subset=["heap_pages_by_address"])
    assert by_address["heap_pages_by_address"].eq(by_address["distinct_heap_pages"]).all()


def test_upserts_wear_the_order_away_but_where_there_is_room(run: Run) -> None:
    assert mean(run, "upserts", "correlation_after_cluster") == pytest.approx(1)
    assert mean(run, "upserts", "correlation_kept_20") < mean(run, "upserts", "correlation_kept_1") < 1
    for metric in ("correlation_kept_20", "hot_update_share"):
        assert mean(run, "upserts_at_once", metric) < mean(run, "upserts_in_small_transactions", metric)
    assert mean(run, "upserts_new_keys", "correlation_kept_20") < 0.8
    assert mean(run, "upserts_with_room", "correlation_kept_20") > 0.98
    assert mean(run, "upserts_new_keys", "hot_update_share") == 0


def test_the_definitions_hold_what_their_types_take(run: Run) -> None:
    weighted = sum(share * mean(run, "all_defined", f"{name}_heap_bytes") for name, share in SHARE_OF_30.items())
    assert mean(run, "all_defined", "heap_bytes_per_row") == pytest.approx(weighted)
    assert mean(run, "all_defined", "numeric_92_heap_bytes") > mean(run, "all_defined", "numeric_10_heap_bytes")


def asked(bench: RowBench, *statements: str) -> None:
    bench.cluster.start({})
    with bench.cluster.connect() as connection:
        for statement in statements:
            connection.execute(statement.encode())
    bench.cluster.stop()


@pytest.mark.parametrize(
    "damage", ["UPDATE {table} SET feature_2 = feature_2 + 1", "DELETE FROM {table} WHERE business_id % 2 = 0"]
)
def test_a_wrong_or_missing_row_makes_the_trial_fail(bench: RowBench, damage: str) -> None:
    name = "load.feature"
    asked(bench, f"CREATE TABLE kept AS SELECT * FROM {name}", damage.format(table=name))
    try:
        with pytest.raises(BenchbookError, match="answered"):
            bench.measure(arm("load_related"))
        assert not bench.cluster.started
    finally:
        back = f"INSERT INTO {name} SELECT * FROM kept ORDER BY business_id"
        asked(bench, f"TRUNCATE {name}", back, "DROP TABLE kept")


def test_a_pool_that_does_not_hold_the_keys_is_said(bench: RowBench) -> None:
    small = replace(bench, parameters=PARAMETERS.model_copy(update={"large_pool_mib": 1}))
    with pytest.raises(BenchbookError, match="the pool does not hold their pages"):
        small.measure(arm("all_toasted"))


def test_nothing_is_left_of_a_rewritten_table(bench: RowBench) -> None:
    found = bench.measure(arm("upserts"))
    assert np.array_equal(found.samples["cluster"], [round(1e9 * (found.metrics["cluster_s"] or 0))])
    asked(bench, "CREATE SCHEMA rewritten", "DROP SCHEMA rewritten")
