"""Throughput per USD for every offer of note 003, at the prices given, with intervals where there are several runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.experiments.cost.answers import LARGE, SMALL
from benchbook.experiments.cost.arms import Parameters
from benchbook.experiments.shape.analysis import Analysis
from benchbook.model import Estimate

TABLES = ("prices", "r8g_cost", "r8g_validation", "lakebase_constants", "readings")
"""Behind the chapter's figures; their hash stands for a run."""


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
