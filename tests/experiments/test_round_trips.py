"""Ways of asking, what is counted of them, the fitted lines, and what decides their claims."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import lab
from benchbook.chapters import round_trips
from benchbook.chapters.round_trips import ENDS, Parameters, reduce
from benchbook.measuring.features import OWN
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.trips import most_at_once, trips
from benchbook.measuring.features.ways import definition, way

chapter = lab.experiment("round_trips")
LAYOUT = Layout(OWN, Parameters())


def test_every_length_of_the_way_is_measured_together() -> None:
    first = [trial.configuration for trial in chapter.plan(Parameters()).trials if not trial.block]
    lengths = [arm.settings["trip_ms"] for arm in first]
    assert sum(before != after for before, after in pairwise(lengths)) == len(set(lengths)) - 1


@given(st.sampled_from([*Parameters().modes]), st.integers(4, 30), st.integers(2, 12))
def test_every_way_asks_for_each_table_once(mode: str, size: int, tables_per_union: int) -> None:
    found = way(mode, LAYOUT, size, tables_per_union)
    statements = [each for lane in found.lanes for each in lane]
    assert sorted(table for each in statements for table in each.tables) == list(range(size))
    wanted = {"serial": size, "pipeline": 1, "unions": -(-size // tables_per_union), "one_union": 1, "one_function": 1}
    wanted |= {f"connections_{lanes}": -(-size // lanes) for lanes in (2, 3, 4)}
    assert found.trips == wanted[mode]
    named = definition(LAYOUT, size) if mode == "one_function" else " ".join(each.text for each in statements)
    assert all(named.count(f"FROM {table} ") == 1 for table in LAYOUT.tables[:size])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20)), max_size=12))
def test_the_most_spans_at_once_are_those_at_some_start(given: list[tuple[int, int]]) -> None:
    spans = [(float(start), float(start + length)) for start, length in given]
    brute = max((sum(a <= start < b for a, b in spans) for start, _ in spans), default=0)
    assert most_at_once(spans) == brute


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=30))
def test_what_is_sent_without_hearing_in_between_is_one_trip(turns: list[tuple[int, int]]) -> None:
    log = [who for sent, heard in turns for who in ["client"] * sent + ["server"] * heard]
    assert trips(log) == len(turns)


def test_a_trial_is_reduced_by_its_number_of_tables() -> None:
    latencies = np.tile(np.array([10, 20, 30], dtype=np.int64), 200)
    found = reduce(latencies)
    assert [found[f"mean{end}_ns"] for end in ENDS] == [found[f"p50{end}_ns"] for end in ENDS] == [10, 20, 30]
    assert reduce(latencies[:-3])["p50_ns"] is None, "199 requests have no median"
    assert set(reduce(np.ones(2, dtype=np.int64))) == set(found), "names are known from two latencies"


@given(st.floats(0.5, 40), st.floats(0.01, 10))
def test_a_line_gives_back_trips_and_work(slope: float, work: float) -> None:
    lengths = np.array([0.5, 1.0, 5.0, 20.0])
    assert round_trips.fitted(lengths, slope * lengths + work) == pytest.approx((slope, work), rel=1e-6)


@given(st.floats(-1, 2), st.floats(0, 5), st.floats(0, 1))
def test_growth_is_what_tables_and_length_make_together(both: float, trip: float, table: float) -> None:
    tables, lengths = np.array([10.0, 20.0, 30.0]), np.array([0.0, 0.5, 1.0, 5.0, 20.0])
    t, r = np.meshgrid(tables, lengths)
    found = round_trips.growing(tables, lengths, 3 + trip * r + table * t + both * t * r)
    assert found == pytest.approx(both, abs=1e-9)
