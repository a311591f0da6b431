"""Numbers as expressions: each operator gives the interval that ``benchbook.statistics`` has for it."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchbook import kit, statistics
from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.model import Effect, Estimate

time, hits, reads = kit.measured("query_mean_ns"), kit.share("hit_ratio", of="lookups"), kit.counted("reads")
POSITIVE = st.lists(st.floats(0.1, 1e6), min_size=3, max_size=8)
HOW = {"confidence": 0.9, "visits": np.array([0, 0, 1, 1, 2, 2])}


def summary(**times: list[float]) -> Any:
    """Of a run in which configurations took these times, block by block, with a pilot of one block."""
    return of({(arm, "query_mean_ns"): each for arm, each in times.items()})


def of(table: dict[tuple[str, str], list[float]], how: dict[str, Any] | None = None) -> Any:
    """A run with these values of configurations and metrics, and how its intervals are made."""
    asked = how or {"confidence": 0.95}

    def values(arm: str, metric: str) -> np.ndarray:
        return np.array(table[arm, metric], dtype=float)

    def estimated(statistic: Any, *values: np.ndarray, of: Any) -> Estimate:
        more = {"visits": asked["visits"][of]} if "visits" in asked else {}
        found: Estimate = statistic(*values, confidence=asked["confidence"], **more)
        return found

    blocks = len(next(iter(table.values())))
    return SimpleNamespace(
        parameters=SimpleNamespace(pilot_blocks=1), run=SimpleNamespace(blocks=blocks), values=values, positive=values,
        estimated=estimated, label=str.upper,
    )  # fmt: skip


@given(POSITIVE, st.data())
def test_a_ratio_is_the_numerator_over_the_denominator_paired_within_blocks(above: list[float], data: Any) -> None:
    below = data.draw(st.lists(st.floats(0.1, 1e6), min_size=len(above), max_size=len(above)))
    found = (time["a"] / time["b"])(summary(a=above, b=below))
    assert found == statistics.ratio(above, below)
    turned = (time["b"] / time["a"])(summary(a=above, b=below))
    assert turned.point == pytest.approx(1 / found.point)


def test_confidence_and_visits_are_those_of_the_run() -> None:
    a, b = [1.0, 2.0, 3.0, 4.0, 5.0, 6.5], [2.0, 2.1, 2.2, 2.0, 2.4, 2.2]
    run = of({("a", "reads"): a, ("b", "reads"): b}, HOW)
    assert (reads["a"] / reads["b"])(run) == statistics.ratio(a, b, **HOW)
    assert reads["a"](run) == statistics.geometric_mean(a, **HOW)
    later = (reads["a"] / reads["b"]).after("pilot_blocks")(run)
    assert later == statistics.ratio(a[1:], b[1:], confidence=0.9, visits=HOW["visits"][1:])


def test_a_level_that_may_be_0_is_an_arithmetic_mean_and_mean_always_is() -> None:
    run = of({("a", "reads"): [1.0, 4.0, 4.0], ("none", "reads"): [0.0, 4.0, 2.0]})
    assert reads["a"](run).point == pytest.approx(16 ** (1 / 3))
    assert reads["none"](run).point == pytest.approx(2)
    assert reads["a"].mean(run) == statistics.arithmetic_mean([1.0, 4.0, 4.0])


def test_differences_and_units() -> None:
    a, b = [300e6, 320e6, 350e6], [200e6, 210e6, 260e6]
    run = of({("a", "reads"): a, ("b", "reads"): b})
    assert (reads["a"] - reads["b"])(run) == statistics.difference(a, b)
    for scaled in ((reads["a"] - reads["b"]) / 1e6, reads["a"] / 1e6 - reads["b"] / 1e6):
        assert scaled(run) == statistics.difference(np.array(a) / 1e6, np.array(b) / 1e6)
    assert (reads["a"] / reads["b"] * 100)(run).point == pytest.approx(100 * statistics.ratio(a, b).point)
    assert (reads["a"] / 1e6)(run).point == pytest.approx(statistics.geometric_mean(a).point / 1e6)


def test_what_is_saved_is_1_less_the_ratio_with_its_ends_turned_round() -> None:
    a, b = [1.0, 1.2, 1.1], [4.0, 4.4, 4.2]
    ratio, saved = (each(summary(a=a, b=b)) for each in (time["a"] / time["b"], 1 - time["a"] / time["b"]))
    assert isinstance(ratio, Effect)
    assert (saved.point, saved.low, saved.high) == (1 - ratio.point, 1 - ratio.high, 1 - ratio.low)


def test_totals_compare_all_trials_where_some_count_nothing() -> None:
    a, b = [0.0, 4.0, 2.0, 3.0], [5.0, 6.0, 5.5, 6.5]
    run = of({("a", "reads"): a, ("b", "reads"): b})
    assert (reads["a"] / reads["b"]).totals(run) == statistics.ratio_of_totals(a, b)


def test_a_share_is_resolved_by_what_it_is_of_and_two_by_the_fewest_counts() -> None:
    own, other, most, least = [0.5, 0.6, 0.55], [0.1, 0.2, 0.15], [100.0, 90.0, 95.0], [40.0, 50.0, 60.0]
    table = {("a", "hit_ratio"): own, ("a", "lookups"): most, ("b", "hit_ratio"): other, ("b", "lookups"): least}
    assert hits["a"](of(table)) == statistics.share(own, most)
    assert (hits["a"] - hits["b"])(of(table)) == statistics.shares_difference(own, other, 40)


def test_a_row_of_a_figure_stands_for_the_braces() -> None:
    run = summary(zipf_small=[2.0, 2.0, 2.2], zipf_large=[1.0, 1.0, 1.1], base=[4.0, 4.1, 4.2])
    series = time["base"] / time["zipf_{}"]
    assert series(run, "small") == (time["base"] / time["zipf_small"])(run)
    assert series(run, "large") == (time["base"] / time["zipf_large"])(run)


def test_what_is_timed_has_an_a_a_pair_and_what_is_counted_has_none() -> None:
    over = time["a"] / time["b"]
    assert (over.quantity, over.metric, over.arms) == (Quantity.COMPARISON, "query_mean_ns", ("a", "b"))
    parts = time["a"] / kit.measured("index_ns")["a"]
    assert (parts.quantity, parts.metric) == (Quantity.PARTS, "query_mean_ns")
    both = over / (time["c"] / time["d"])
    assert (both.quantity, both.metric, both.arms) == (Quantity.COMPARISON, "query_mean_ns", ("a", "b", "c", "d"))
    for each in (reads["a"] / reads["b"], reads["a"] - reads["b"], reads["a"], hits["a"], time["a"]):
        assert (each.quantity, each.metric) == (Quantity.COUNTER, None)
    assert (time["a"].of, over.of) == ("query_mean_ns", ""), "a level is one of its metric"


def test_what_a_verdict_stands_on_besides_changes_no_number() -> None:
    run = summary(a=[1.0, 1.2, 1.1], b=[4.0, 4.4, 4.2])
    idle = (time["a"] / time["b"]).but(idle=lambda summary: "nothing acted")
    assert idle.compute(run) == (time["a"] / time["b"])(run)
    assert idle.idle is not None
    assert idle.idle(run) == "nothing acted"


def test_fewer_than_two_blocks_after_the_pilot_are_too_few() -> None:
    with pytest.raises(BenchbookError, match="fewer than two blocks follow the pilot"):
        (time["a"] / time["b"]).after("pilot_blocks")(summary(a=[1.0, 2.0], b=[1.0, 2.0]))


def test_a_function_of_several_is_compared_with_1() -> None:
    run = summary(a=[2.0, 4.0, 3.0], b=[1.0, 1.0, 1.5], c=[1.0, 2.0, 2.0])
    product = kit.blockwise(lambda *each: np.prod(each, axis=0), time["a"] / time["b"], time["a"] / time["c"])
    assert product(run) == statistics.ratio([4.0, 8.0, 3.0], [1.0, 1.0, 1.0])
    assert product.arms == ("a", "b", "c")


def test_the_pilot_chooses_and_does_not_judge() -> None:
    run = summary(a=[1.0, 9.0, 9.0, 9.0], b=[2.0, 3.0, 3.3, 2.7], base=[5.0, 9.0, 9.0, 9.0])
    assert kit.fastest(time, "a", "b", pilot="pilot_blocks")(run) == "a", "though the other is faster in all that judge"
    found = (kit.picked(time, "a", "b", pilot="pilot_blocks") / time["base"]).after("pilot_blocks")
    assert (found(run).point, found(run).n) == (pytest.approx(1.0), 3)
    assert found.working is not None
    assert found.working(run) == "The pilot chose “A”"
