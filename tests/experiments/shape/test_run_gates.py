"""What leaves blocks or claims out: servers that stalled, causes that cannot act, clients that nobody accounts for."""

import math
from types import SimpleNamespace
from typing import Any

import made_up
import numpy as np
import pandas as pd
import pytest

from benchbook.errors import BenchbookError
from benchbook.model import Configuration, Part, Run
from benchbook.numbers import inert, littles_law, void_blocks
from benchbook.numbers.inert import Control, cannot_act

ARMS = {name: Configuration(name, name, {}, group) for name, group in (("a", "g"), ("b", "g"), ("c", ""), ("d", "h"))}


def run_of(blocks: int, *failed: tuple[int, str], parts: tuple[int, ...] = ()) -> Run:
    rows = [
        {
            "trial": place, "block": place // 4, "configuration": "abcd"[place % 4],
            "state": "failed: it stalled" if (place // 4, "abcd"[place % 4]) in failed else "measured",
        }
        for place in range(4 * blocks)
    ]  # fmt: skip
    trials = pd.DataFrame(rows)
    samples = pd.DataFrame({"trial": trials["trial"], "series": "s", "latency_ns": 1})
    pool = tuple(Part(f"r{place}", count, {}, 0) for place, count in enumerate(parts))
    return made_up.run_of(trials, samples=samples, pool=pool)


def test_a_block_is_void_where_all_of_a_group_failed_in_it() -> None:
    assert void_blocks.blocks(run_of(20, (3, "a"), (3, "b")), ARMS) == {3: "it stalled"}


def test_no_block_is_void_for_a_part_of_a_group_or_a_configuration_by_itself() -> None:
    assert not void_blocks.blocks(run_of(20, (3, "a")), ARMS)
    assert not void_blocks.blocks(run_of(20, (3, "c"), (4, "d")), ARMS), "nobody shares their server"


def test_more_than_one_block_in_twenty_is_left_out_of_none() -> None:
    assert not void_blocks.blocks(run_of(19, (3, "a"), (3, "b")), ARMS)
    assert len(void_blocks.blocks(run_of(40, *((block, arm) for block in (3, 9) for arm in "ab")), ARMS)) == 2


def test_what_is_left_has_its_blocks_in_order_and_its_parts() -> None:
    run = run_of(20, (3, "a"), (3, "b"), parts=(2, 1, 1, 16))
    left = void_blocks.without(run, void_blocks.blocks(run, ARMS))
    assert left.blocks == 19
    assert sorted({*left.trials["block"]}) == list(range(19))
    assert {*left.samples["trial"]} == {*left.trials["trial"]}
    assert [(part.id, part.blocks) for part in left.pool] == [("r0", 2), ("r1", 1), ("r3", 16)]
    assert void_blocks.without(run, {}) is run


def test_a_run_says_what_was_left_out() -> None:
    assert void_blocks.told({3: "it stalled"}) == ["1 block left out, in which a shared server gave no number"]
    assert void_blocks.told({}) == []


OWN = Control("moves", "workers", "a sum launched at least {} a trial", "")


def summary(**counters: list[float]) -> Any:
    """A run of which each configuration has this counter in each trial; none where it is missing."""
    return SimpleNamespace(
        arms=list(counters),
        chapter=SimpleNamespace(name="x", reads=("other", "nowhere")),
        has=lambda arm, metric: bool(counters.get(arm)),
        having=lambda arms, metric: [arm for arm in arms if counters.get(arm)],
        values=lambda arm, metric: SimpleNamespace(tolist=lambda: counters[arm]),
    )


def asked(arms: tuple[str, ...] | None, control: Control = OWN) -> Any:
    return cannot_act("workers", arms, counted="0 workers in {} trials", why="no parallel plan", control=control)


def test_zeros_in_every_trial_and_a_control_that_moves() -> None:
    found = asked(("a", "b"))(summary(a=[0.0, 0.0], b=[0.0], moves=[4.0, 9.0]))
    assert found.sentence == "no parallel plan: 0 workers in 3 trials; a sum launched at least 4 a trial"


@pytest.mark.parametrize("counters", [{"a": [0.0, 1.0], "b": [0.0]}, {"a": [0.0]}, {"a": [0.0], "b": []}])
def test_a_counter_that_moved_or_is_lacking_leaves_the_claim_to_its_interval(counters: dict[str, list[float]]) -> None:
    assert asked(("a", "b"))(summary(**counters, moves=[4.0])) is None


def test_a_control_that_moved_in_some_trials_only_shows_nothing() -> None:
    found = asked(("a",))(summary(a=[0.0], moves=[4.0, 0.0]))
    assert found.control == ""


def test_all_configurations_are_asked_where_none_is_named() -> None:
    none = Control("none", "workers", "{}", "")
    assert asked(None, none)(summary(a=[0.0], b=[0.0, 0.0])).counted == "0 workers in 3 trials"
    assert asked(None)(summary(a=[0.0], b=[0.0, 1.0])) is None


def test_the_control_of_another_experiment_is_read_from_its_published_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        inert, "published", lambda chapter, experiment, arm, metric: (8.0, 6.0) if experiment == "other" else ()
    )
    for experiment, words in (("other", "at least 6"), ("nowhere", "")):
        assert Control("sum", "workers", "at least {}", experiment).shown(summary(a=[0.0])) == words


def test_a_chapter_says_whose_runs_it_reads() -> None:
    with pytest.raises(BenchbookError, match="x reads runs of turns and does not say so"):
        Control("sum", "workers", "at least {}", "turns").shown(summary(a=[0.0]))


def trials(*ratios: float) -> pd.DataFrame:
    """Of 1 ms transactions in a window of 100 s, so that what is unfinished hardly counts."""
    own = {"latency_mean_ns": 1e6, "latency_sd_ns": 1e5, "block": range(len(ratios))}
    return pd.DataFrame({"littles_ratio": ratios, **own})


def test_within_two_percent_nothing_is_missed_nor_borne() -> None:
    gate = littles_law.littles_gate(trials(0.99, 1.0199, 0.9801), 100.0)
    assert (gate.passed, gate.small, gate.blocks) == (True, 0.0, frozenset())
    assert not any(littles_law.littles_gate(trials(ratio), 100.0).passed for ratio in (1.0201, 0.9798))


def test_a_small_miss_fails_and_says_what_a_comparison_has_to_bear() -> None:
    gate = littles_law.littles_gate(trials(0.99, 0.96, 1.03), 100.0)
    assert not gate.passed
    assert gate.small == pytest.approx(math.log1p(0.04), rel=1e-3)
    assert gate.blocks == {1, 2}
    assert "2 of 3 trials" in gate.reason
    assert "4.0% at most" in gate.reason


@pytest.mark.parametrize("ratio", [0.5, 1.2, np.nan])
def test_a_large_miss_and_a_trial_without_the_ratio_are_not_borne(ratio: float) -> None:
    gate = littles_law.littles_gate(trials(0.96, ratio), 100.0)
    assert (gate.passed, gate.small) == (False, 0.0)


def test_transactions_that_are_unfinished_at_the_end_count() -> None:
    table = trials(0.95).assign(latency_mean_ns=1e9, latency_sd_ns=0.0)
    assert littles_law.littles_gate(table, 10.0).passed, "half a second of each client is 5 % of ten"


def test_where_nobody_looked_at_the_loop_it_is_not_missed() -> None:
    gate = littles_law.of_shares(pd.Series([np.nan, 0.97]), pd.Series([0, 1]))
    assert gate.blocks == {1}
    assert gate.small == pytest.approx(math.log1p(0.03))
