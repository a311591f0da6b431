"""Hot and cold keys on planted numbers: what stops a verdict, and which storage the note's numbers ask for."""

from typing import Any

import planting
import pytest
from planting import of_block

from benchbook import lab
from benchbook.chapters.hot_cold_keys import CELLS, Parameters, Summary, at_share, cell, checks, implied, rereads
from benchbook.errors import BenchbookError
from benchbook.measuring.features.summary import promised
from benchbook.model import PlannedTrial

chapter = lab.experiment("hot_cold_keys")
ANSWERS = chapter.answers.by_claim()
COUNTS = {"requests": 10_000.0, "index_scans": 300_000.0, "loop_share_in_requests": 1.0, "mean_ns": 1e6}
PROMISED = {
    "same_keys": "hot", "same_keys_again": "hot", "same_keys_first_table": "hot", "all_warmed_large_pool": "hot",
    "true_cold": "cold", "true_cold_probed": "cold", "disjoint": "cold",
}  # fmt: skip
"""Cache states that names of configurations stand for; the others promise none."""


def planted(arms: dict[str, dict[str, Any]], **own: Any) -> Summary:
    """A run with these numbers by configuration; a list has one for each block."""

    def values(trial: PlannedTrial) -> dict[str, Any]:
        state = str(promised(trial.configuration.settings) or "mixed")
        return {"cache_state": state, **COUNTS, **of_block(arms.get(trial.configuration.name, {}), trial)}

    found: Summary = planting.summary("hot_cold_keys", Parameters.given({"blocks": 6, **own}), values)
    return found


def test_a_configuration_promises_the_cache_state_that_its_name_stands_for() -> None:
    found = {name: promised(arm.settings) for name, arm in chapter.configurations(Parameters()).items()}
    assert {name: each for name, each in found.items() if each and not name.startswith("slow_")} == PROMISED
    assert (found[cell("hot", 1, 1)], found[cell("disjoint", 1, 1)]) == ("hot", "cold")


@pytest.mark.parametrize(
    ("wrong", "claims"),
    [({"cache_state": ["hot"] * 5 + ["mixed"]}, {"L001", "L011"}), ({"loop_share_in_requests": 0.8}, {"L001"})],
)
def test_caches_in_another_state_open_every_claim_about_them_and_lost_time_those_on_latency(
    wrong: dict[str, Any], claims: set[str]
) -> None:
    summary = planted({"same_keys": wrong})
    opened = {
        each for each in ("L001", "L009", "L011") if not all(gate.passed for gate in checks(summary, ANSWERS[each]))
    }
    assert opened == claims


def test_a_pool_that_is_itself_too_small_shows_no_thrashing() -> None:
    reread = {"disjoint": {"reread_share": 0.6, "note_reads": 20_000.0, "warmed_pages": 60_000.0}}
    assert rereads(planted(reread)).point == pytest.approx(0.6, rel=1e-4)
    with pytest.raises(BenchbookError, match="our own setting"):
        rereads(planted(reread, shared_buffers_mib=1_800))


def test_the_storage_of_the_note_follows_from_straight_lines_through_the_cells() -> None:
    """A request takes 3 ms and 30 trips, with disjoint keys also 60 reads, each 0.05 ms and what is added."""
    places = [(read, trip) for read in (0.0, 0.5, 1.0) for trip in (0.0, 0.5, 1.0)]
    cells = {
        cell(keys, read, trip): {"mean_ns": 1e6 * (3 + 30 * trip + (60 * (0.05 + read) if keys == "disjoint" else 0))}
        for keys in CELLS for read, trip in places
    }  # fmt: skip
    assert implied("trip", planted(cells)).point == pytest.approx((33.32 - 3) / 30)
    assert implied("read", planted(cells)).point == pytest.approx((77.82 - 33.32 - 3) / 60)
    cells[cell("hot", 0, 1)]["mean_ns"] = [33e6, None, None, 33e6, 33e6, 33e6]
    assert implied("read", planted(cells)).n == 4, "of blocks in which no trial failed"
    with pytest.raises(BenchbookError, match="both without and with"):
        implied("trip", planted({}, added_read_ms=[0.5]))


def test_every_claim_on_warmed_and_other_keys_names_the_blocks_that_must_differ() -> None:
    assert {name for name, each in ANSWERS.items() if each.estimand.idle is None} == {"L002", "L011", "L022", "L023"}
    assert [at_share(each) for each in (100, 99, 0)] == ["same_keys", "hot_share_99", "disjoint"]
