"""Throughput for the money at the notes' prices, each to be replaced by one's own: their sums again, and offers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from benchbook import kit, notes, statistics
from benchbook.drawing.marks import COLOURS, by_label
from benchbook.figures import theme
from benchbook.numbers import analysis

NOTED = ("prices", "r8g_cost", "r8g_validation", "lakebase_constants", "readings")
"""Tables behind the figures."""
SMALL, LARGE = "r8g.xlarge", "r8g.2xlarge"
STATES = ("cold cache, as stated", "warm cache, as stated", "five runs")
PRICES = {
    (LARGE, "On-Demand"): "r8g_2xlarge_on_demand_usd_month", (SMALL, "On-Demand"): "r8g_xlarge_on_demand_usd_month",
    (SMALL, "Spot"): "r8g_xlarge_spot_usd_month",
}  # fmt: skip
"""Of an instance a month: the name of the parameter, and of the note's price."""
COLUMNS = ("label", "offer", "state", "value", "low", "high", "runs")
TICKS = (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10)
price, stated = analysis.cells("prices", "price", "name"), analysis.cells("r8g_statements", "value", "name")


def usd(most: float, default: float, words: str) -> Any:
    """A parameter: a price above 0."""
    return kit.param(default, high=most, above=0, words=f"price of {words}")


class Parameters(kit.AnalysisParameters):
    """Defaults: the stated prices of notes 000 (17 January 2026) and 003 (4 January 2026)."""

    r8g_2xlarge_on_demand_usd_month: float = usd(1e6, 290.0, "an r8g.2xlarge on demand, USD a month")
    r8g_xlarge_on_demand_usd_month: float = usd(1e6, 145.0, "an r8g.xlarge on demand, USD a month")
    r8g_xlarge_spot_usd_month: float = usd(1e6, 50.0, "an r8g.xlarge as a Spot instance, USD a month")
    common_discount_percent: float = kit.param(
        70.0, 0, words="discount that both instances get where they are compared at one discount, in %", below=100
    )
    lakebase_usd_day: float = usd(1e8, 360.0, "Lakebase with 32 CU, USD a day")
    dynamodb_usd_day: float = usd(1e8, 45000.0, "DynamoDB with 30 tables, USD a day")


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
    measured: kit.Estimate | None

    @property
    def name(self) -> str:
        return f"{self.instance}, {self.pricing}"

    @property
    def per_usd(self) -> tuple[float, float]:
        """Transactions/s per USD a month, with a cold and with a warm cache."""
        return self.tps_cold / self.usd, self.tps_warm / self.usd

    def five(self, factor: float = 1.0) -> kit.Estimate | None:
        """The same from the five runs, times a factor: a price is exact."""
        if self.measured is None:
            return None
        ends = {end: getattr(self.measured, end) * (1 / self.usd) * factor for end in ("point", "low", "high")}
        return replace(self.measured, **ends)

    def rows(self, factor: float = 1.0, name: str = "") -> Iterator[dict[str, Any]]:
        """Of a figure, one for each state. name: in place of its own."""
        shown: list[tuple[Any, ...]] = [(value * factor, None, None, 1) for value in self.per_usd]
        if (five := self.five(factor)) is not None:
            shown.append((five.point, five.low, five.high, five.n))
        for state, each in zip(STATES, shown, strict=False):
            label = f"{name or self.name}: {state.split(',')[0]}"
            yield dict(zip(COLUMNS, (label, name or self.name, state, *each), strict=True))


class Summary(analysis.Analysis[Parameters]):
    """The offers of note 003 at the prices given."""

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """The note's table of costs; where there are five runs of an instance, with their mean."""
        five = statistics.geometric_mean(notes.table("r8g_validation")["tps"])
        names = ["instance", "pricing", "tps_cold", "tps_warm"]
        return tuple(
            Offer(of, pricing, getattr(self.parameters, PRICES[of, pricing]), cold, warm, five if of == SMALL else None)
            for of, pricing, cold, warm in notes.table("r8g_cost")[names].values
        )

    def offer(self, instance: str, pricing: str) -> Offer:
        return next(each for each in self.offers if (each.instance, each.pricing) == (instance, pricing))

    @property
    def baseline(self) -> Offer:
        """The large instance on demand: what the others are compared with."""
        return self.offer(LARGE, "On-Demand")

    @property
    def discounted(self) -> tuple[Offer, Offer]:
        """The small and the large instance on demand, both at the common discount."""
        percent = self.parameters.common_discount_percent

        def less(full: Offer) -> Offer:
            return replace(full, usd=full.usd * (1 - percent / 100), pricing=f"{percent:g} % off")

        return less(self.offer(SMALL, "On-Demand")), less(self.baseline)


