"""Which keys each arm of hot_cold_keys warms and measures."""

import numpy as np
import pytest

from benchbook import lab
from benchbook.chapters.hot_cold_keys import CELLS, NOTE_REQUESTS, Parameters, cell
from benchbook.errors import BenchbookError
from benchbook.measuring.features import keys as arms
from benchbook.measuring.features.keys import DRAWS, Requests, requests
from benchbook.model import Configuration

chapter = lab.experiment("hot_cold_keys")

PARAMETERS = Parameters(
    rows_per_table=20_000, hot_set_keys=300, warmup_requests=1_000, measured_requests=2_000, window_requests=500
)
ARMS = chapter.configurations(PARAMETERS)


def asked(name: str, seed: int = 3, parameters: Parameters = PARAMETERS) -> Requests:
    return requests(parameters, ARMS[name], seed)


def hot_set(seed: int = 3) -> set[int]:
    return set(asked("same_keys", seed).warm.tolist())


@pytest.mark.parametrize("arm", list(ARMS.values()), ids=lambda arm: arm.name)
def test_every_arm_measures_as_many_requests_for_rows_that_exist_as_the_seed_decides(arm: Configuration) -> None:
    found, same, other = (requests(PARAMETERS, arm, seed) for seed in (3, 3, 4))
    rows = PARAMETERS.rows_per_table
    allowed = range(rows, rows + PARAMETERS.first_table_extra_rows) if found.only_first else range(rows)
    assert len(found.measured) == min(PARAMETERS.measured_requests, arm.settings.get("requests", 10**9))
    assert set(found.warm.tolist()) | set(found.measured.tolist()) <= set(allowed)
    assert found.measured.dtype == np.int64
    assert np.array_equal(found.measured, same.measured)
    assert np.array_equal(found.warm, same.warm)
    assert not np.array_equal(np.unique(found.measured), np.unique(other.measured))


@pytest.mark.parametrize(
    "name",
    ["disjoint", "disjoint_by_chance", "disjoint_first_table", "true_cold", "true_cold_probed", cell("disjoint", 1, 1)],
)
def test_disjoint_arms_share_no_key_with_the_warm_up_and_repeat_none(name: str) -> None:
    found = asked(name)
    assert not np.isin(found.measured, found.warm).any()
    assert len(np.unique(found.measured)) == len(found.measured)


@pytest.mark.parametrize("name", ["disjoint", "same_keys", "same_keys_again", "hot_share_50", "same_keys_first_table"])
def test_the_warm_up_asks_for_every_key_of_the_hot_set_about_equally_often_and_same_arms_for_these(name: str) -> None:
    found = asked(name)
    keys, counts = np.unique(found.warm, return_counts=True)
    assert len(keys) == PARAMETERS.hot_set_keys
    assert counts.sum() == PARAMETERS.warmup_requests
    assert counts.max() - counts.min() <= 1
    if name.startswith("same_keys"):
        assert set(found.measured.tolist()) == set(keys.tolist())


@pytest.mark.parametrize("share", [90, 80, 50])
def test_a_hot_share_is_exact_and_its_cold_keys_are_new(share: int) -> None:
    found = asked(f"hot_share_{share}")
    hot = np.isin(found.measured, list(hot_set()))
    assert hot.sum() == PARAMETERS.measured_requests * share // 100
    cold = found.measured[~hot]
    assert len(np.unique(cold)) == len(cold)


def test_keys_are_taken_apart_from_the_warmed_ones_but_where_chance_shall_take_them() -> None:
    def backwards(warm: np.ndarray, others: np.ndarray) -> np.ndarray:
        assert set(warm.tolist()) == hot_set()
        return others[::-1]

    for name, arm in ARMS.items():
        found, plain = requests(PARAMETERS, arm, 3, backwards), requests(PARAMETERS, arm, 3)
        chosen = not np.array_equal(found.measured, plain.measured)
        wanted = arm.settings["draw"] in ("disjoint", "mix", "all_warmed", "ten_percent")
        assert chosen is bool(wanted and not arm.settings.get("chance") and not found.only_first), name
    same, alike = (requests(PARAMETERS, ARMS[name], 3) for name in ("disjoint_by_chance", "disjoint_by_chance_alike"))
    assert np.array_equal(same.measured, alike.measured), "both layouts are asked for the same keys"


