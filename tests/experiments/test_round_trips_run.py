"""A tiny real run: every way gets every row, waits as often as it must, and what the note's code gets is counted."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import check_whole, needing, trials

from benchbook.chapters.round_trips import BASELINE, COUNTED, SERIALLY, Parameters, cell
from benchbook.engines import delay
from benchbook.engines.postgres import Cluster, find, private_cluster
from benchbook.errors import BenchbookError
from benchbook.measuring.features import OWN, dataset
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.ways import WayClient, definition, way
from benchbook.model import Run
from benchbook.workloads import hash_keys

pytestmark = needing(delay.find)

CHAPTER = "round_trips"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "n_tables": 6, "rows_per_table": 1_500, "shared_buffers_mib": 64, "hot_set_keys": 10,
        "warmup_requests": 10, "measured_requests": 102, "window_requests": 51, "fewer_requests": 6, "far_requests": 6,
        "added_trip_ms": (0.0, 1.0), "disjoint_trip_ms": (1.0,), "connections": (2,), "tables_per_union": 2,
        "counted_trip_ms": 10.0,
    }
)  # fmt: skip
WAITS = {"serial": 6, "pipeline": 1, "unions": 3, "one_union": 1, "one_function": 1, "connections_2": 3}
"""How often a request in each way waits for the server."""
LAYOUT = Layout(OWN, PARAMETERS)


def test_the_run_is_whole_with_caches_as_named(run: Run) -> None:
    check_whole(run, ("design", "answer", "winners", "overlap", "noise", "saved_with_pages_to_read"))
    assert run.provenance["psycopg"]
    cold = run.trials["configuration"].str.contains("disjoint")
    assert run.trials.loc[~cold, "cache_state"].eq("hot").all()
    assert (run.trials.loc[cold, "pool_misses_per_request"] > 0).all()


def test_client_and_server_count_the_same_look_ups(run: Run) -> None:
    timed = run.trials[run.trials["configuration"] != COUNTED]
    assert timed["index_scans"].eq(timed["lookups"]).all()
    assert timed["lookups"].eq(timed["requests"] * 4).all(), "two, four and six tables in turn"


def test_trips_on_the_wire_are_those_that_each_way_must_make(run: Run) -> None:
    counted = trials(run, COUNTED)
    for mode, times in WAITS.items():
        assert counted[f"trips_{mode}_all"].eq(times).all(), mode
    assert counted["trips_serial_third"].eq(2).all()
    assert counted["trips_committed"].gt(counted["trips_autocommit"]).all(), "BEGIN and COMMIT are sent on their own"


def test_a_cursor_for_each_look_up_gets_every_row_and_four_connections_overlap(run: Run) -> None:
    counted = trials(run, COUNTED)
    assert counted["correct_rows_own_cursors"].eq(6).all()
    assert counted["rows_in_place_own_cursors"].eq(6).all()
    assert counted["correct_rows_snippet"].between(0, 6).all()
    assert counted["statements_at_once"].ge(1).all()
    assert counted["statements_at_once_control"].ge(2).all()


def test_trips_that_were_added_are_waited_for(run: Run) -> None:
    alone, together = (trials(run, name)["mean_ns"].to_numpy() for name in (SERIALLY, BASELINE))
    assert (alone > 3e6).all(), "six trips of 1 ms, less what waiting hides"
    assert trials(run, cell("serial", 0.0))["measured_trip_ms"].isna().all()
    assert (together > 0.5e6).all()


@pytest.fixture(scope="module")
def loaded(module_home: Path) -> Iterator[Cluster]:
    with private_cluster(find(), bytes_needed=200_000_000) as cluster:
        cluster.start({"shared_buffers": "32MB"})
        dataset.load(cluster, [LAYOUT], lambda share: None)
        with cluster.connect() as connection:
            for size in PARAMETERS.sizes:
                connection.execute(definition(LAYOUT, size).encode())
        yield cluster


@pytest.mark.parametrize("mode", WAITS)
def test_a_row_that_was_changed_or_removed_ends_the_loop(mode: str, loaded: Cluster) -> None:
    first = 2 * [*WAITS].index(mode)  # each way harms a row of its own
    ids, key, table = np.array([first, first + 1]), hash_keys([first + 1])[0], LAYOUT.tables[4]
    with loaded.connect() as one, loaded.connect() as other:
        ways = [way(mode, LAYOUT, 6, 2)]
        with WayClient([one, other][: len(ways[0].lanes)], ways, PARAMETERS.n_features + 1) as client:
            assert len(client.run(ids, 2).latencies) == 2
            one.execute(f"UPDATE {table} SET feature_01 = 7.5 WHERE hashkey = %s", (key,))
            with pytest.raises(BenchbookError, match=rf"table 4 answered .* for row {first + 1}"):
                client.run(ids, 2)
            one.execute(f"DELETE FROM {table} WHERE hashkey = %s", (key,))
            with pytest.raises(Exception, match=r"came from the tables|no rows"):
                client.run(ids, 2)
