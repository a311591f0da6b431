"""Where the rows of the feature tables lie: every row once, in orders that have nothing to do with each other."""

import numpy as np
import pytest

from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.parameters import ALIKE, OWN, Features

PARAMETERS = Features.given(
    {"n_tables": 12, "rows_per_table": 5_000, "hot_set_keys": 100, "warmup_requests": 100, "measured_requests": 1_000}
)
COMMON = np.arange(PARAMETERS.rows_per_table)
ROWS_PER_PAGE = 4


@pytest.fixture(params=[OWN, ALIKE])
def layout(request: pytest.FixtureRequest) -> Layout:
    return Layout(request.param, PARAMETERS)


def test_every_row_of_a_table_has_one_place_and_is_written_there(layout: Layout) -> None:
    for table, rows in enumerate(layout.rows):
        ids = layout.ids_in_order(table)
        assert len(np.unique(ids)) == rows
        assert layout.holds(table, ids).all()
        assert np.array_equal(layout.places(table, ids), np.arange(rows))
        assert set(COMMON.tolist()) <= set(ids.tolist())


def test_rows_that_not_all_tables_have_are_in_one_table_alone() -> None:
    layout = Layout(OWN, PARAMETERS)
    assert len(set(layout.rows)) > PARAMETERS.n_tables / 2, "the tables have different numbers of rows"
    seen: set[int] = set()
    for table in range(PARAMETERS.n_tables):
        own = set(layout.ids_in_order(table).tolist()) - set(COMMON.tolist())
        assert not own & seen
        assert not any(layout.holds(other, np.array([*own])).any() for other in range(table))
        seen |= own
    only_first = np.arange(PARAMETERS.first_table_extra_rows) + PARAMETERS.rows_per_table
    assert layout.holds(0, only_first).all(), "the keys that only the first table has"


def neighbours(layout: Layout, table: int) -> set[tuple[int, int]]:
    """Pairs of rows of all tables that share a page of this one."""
    pages = layout.places(table, COMMON) // ROWS_PER_PAGE
    order = np.argsort(pages, kind="stable")
    same = np.flatnonzero(np.diff(pages[order]) == 0)
    return {(min(pair), max(pair)) for pair in zip(order[same].tolist(), order[same + 1].tolist(), strict=True)}


def test_rows_that_share_a_page_in_one_table_do_not_in_another_unless_the_tables_are_alike() -> None:
    own, alike = Layout(OWN, PARAMETERS), Layout(ALIKE, PARAMETERS)
    first = neighbours(own, 0)
    assert len(first) > 1_000
    for table in range(1, PARAMETERS.n_tables):
        assert len(first & neighbours(own, table)) < 0.05 * len(first)
        assert neighbours(alike, table) == neighbours(alike, 0)


def test_the_seed_decides_the_layout() -> None:
    first, same = (Layout(OWN, PARAMETERS) for _ in range(2))
    other = Layout(OWN, Features.given(PARAMETERS.model_dump() | {"seed": 1}))
    assert first.rows == same.rows != other.rows
    assert np.array_equal(first.places(3, COMMON), same.places(3, COMMON))
    assert not np.array_equal(first.ids_in_order(3)[:50], other.ids_in_order(3)[:50])
