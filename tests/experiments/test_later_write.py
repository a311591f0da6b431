"""One write more without an engine: what the two loads differ in, and what the probe is asked."""

from __future__ import annotations

import pytest

from benchbook.chapters.later_write.arms import AFTER, AGAIN, BEFORE, MORE, ONE, Parameters, at, configurations, sqlite
from benchbook.chapters.later_write.measure import PROBING, needs, request_of
from benchbook.errors import BenchbookError
from benchbook.measuring.kv import costs, options

P = Parameters()
ASKED = {arm.name: request_of(P, arm, 1) for arm in configurations(P)}


@pytest.mark.parametrize("rows", P.rows)
def test_one_row_more_is_the_last_row_as_a_write_of_its_own(rows: int) -> None:
    one, more = ASKED[at(ONE, BEFORE, rows)], ASKED[at(MORE, BEFORE, rows)]
    assert (one["load"]["batch_rows"], more["load"]["batch_rows"]) == (0, rows - 1)
    assert one == more | {"load": more["load"] | {"batch_rows": 0}}, "nothing else differs"
    assert "settle" not in one["load"], "nothing is flushed by hand"


def test_all_stores_of_a_size_are_asked_at_a_stride_over_all_rows() -> None:
    for name, asked in ASKED.items():
        run = asked["run"]
        assert run["stride"] * run["operations"] == asked["load"]["rows"], name


def test_a_turn_holds_several_batches_where_look_ups_can_be_slow() -> None:
    batches = {name: asked["run"]["batch_operations"] for name, asked in ASKED.items()}
    assert {name for name, batch in batches.items() if batch < 50} == {at(MORE, AFTER, rows) for rows in P.rows}


def test_the_a_a_pair_is_asked_the_same_and_sqlite_has_no_index_before_it() -> None:
    assert ASKED[AGAIN] == ASKED[at(ONE, BEFORE, P.rows[0])]
    assert "index" not in ASKED[sqlite(P.rows[0])]["options"]


def test_the_write_buffer_is_the_notes_unless_it_is_given() -> None:
    own = request_of(Parameters(write_buffer_mib=1), configurations(P)[0], 1)["options"]
    assert (own["write_buffer_bytes"], ASKED[at(ONE, BEFORE, P.rows[0])]["options"]["write_buffer_bytes"]) == (
        1 << 20, options.BEFORE["write_buffer_bytes"],
    )  # fmt: skip


def test_every_size_is_measured_in_turns() -> None:
    assert all(arm.group for arm in configurations(P))
    assert not any(PROBING.once(arm, ASKED[arm.name]) for arm in configurations(P))


def test_the_memory_of_the_largest_store_is_asked_for() -> None:
    found = needs(P).memory_bytes
    assert found == costs.memory_bytes(ASKED[at(ONE, BEFORE, P.rows[-1])])
    assert 50_000_000 * 200 < found < 24 * 2**30


@pytest.mark.parametrize("given", [{"rows": [20_000]}, {"rows": [50_000, 20_000]}, {"rows": [10_000, 20_000]}])
def test_impossible_parameters_are_refused(given: dict[str, object]) -> None:
    with pytest.raises(BenchbookError, match="rows"):
        Parameters.given(given)
