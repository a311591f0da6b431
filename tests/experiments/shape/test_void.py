"""Blocks of a shared server that gave no number for any configuration: left out, named, and at most one in twenty."""

from __future__ import annotations

import pandas as pd

from benchbook.model import Configuration, Part, Run
from benchbook.numbers import void_blocks

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
    return Run("r-1", "x", 1, {}, "standard", 1, blocks, {}, trials, samples, pd.DataFrame(), pool=pool)


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
