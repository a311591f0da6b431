"""One write more without an engine: what the two loads differ in, and what the probe is asked."""

from __future__ import annotations

import pytest

from benchbook.chapters.later_write import PROBING, Parameters, configurations, needs, request_of
from benchbook.errors import BenchbookError
from benchbook.measuring import kv

P = Parameters()
ARMS = [*configurations(P)]
ASKED = {arm.name: request_of(P, arm, 1) for arm in ARMS}
SMALLEST = f"one_before_{P.rows[0]}"


@pytest.mark.parametrize("rows", P.rows)
def test_one_row_more_is_the_last_row_as_a_write_of_its_own(rows: int) -> None:
    one, more = ASKED[f"one_before_{rows}"], ASKED[f"more_before_{rows}"]
    assert (one["load"]["batch_rows"], more["load"]["batch_rows"]) == (0, rows - 1)
    assert one == more | {"load": more["load"] | {"batch_rows": 0}}, "nothing else differs"
    assert "settle" not in one["load"], "nothing is flushed by hand"


def test_all_stores_are_asked_at_a_stride_over_all_rows_and_in_turns() -> None:
    for arm in ARMS:
        run = ASKED[arm.name]["run"]
        assert run["stride"] * run["operations"] == ASKED[arm.name]["load"]["rows"], arm.name
        assert arm.group
        assert not PROBING.once(arm, ASKED[arm.name])


def test_a_turn_holds_several_batches_where_look_ups_can_be_slow() -> None:
    batches = {name: asked["run"]["batch_operations"] for name, asked in ASKED.items()}
    assert {name for name, batch in batches.items() if batch < 50} == {f"more_after_{rows}" for rows in P.rows}


def test_the_a_a_pair_is_asked_the_same_and_sqlite_has_no_index_before_it() -> None:
    assert ASKED["again"] == ASKED[SMALLEST]
    assert "index" not in ASKED[f"sqlite_{P.rows[0]}"]["options"]


def test_the_write_buffer_is_the_notes_unless_it_is_given() -> None:
    own = request_of(Parameters(write_buffer_mib=1), ARMS[0], 1)["options"]
    assert own["write_buffer_bytes"] == 1 << 20
    assert ASKED[SMALLEST]["options"]["write_buffer_bytes"] == kv.BEFORE["write_buffer_bytes"]


def test_the_memory_of_the_largest_store_is_asked_for() -> None:
    found = needs(P).memory_bytes
    assert found == kv.costs.memory_bytes(ASKED[f"one_before_{P.rows[-1]}"])
    assert 50_000_000 * 200 < found < 24 * 2**30


@pytest.mark.parametrize("given", [{"rows": [20_000]}, {"rows": [50_000, 20_000]}, {"rows": [10_000, 20_000]}])
def test_impossible_parameters_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match="rows"):
        Parameters.given(given)
