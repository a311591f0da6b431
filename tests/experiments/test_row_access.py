"""Columns and order without a server: what is refused and drawn, what chance expects, and what decides."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.row_access import DRAWS, SHARE_OF_30, Parameters, configurations, table_sets, trace
from benchbook.measuring.features.row_lookups import expected_pages, pages_per_key
from benchbook.measuring.features.row_tables import DEFINITIONS


def test_every_configuration_reads_tables_that_are_loaded_by_the_statement_that_its_name_says() -> None:
    for parameters in (Parameters(), Parameters.given({"other_orders": False, "other_row_bytes": []})):
        asked = {arm.settings["tables"] for arm in configurations(parameters) if "tables" in arm.settings}
        assert asked == set(table_sets(parameters))
    sets = table_sets(Parameters())
    width = sets["width_1024"]
    assert width.select(1, "all", 1) == "SELECT * FROM width_1024.feature_01 WHERE hashkey = %s"
    assert width.select(0, "three", 1).startswith("SELECT feature_1, feature_2, feature_3 FROM")
    assert sets["load"].select(0, "all", 3).endswith("WHERE hashkey IN (%s, %s, %s)")
    assert sets["sequential"].select(0, "all", 1).endswith("WHERE business_id = %s")
    assert sum(SHARE_OF_30.values()) == pytest.approx(1)
    assert set(SHARE_OF_30) <= set(DEFINITIONS)


@given(seed=st.integers(0, 2**31), rows=st.integers(200, 5_000))
def test_keys_are_rows_and_but_for_zipf_no_key_comes_twice(seed: int, rows: int) -> None:
    parameters = Parameters.given({"keys": 50, "batch_keys": 5, "trace_requests": 200})
    for draw in DRAWS:
        found = trace(parameters, draw, rows, seed)
        ids = found.measured
        assert 0 <= ids.min() <= ids.max() < rows
        assert np.array_equal(ids, trace(parameters, draw, rows, seed).measured), "a block's trials share their keys"
        if draw == "zipf":
            assert ids.shape == found.warm.shape == (200, 1)
            continue
        assert ids.size == 50 == len(np.unique(ids))
        if draw == "related":
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
