"""A tiny run of warm_states on a real PostgreSQL: each state acts while it is meant to, and goes."""

from __future__ import annotations

import psutil
import pytest
from tiny_runs import check_cells, check_chapter, check_metrics, trials

from benchbook.chapters.warm_states import STATES, Parameters, reduce
from benchbook.model import Run

pytestmark = [pytest.mark.engine, pytest.mark.machine]

CHAPTER = "warm_states"
PARAMETERS = Parameters.given(
    {
        "blocks": 2, "scale": 4, "clients": 4, "rounds": 2, "turn_ms": 1_200, "discard_ms": 200, "rest_ms": 50,
        "fill_seconds": 1,
    }
)  # fmt: skip


def test_every_state_was_measured_once_a_block_and_none_failed(run: Run) -> None:
    check_cells(run, len(STATES))
    assert set(run.trials["state"]) == {"measured"}
    check_metrics(run, reduce)
    assert (run.trials["server_transactions"] == run.trials["transactions"]).all()


def test_each_state_acts(run: Run) -> None:
    taken = trials(run, "two_programs")["taken_processors"]
    assert taken.between(0.2, 2.2).all()
    assert (trials(run, "nothing_again")["taken_processors"] == 0).all()
    assert (trials(run, "vacuum")["vacuums"] > 0).all()
    assert (trials(run, "cold")["server_read_bytes_per_transaction"] > 0).all()
    kept, alone = (trials(run, each)["dead_rows"].min() for each in ("snapshot", "nothing_again"))
    assert kept > 2 * alone, "dead rows of a kept snapshot stay"


def test_nothing_that_was_started_is_left(run: Run) -> None:
    assert not [each for each in psutil.Process().children(recursive=True) if "range(2000)" in " ".join(each.cmdline())]


def test_the_page_has_its_sentences(run: Run) -> None:
    check_chapter(run, ("design", "marks", "noise", "why"))
