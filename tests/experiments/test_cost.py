"""Throughput for the money: intervals carried through, offers on equal terms, prices as parameters."""

import math

import numpy as np
import pytest
from scipy import stats

from benchbook import lab, notes
from benchbook.chapters.cost import LARGE, SMALL, WORDS, Summary
from benchbook.model import Outcome
from benchbook.numbers import judging

chapter = lab.experiment("cost")


@pytest.fixture(scope="module")
def summary() -> Summary:
    return at({})


def at(prices: dict[str, float]) -> Summary:
    found: Summary = chapter.summarize(chapter.Parameters.given(prices))
    return found


@pytest.mark.parametrize(
    ("identity", "value"),
    [
        ("L073", 125), ("R002", 145), ("R080", 67.33448), ("R081", 0.2758621), ("R082", 0), ("R083", 0),
        ("R086", 140 / 67.3), ("R102", 1 - 50 / 145),
    ],
)  # fmt: skip
def test_a_number_is_the_one_computed_by_hand(summary: Summary, identity: str, value: float) -> None:
    assert judging.estimated(summary, identity).point == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_a_wrong_price_contradicts_the_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    real = notes.table

    def other(name: str) -> object:
        found = real(name)
        if name == "prices":
            found["price"] = found["price"] * [1.2, 1, 1, 1, 1]
        return found

    monkeypatch.setattr(notes, "table", other)
    contradicted = {each.claim_id for each in chapter.judge(at({})) if each.outcome is Outcome.CONTRADICTED}
    assert contradicted == {"R002", "R080", "R083"}


def test_the_defaults_are_the_stated_prices() -> None:
    defaults = chapter.Parameters().model_dump()
    stated = notes.table("prices").set_index("name")["price"].to_dict()
    assert {name: defaults[name] for name in stated} == stated
    assert defaults["common_discount_percent"] == notes.number("r8g_statements", "value", name="spot_discount")


def test_the_interval_of_five_runs_is_carried_through_the_price(summary: Summary) -> None:
    found = summary.offer(SMALL, "On-Demand").five()
    assert found is not None
    five = np.array((6737.0, 6915.0, 7594.0, 6987.0, 6996.0))
    low, high = stats.ttest_1samp(np.log(five / 145), 0).confidence_interval()
    assert (found.low, found.high, found.n) == (pytest.approx(math.exp(low)), pytest.approx(math.exp(high)), 5)
    assert summary.offer(LARGE, "On-Demand").five() is None


def test_at_one_discount_the_order_is_that_of_the_on_demand_rows(summary: Summary) -> None:
    small, large = summary.discounted
    on_demand = summary.offer(SMALL, "On-Demand").per_usd[1] / summary.baseline.per_usd[1]
    assert small.per_usd[1] / large.per_usd[1] == pytest.approx(on_demand)
    assert on_demand < 1


def test_at_the_even_price_both_instances_give_the_same(summary: Summary) -> None:
    level = at({"r8g_2xlarge_on_demand_usd_month": WORDS["even"](summary)})
    assert level.baseline.per_usd[0] == pytest.approx(level.offer(SMALL, "Spot").per_usd[0])


def test_another_price_changes_figures_and_text_and_no_verdict(summary: Summary) -> None:
    other = at({"r8g_xlarge_spot_usd_month": 150.0, "dynamodb_usd_day": 720.0})
    assert WORDS["daily"](other)["ratio"] == 2
    assert [each.outcome for each in chapter.judge(other)] == [each.outcome for each in chapter.judge(summary)]
    before, after = (chapter.figures(each)["per_dollar"].data["TPS per USD"].tolist() for each in (summary, other))
    assert before[:5] == after[:5]
    assert before[5:] == pytest.approx([3 * value for value in after[5:]])
    assert "prices given" in chapter.figures(other)["ratio"].caption
    assert "The discount explains this" in chapter.say(summary, "answer").text
    assert "The discount explains this" not in chapter.say(other, "answer").text