def test_on_slower_storage_a_few_keys_are_warmed_once_each() -> None:
    for keys in CELLS:
        found = asked(cell(keys, 1, 0.5))
        assert len(found.warm) == len(np.unique(found.warm)) == PARAMETERS.slow_hot_keys
        assert set(found.warm.tolist()) < hot_set()
        assert len(found.measured) == PARAMETERS.slow_requests
    assert set(asked(cell("hot", 0, 0)).measured.tolist()) <= set(asked(cell("hot", 0, 0)).warm.tolist())


def test_what_is_compared_is_measured_next_to_each_other() -> None:
    for block in range(2):
        names = [trial.configuration.name for trial in chapter.plan(PARAMETERS).trials if trial.block == block]
        for together in (
            ("same_keys", "same_keys_again", "disjoint", "disjoint_by_chance", "hot_share_80"),
            ("true_cold", "true_cold_probed"),
        ):
            places = [names.index(each) for each in together]
            assert max(places) - min(places) <= 5, together


def test_all_warmed_covers_every_measured_key_and_ten_percent_a_tenth_of_the_same() -> None:
    every, tenth = asked("all_warmed_large_pool"), asked("ten_percent_warmed_large_pool")
    assert set(every.warm.tolist()) == set(every.measured.tolist())
    assert not np.array_equal(every.warm, every.measured), "but not in the same order"
    assert len(tenth.warm) == len(np.unique(tenth.warm)) == PARAMETERS.measured_requests // 10
    assert set(tenth.warm.tolist()) < set(tenth.measured.tolist())
    assert np.array_equal(tenth.measured, every.measured)


@pytest.mark.parametrize("name", ["true_cold", "true_cold_probed"])
def test_cold_arms_warm_nothing(name: str) -> None:
    assert len(asked(name).warm) == 0


def test_a_zipf_arm_asks_for_the_popular_keys_before_and_while_it_is_measured() -> None:
    found = asked("zipf_0_99")
    counts = np.bincount(found.measured)
    top = int(counts.argmax())
    assert counts[top] > 0.05 * len(found.measured)
    assert top in found.warm
    assert len(found.warm) == PARAMETERS.warmup_requests


def test_the_arms_of_a_block_share_the_hot_set_and_the_fresh_keys_and_blocks_do_not() -> None:
    for name in ("disjoint", "hot_share_80", "hot_share_50", "same_keys_again"):
        assert set(asked(name).warm.tolist()) == hot_set()
    fresh = asked("disjoint").measured
    assert np.array_equal(asked("true_cold").measured, fresh[:NOTE_REQUESTS])
    cold = asked("hot_share_50").measured
    assert set(cold.tolist()) - hot_set() <= set(fresh.tolist())
    assert len(hot_set(3) & hot_set(4)) < PARAMETERS.hot_set_keys / 4


def test_keys_of_the_first_table_alone_can_be_asked_for_in_every_arm() -> None:
    parameters = Parameters.given(PARAMETERS.model_dump() | {"key_existence": "first_table"})
    for arm in chapter.configurations(parameters).values():
        if arm.name != "empty_statement":
            assert requests(parameters, arm, 3).only_first
            assert requests(parameters, arm, 3).measured.min() >= parameters.rows_per_table


@pytest.mark.parametrize(
    ("draw", "said", "mend"),
    [
        ("smae", r"has the draw 'smae', .*did you mean 'same'", f"choose one of: {', '.join(DRAWS)}"),
        ("mix", "draws its keys as 'mix' and gives no share", "share=0.8"),
    ],
)
def test_a_draw_that_there_is_not_or_that_lacks_what_it_asks_for_is_refused(draw: str, said: str, mend: str) -> None:
    with pytest.raises(BenchbookError, match=f"configuration hot {said}") as caught:
        arms.arm("hot", "hot", draw)
    assert mend in caught.value.mend
    if draw not in DRAWS:
        with pytest.raises(BenchbookError, match=said):
            requests(PARAMETERS, Configuration("hot", "hot", {"draw": draw}), 3)
