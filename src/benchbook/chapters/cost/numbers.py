"""The numbers of the chapter, each once and by name: its claims, recomputed from the notes' own prices, and offers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import SimpleNamespace

import pandas as pd

from benchbook import notes, statistics
from benchbook.chapters.cost.arms import Parameters
from benchbook.claims import Quantity
from benchbook.errors import BenchbookError
from benchbook.model import Estimate
from benchbook.numbers.analysis import Analysis, Term, Working, cell, formula, quotient, recomputed
from benchbook.numbers.estimands import custom

NOTED = ("prices", "r8g_cost", "r8g_validation", "lakebase_constants", "readings")
"""Tables behind the chapter's figures; their hash stands for a run."""
SMALL, LARGE = "r8g.xlarge", "r8g.2xlarge"
HOURS = 24


@dataclass(frozen=True)
class Offer:
    """One instance at one price. usd: a month; tps_cold, tps_warm: as the note states them, transactions/s.

    measured: five runs' mean, transactions/s, with its interval; None where the note has a single run.
    """

    instance: str
    pricing: str
    usd: float
    tps_cold: float
    tps_warm: float
    measured: Estimate | None

    @property
    def name(self) -> str:
        """Instance and price as a figure shows them."""
        return f"{self.instance}, {self.pricing}"

    @property
    def per_usd(self) -> tuple[float, float]:
        """Transactions/s per USD a month, with a cold and with a warm cache."""
        return self.tps_cold / self.usd, self.tps_warm / self.usd

    @property
    def measured_per_usd(self) -> Estimate | None:
        """The same from the five runs, a price being exact."""
        return None if self.measured is None else scaled(self.measured, 1 / self.usd)


