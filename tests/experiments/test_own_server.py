"""What own_server decides without a server: keys, bytes, time, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.chapters.own_server import Parameters, configurations, keys, needs, schema
from benchbook.errors import BenchbookError
from benchbook.measuring.guests import Data

SMALL = Parameters.given({"n_tables": 3, "rows_per_table": 2000, "hot_keys": 50, "requests": 300, "slow_requests": 20})
BY_NAME = {each.name: each for each in configurations(SMALL)}


@given(seed=st.integers(0, 2**63 - 1))
def test_disjoint_requests_ask_for_no_warmed_key_and_warmed_ones_for_no_other(seed: int) -> None:
    hot, same = keys(SMALL, BY_NAME["same_keys"], seed)
    _, other = keys(SMALL, BY_NAME["disjoint"], seed)
    _, mixed = keys(SMALL, BY_NAME["hot_share_99"], seed)
    assert set(same) == set(hot)
    assert not set(other) & set(hot)
    assert len(set(other)) == len(other) == SMALL.requests
    assert sum(key not in set(hot) for key in mixed) == SMALL.requests // 100


@given(pool_mib=st.floats(1, 1e6), max_gib=st.floats(1.5, 1e4))
def test_the_filler_outgrows_the_pool_and_never_the_ceiling(pool_mib: float, max_gib: float) -> None:
    parameters = Parameters.given({"max_gib": max_gib})
    filler = parameters.filler_mib(pool_mib)
    assert filler <= max(1, 1.5 * pool_mib)
    assert parameters.data_bytes + filler * 2**20 <= max_gib * 2**30 + 2**20


def test_a_server_that_cannot_be_asked_is_told_by_the_check_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHBOOK_PG_SERVICE", "no_such_service")
    found = needs(SMALL)
    assert found.minutes is None
    with pytest.raises(BenchbookError, match="no such service"):
        found.check()


def test_a_schema_is_the_parameters_own() -> None:
    assert schema(SMALL) == schema(SMALL)
    assert schema(SMALL) != schema(Parameters.given(SMALL.model_dump() | {"seed": 1}))
    assert schema(SMALL).isidentifier()


def test_rows_lie_in_an_order_of_their_own_in_every_table() -> None:
    data = Data("benchbook_x", SMALL, 1)
    steps = data.steps
    assert len(set(steps)) == SMALL.n_tables
    for step, first in steps:
        places = (np.arange(SMALL.rows_per_table) * step + first) % SMALL.rows_per_table
        assert len(set(places.tolist())) == SMALL.rows_per_table
