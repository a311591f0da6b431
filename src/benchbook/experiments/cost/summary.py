"""Throughput per USD for every offer of note 003, at the prices given, with intervals where there are several runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from benchbook import statistics
from benchbook.errors import BenchbookError
from benchbook.experiments import notes
from benchbook.experiments.cost.judgements import LARGE, SMALL
from benchbook.experiments.cost.parameters import Parameters
from benchbook.model import Estimate

TABLES = ("prices", "r8g_cost", "r8g_validation", "lakebase_constants", "readings")


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


@dataclass(frozen=True)
class Summary:
    """The offers of note 003 and the two daily prices of note 000."""

    parameters: Parameters
    offers: tuple[Offer, ...]

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
        small, large = (self.offer(instance, "On-Demand") for instance in (SMALL, LARGE))
        return replace(small, usd=small.usd * share, pricing=pricing), replace(
            large, usd=large.usd * share, pricing=pricing
        )

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


def summarize(parameters: Parameters) -> Summary:
    """The note's table of costs at the prices given."""
    usd = {
        (LARGE, "On-Demand"): parameters.r8g_2xlarge_on_demand_usd_month,
        (SMALL, "On-Demand"): parameters.r8g_xlarge_on_demand_usd_month,
        (SMALL, "Spot"): parameters.r8g_xlarge_spot_usd_month,
    }
    five = statistics.geometric_mean(notes.table("r8g_validation")["tps"])
    rows = notes.table("r8g_cost")
    offers = [
        Offer(
            str(row["instance"]), str(row["pricing"]), usd[row["instance"], row["pricing"]], float(row["tps_cold"]),
            float(row["tps_warm"]), five if row["instance"] == SMALL else None,
        )
        for _, row in rows.iterrows()
    ]  # fmt: skip
    return Summary(parameters, tuple(offers))


def scaled(estimate: Estimate, factor: float) -> Estimate:
    """An estimate in another unit: point and both ends times a factor that is exact and above 0."""
    if not (factor > 0 and math.isfinite(factor)):
        raise BenchbookError(f"factor {factor:g} is no change of unit", "give a price above 0")
    return replace(estimate, point=estimate.point * factor, low=estimate.low * factor, high=estimate.high * factor)


def run_id() -> str:
    """What stands for a run in the chapter's figures: a hash of the tables behind them."""
    return notes.run_id(*TABLES)