def small(pricing: str, column: str) -> analysis.Term:
    return analysis.cell("r8g_cost", column, instance=SMALL, pricing=pricing)


def off_table(pricing: str) -> kit.Estimand:
    """How far the table's throughput for the money lies from its own throughput over the price."""
    usd = price(PRICES[SMALL, pricing])
    return analysis.formula(
        "{cold:.2f} and {warm:.2f}, against {low} and {high}",
        lambda cold, warm, low, high: max(abs(cold - low), abs(warm - high)),
        cold=small(pricing, "tps_cold") / usd, warm=small(pricing, "tps_warm") / usd,
        low=small(pricing, "tps_per_usd_lo"), high=small(pricing, "tps_per_usd_hi"),
    )  # fmt: skip


large_usd, small_usd, spot_usd = (price(name) for name in PRICES.values())
NUMBERS = {
    "spot_over_others": analysis.formula(
        "{least} / {most}, Spot against on demand; at the same discount for both instances the order is that of the "
        "on-demand rows, {most} over {small} at best", lambda least, most, small: least / most,
        least=lambda: notes.table("r8g_cost").query("pricing == 'Spot'")["tps_per_usd_lo"].min(),
        most=lambda: notes.table("r8g_cost").query("pricing != 'Spot'")["tps_per_usd_hi"].max(),
        small=small("On-Demand", "tps_per_usd_hi"),
    ),
    "daily_ratio": analysis.quotient(price("dynamodb_usd_day"), price("lakebase_usd_day"), " USD a day"),
    "half": analysis.formula(
        "{large} / 2, the price of the instance twice as large", lambda large: large / 2, large=large_usd
    ),
    "large_per_usd": analysis.quotient(
        analysis.cell("r8g_cost", "tps_cold", instance=LARGE, pricing="On-Demand"), large_usd
    ),
    "off_on_demand": off_table("On-Demand"),
    "off_spot": off_table("Spot"),
    "off_shares": analysis.formula(
        "{lo:.1f} % against {said_lo} %, {hi:.1f} % against {said_hi} %, {cost:.1f} % against {said_cost} %",
        lambda lo, said_lo, hi, said_hi, cost, said_cost: max(
            abs(lo - said_lo), abs(hi - said_hi), abs(cost - said_cost)
        ),
        lo=small("On-Demand", "tps_cold") * 100 / stated("target_tps"), said_lo=stated("share_of_target_lo"),
        hi=small("On-Demand", "tps_warm") * 100 / stated("target_tps"), said_hi=stated("share_of_target_hi"),
        cost=small_usd * 100 / large_usd, said_cost=stated("share_of_cost"),
    ),
    "discount": analysis.formula(
        "1 - {spot} / {full}; {off} % off would be {would:.1f} USD", lambda spot, full, **other: 1 - spot / full,
        spot=spot_usd, full=small_usd, off=stated("spot_discount"),
        would=small_usd - small_usd * stated("spot_discount") / 100,
    ),
    "five_runs": kit.custom(
        lambda summary: summary.offer(SMALL, "On-Demand").five(1 / summary.baseline.per_usd[1]), kit.Quantity.COUNTER
    ),
}  # fmt: skip


def over(offer: Offer, other: Offer) -> dict[str, float]:
    """Throughput for the money of an offer, with a cold and with a warm cache, over that of another."""
    return {"cold": offer.per_usd[0] / other.per_usd[1], "warm": offer.per_usd[1] / other.per_usd[1]}


def daily(summary: Summary) -> dict[str, float]:
    """The two daily prices of note 000, and what they are made of elsewhere, in USD."""
    p, cu = summary.parameters, notes.number("lakebase_constants", "value", name="cluster")
    rate, table = notes.reading("lakebase_usd_per_cu_hour"), notes.reading("dynamodb_usd_per_table_day")
    stored = cu * 24 * rate + notes.reading("lakebase_storage_usd_day")
    return {
        "ratio": p.dynamodb_usd_day / p.lakebase_usd_day, "cu": cu, "rate": rate, "compute": cu * 24 * rate,
        "stored": stored, "table": table, "tables": p.dynamodb_usd_day / table, "again": p.dynamodb_usd_day / stored,
    }  # fmt: skip


