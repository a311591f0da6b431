"""Sets of row ids: disjoint, complete, and hashed as the note hashed them."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook.errors import BenchbookError
from benchbook.workloads import KeySets, hash_keys


@given(
    first=st.integers(0, 10**9),
    cuts=st.lists(st.integers(0, 200), min_size=1, max_size=6),
    spare=st.integers(0, 100),
    seed=st.integers(0, 2**32),
)
def test_cuts_one_after_the_other_never_share_an_id(first: int, cuts: list[int], spare: int, seed: int) -> None:
    rows = sum(cuts) + spare
    sets = KeySets.shuffled(first, rows, np.random.default_rng(seed))
    parts, start = [], 0
    for count in cuts:
        parts.append(sets.cut(start, count))
        start += count
    assert [len(part) for part in parts] == cuts
    together = np.concatenate(parts)
    assert len(np.unique(together)) == len(together)
    assert set(together.tolist()) <= set(range(first, first + rows))


@given(rows=st.integers(1, 500), seed=st.integers(0, 2**32))
def test_the_whole_order_is_every_id_once(rows: int, seed: int) -> None:
    sets = KeySets.shuffled(7, rows, np.random.default_rng(seed))
    assert sorted(sets.cut(0, rows).tolist()) == list(range(7, 7 + rows))


@given(rows=st.integers(1, 100), start=st.integers(0, 200), count=st.integers(0, 200))
def test_more_keys_than_rows_are_refused_with_both_numbers(rows: int, start: int, count: int) -> None:
    sets = KeySets.shuffled(0, rows, np.random.default_rng(1))
    if start + count <= rows:
        assert len(sets.cut(start, count)) == count
        return
    with pytest.raises(BenchbookError, match=f"{start + count} distinct keys .* only {rows} rows"):
        sets.cut(start, count)


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    orders = [KeySets.shuffled(0, 1_000, np.random.default_rng(seed)).order for seed in (1, 1, 2)]
    assert np.array_equal(orders[0], orders[1])
    assert not np.array_equal(orders[0], orders[2])


def test_a_key_is_the_sha256_of_the_decimal_digits() -> None:
    assert hash_keys([0, 17]) == [hashlib.sha256(b"0").hexdigest(), hashlib.sha256(b"17").hexdigest()]
    assert hash_keys(np.array([17])) == hash_keys([17])