class Summary(Analysis[Parameters]):
    """The offers of note 003 and the two daily prices of note 000, at the prices given."""

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """The note's table of costs; where there are five runs of an instance, with their mean."""
        p = self.parameters
        usd = {
            (LARGE, "On-Demand"): p.r8g_2xlarge_on_demand_usd_month,
            (SMALL, "On-Demand"): p.r8g_xlarge_on_demand_usd_month,
            (SMALL, "Spot"): p.r8g_xlarge_spot_usd_month,
        }
        five = statistics.geometric_mean(notes.table("r8g_validation")["tps"])
        names = ["instance", "pricing", "tps_cold", "tps_warm"]
        return tuple(
            Offer(instance, pricing, usd[instance, pricing], cold, warm, five if instance == SMALL else None)
            for instance, pricing, cold, warm in notes.table("r8g_cost")[names].values
        )

    def offer(self, instance: str, pricing: str) -> Offer:
        """The offer with that instance and price."""
        return next(each for each in self.offers if (each.instance, each.pricing) == (instance, pricing))

    @property
    def baseline(self) -> Offer:
        """The large instance on demand: what the others are compared with."""
        return self.offer(LARGE, "On-Demand")

    @property
    def discounted(self) -> tuple[Offer, Offer]:
        """The small and the large instance on demand, both at the common discount."""
        share = 1 - self.parameters.common_discount_percent / 100
        pricing = f"{self.parameters.common_discount_percent:g} % off"
        full = (self.offer(instance, "On-Demand") for instance in (SMALL, LARGE))
        small, large = (replace(each, usd=each.usd * share, pricing=pricing) for each in full)
        return small, large

    @property
    def daily_ratio(self) -> float:
        """DynamoDB's price over Lakebase's."""
        return self.parameters.dynamodb_usd_day / self.parameters.lakebase_usd_day

    @property
    def even_price(self) -> float:
        """USD a month at which the large instance draws level with the small Spot one whose cache is cold."""
        return self.baseline.tps_cold / self.offer(SMALL, "Spot").per_usd[0]

    @property
    def at_defaults(self) -> bool:
        """Whether every price is the notes' own."""
        return self.parameters == Parameters()


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate in another unit: point and both ends times a factor that is exact and above 0."""
    if not (factor > 0 and math.isfinite(factor)):
        raise BenchbookError(f"factor {factor:g} is no change of unit", "give a price above 0")
    return replace(estimate, point=estimate.point * factor, low=estimate.low * factor, high=estimate.high * factor)


def _price(name: str) -> Term:
    """A price as the note states it, USD for its period."""
    return cell("prices", "price", name=name)


def _tps(instance: str, pricing: str) -> tuple[float, float]:
    cold, warm = (
        notes.number("r8g_cost", f"tps_{state}", instance=instance, pricing=pricing) for state in ("cold", "warm")
    )
    return cold, warm


def _largest_deviation(pricing: str, price: Term) -> Working:
    again = [tps / price() for tps in _tps(SMALL, pricing)]
    printed = [notes.number("r8g_cost", f"tps_per_usd_{end}", instance=SMALL, pricing=pricing) for end in ("lo", "hi")]
    off = [abs(each - other) for each, other in zip(again, printed, strict=True)]
    return Working(max(off), f"{again[0]:.2f} and {again[1]:.2f}, against {printed[0]:g} and {printed[1]:g}")


def _shares() -> Working:
    target = notes.number("r8g_statements", "value", name="target_tps")
    again = [100 * tps / target for tps in _tps(SMALL, "On-Demand")]
    again.append(100 * _price("r8g_xlarge_on_demand_usd_month")() / _price("r8g_2xlarge_on_demand_usd_month")())
    names = ("share_of_target_lo", "share_of_target_hi", "share_of_cost")
    pairs = [
        (each, notes.number("r8g_statements", "value", name=name)) for each, name in zip(again, names, strict=True)
    ]
    text = ", ".join(f"{each:.1f} % against {other:g} %" for each, other in pairs)
    return Working(max(abs(each - other) for each, other in pairs), text)


def _spot_over_others() -> Working:
    rows = notes.table("r8g_cost")
    spot = rows["pricing"] == "Spot"
    least, most = float(rows.loc[spot, "tps_per_usd_lo"].min()), float(rows.loc[~spot, "tps_per_usd_hi"].max())
    small = notes.number("r8g_cost", "tps_per_usd_hi", instance=SMALL, pricing="On-Demand")
    text = (
        f"{least:g} / {most:g}, Spot against on demand; at the same discount for both instances the order is that of "
        "the "
    )
    return Working(least / most, f"{text}on-demand rows, {most:g} over {small:g} at best")


def _discount() -> Working:
    spot, full = _price("r8g_xlarge_spot_usd_month")(), _price("r8g_xlarge_on_demand_usd_month")()
    stated = notes.number("r8g_statements", "value", name="spot_discount")
    return Working(
        1 - spot / full, f"1 - {spot:g} / {full:g}; {stated:g} % off would be {full * (1 - stated / 100):.1f} USD"
    )


def _five_runs(summary: Summary) -> Estimate:
    """Throughput for the money of the small instance's five runs over the large one's, both on demand."""
    measured = summary.offer(SMALL, "On-Demand").measured_per_usd
    assert measured is not None
    return scaled(measured, 1 / summary.baseline.per_usd[1])


NUMBERS = {
    "spot_over_others": recomputed(_spot_over_others),
    "daily_ratio": quotient(_price("dynamodb_usd_day"), _price("lakebase_usd_day"), " USD a day"),
    "half": formula(
        "{large} / 2, the price of the instance twice as large", lambda large: large / 2,
        large=_price("r8g_2xlarge_on_demand_usd_month"),
    ),
    "large_per_usd": quotient(
        cell("r8g_cost", "tps_cold", instance=LARGE, pricing="On-Demand"), _price("r8g_2xlarge_on_demand_usd_month")
    ),
    "off_on_demand": recomputed(partial(_largest_deviation, "On-Demand", _price("r8g_xlarge_on_demand_usd_month"))),
    "off_spot": recomputed(partial(_largest_deviation, "Spot", _price("r8g_xlarge_spot_usd_month"))),
    "off_shares": recomputed(_shares),
    "discount": recomputed(_discount),
    "five_runs": custom(_five_runs, Quantity.COUNTER),
}  # fmt: skip


def _over(offer: Offer, other: Offer) -> SimpleNamespace:
    """Throughput for the money of an offer, with a cold and with a warm cache, over that of another."""
    cold, warm = (each / other.per_usd[1] for each in offer.per_usd)
    return SimpleNamespace(cold=cold, warm=warm)


def _daily(summary: Summary) -> SimpleNamespace:
    """The two daily prices of note 000, and what they are made of elsewhere, in USD."""
    cu = notes.number("lakebase_constants", "value", name="cluster")
    rate, storage, table = (
        notes.reading(name)
        for name in ("lakebase_usd_per_cu_hour", "lakebase_storage_usd_day", "dynamodb_usd_per_table_day")
    )
    compute, other = cu * HOURS * rate, summary.parameters.dynamodb_usd_day
    stored = compute + storage
    return SimpleNamespace(
        ratio=summary.daily_ratio, cu=cu, rate=rate, compute=compute, stored=stored, table=table, tables=other / table,
        again=other / stored,
    )  # fmt: skip


def _reached(summary: Summary) -> SimpleNamespace:
    """How many of the small instance's runs reached the note's target."""
    target = notes.number("r8g_statements", "value", name="target_tps")
    runs = notes.table("r8g_validation")["tps"]
    return SimpleNamespace(target=target, above=int((runs >= target).sum()), runs=len(runs))


WORDS = {
    "at_defaults": lambda summary: summary.at_defaults,
    "spot": lambda summary: _over(summary.offer(SMALL, "Spot"), summary.baseline),
    "level": lambda summary: _over(*summary.discounted),
    "on_demand": lambda summary: [summary.baseline, summary.offer(SMALL, "On-Demand")],
    "even": lambda summary: summary.even_price,
    "large": lambda summary: summary.baseline,
    "daily": _daily,
    "reached": _reached,
}


def _prices(summary: Summary) -> pd.DataFrame:
    """The stated prices, with their dates, and what this page computes with."""
    found = notes.table("prices")
    used = summary.parameters.model_dump()
    return pd.DataFrame(
        {
            "what": found["system"] + ", " + found["instance"] + ", " + found["pricing"],
            "note": found["note"],
            "date": found["date"],
            "as printed": found["price_text"],
            "used here (USD)": [
                f"{used[name]:,.10g} per {period}" for name, period in found[["name", "period"]].values
            ],
        }
    ).set_index("what")


TABLES = {"prices": _prices}