WORDS = {
    "at_defaults": lambda summary: summary.parameters == Parameters(),
    "spot": lambda summary: over(summary.offer(SMALL, "Spot"), summary.baseline),
    "level": lambda summary: over(*summary.discounted),
    "on_demand": lambda summary: [summary.baseline, summary.offer(SMALL, "On-Demand")],
    "even": lambda summary: summary.baseline.tps_cold / summary.offer(SMALL, "Spot").per_usd[0],
    "large": lambda summary: summary.baseline,
    "daily": daily,
    "reached": lambda summary: {
        "target": stated("target_tps")(), "runs": len(notes.table("r8g_validation")),
        "above": int((notes.table("r8g_validation")["tps"] >= stated("target_tps")()).sum()),
    },
}  # fmt: skip


def prices(summary: Summary) -> pd.DataFrame:
    """The stated prices, with their dates, and what this page computes with."""
    found, used = notes.table("prices"), summary.parameters.model_dump()
    now = [f"{used[name]:,.10g} per {period}" for name, period in found[["name", "period"]].values]
    what = found["system"] + ", " + found["instance"] + ", " + found["pricing"]
    columns = {"what": what, "note": found["note"], "date": found["date"], "as printed": found["price_text"]}
    return pd.DataFrame(columns | {"used here (USD)": now}).set_index("what")


TABLES = {"prices": prices}


def per_dollar(summary: Summary) -> kit.Drawn:
    """Transactions/s per USD per month for each row of the note's table."""
    ends = notes.table("r8g_cost")[["tps_per_usd_lo", "tps_per_usd_hi"]].astype(float).values
    rows = [(row, low, high) for each, (low, high) in zip(summary.offers, ends, strict=True) for row in each.rows()]
    plot = go.Figure()
    plot.add_bar(
        x=[high - low for _, low, high in rows], base=[low for _, low, _ in rows], y=[row["label"] for row, *_ in rows],
        orientation="h", name="range that note 003 prints", width=1,
        marker={"color": "rgba(125, 125, 125, 0.35)", "line": {"width": 0}},
    )  # fmt: skip
    plot.update_layout(barmode="overlay")
    plot.update_xaxes(title="TPS per USD a month (more is better)", rangemode="tozero")
    said = (f"{each.name}: {each.per_usd[0]:.1f} cold, {each.per_usd[1]:.1f} warm" for each in summary.offers)
    return drawn(summary, plot, [row for row, *_ in rows], "TPS per USD", "; ".join(said))


def ratio(summary: Summary) -> kit.Drawn:
    """Throughput per USD over that of the large instance at the price that it is compared at."""
    base = summary.baseline
    rows: list[dict[str, Any]] = []
    for offer, other in [*((each, base) for each in summary.offers if each is not base), summary.discounted]:
        alike = f"both {offer.pricing}" if offer.pricing == other.pricing else f"{offer.pricing} ÷ {other.pricing}"
        rows += offer.rows(1 / other.per_usd[1], alike)
    plot = go.Figure()
    plot.add_vline(x=1, line={"dash": "dot", "color": theme.COLOURS["grey"]})
    plot.update_xaxes(
        type="log", tickvals=TICKS, ticktext=[f"{tick:g}" for tick in TICKS],
        title="TPS per USD, r8g.xlarge ÷ r8g.2xlarge<br>(above 1: the small one gives more)",
    )  # fmt: skip
    said = "; ".join(f"{row['offer']}, {row['state']}: {row['value']:.2f}" for row in rows)
    return drawn(summary, plot, rows, "ratio", said)


def drawn(summary: Summary, plot: go.Figure, rows: list[dict[str, Any]], quantity: str, said: str) -> kit.Drawn:
    """The rows as points over what the plot holds already, one series per state. quantity: heading of the values."""
    for place, state in enumerate(STATES):
        part = [row for row in rows if row["state"] == state]
        values, lows, highs = ([row[name] for row in part] for name in ("value", "low", "high"))
        plot.add_scatter(
            x=values, y=[row["label"] for row in part], name=state, mode="markers",
            error_x=theme.error_bars(values, lows, highs) if state == STATES[2] else None,
            marker={"color": COLOURS[place], "symbol": theme.SYMBOLS[place], "size": 10},
        )  # fmt: skip
    by_label(plot, [row["label"] for row in rows], height=140, each=34)
    estimates = [offer.measured for offer in summary.offers if offer.measured is not None]
    data = pd.DataFrame(rows).drop(columns="label").rename(columns={"value": quantity})
    return kit.Drawn(plot, data, said, estimates, run_id=notes.run_id(*NOTED))


FIGURES = {"per_dollar": per_dollar, "ratio": ratio}
