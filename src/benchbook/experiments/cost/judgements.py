"""Every claim of the chapter, recomputed from the notes' own prices, whatever the parameters are."""

from __future__ import annotations

from benchbook.experiments import notes, recomputed
from benchbook.experiments.recomputed import Estimand, Working
from benchbook.model import Verdict

PER_DOLLAR, RATIO = "fig-cost-per-dollar", "fig-cost-ratio"
SMALL, LARGE = "r8g.xlarge", "r8g.2xlarge"


def price(name: str) -> float:
    """A price as the note states it, USD for its period."""
    return notes.number("prices", "price", name=name)


def _tps(instance: str, pricing: str) -> tuple[float, float]:
    cold, warm = (
        notes.number("r8g_cost", f"tps_{state}", instance=instance, pricing=pricing) for state in ("cold", "warm")
    )
    return cold, warm


def _cost_ratio() -> Working:
    other, own = price("dynamodb_usd_day"), price("lakebase_usd_day")
    return Working(other / own, f"{other:,.0f} / {own:,.0f} USD a day")


def _half_price() -> Working:
    large = price("r8g_2xlarge_on_demand_usd_month")
    return Working(large / 2, f"{large:g} / 2, the price of the instance of twice the size")


def _large_per_dollar() -> Working:
    tps, usd = _tps(LARGE, "On-Demand")[0], price("r8g_2xlarge_on_demand_usd_month")
    return Working(tps / usd, f"{tps:,.0f} / {usd:g}")


def _largest_deviation(pricing: str, name: str) -> Working:
    usd = price(name)
    again = [tps / usd for tps in _tps(SMALL, pricing)]
    printed = [notes.number("r8g_cost", f"tps_per_usd_{end}", instance=SMALL, pricing=pricing) for end in ("lo", "hi")]
    off = [abs(each - other) for each, other in zip(again, printed, strict=True)]
    return Working(max(off), f"{again[0]:.2f} and {again[1]:.2f}, against {printed[0]:g} and {printed[1]:g}")


def _shares() -> Working:
    target = notes.number("r8g_statements", "value", name="target_tps")
    again = [100 * tps / target for tps in _tps(SMALL, "On-Demand")]
    again.append(100 * price("r8g_xlarge_on_demand_usd_month") / price("r8g_2xlarge_on_demand_usd_month"))
    printed = [
        notes.number("r8g_statements", "value", name=name)
        for name in ("share_of_target_lo", "share_of_target_hi", "share_of_cost")
    ]
    text = ", ".join(f"{each:.1f} % against {other:g} %" for each, other in zip(again, printed, strict=True))
    return Working(max(abs(each - other) for each, other in zip(again, printed, strict=True)), text)


def _spot_over_others() -> Working:
    rows = notes.table("r8g_cost")
    spot = rows["pricing"] == "Spot"
    least, most = float(rows.loc[spot, "tps_per_usd_lo"].min()), float(rows.loc[~spot, "tps_per_usd_hi"].max())
    small = notes.number("r8g_cost", "tps_per_usd_hi", instance=SMALL, pricing="On-Demand")
    text = f"{least:g} / {most:g}, Spot against on demand; at one discount for both instances the order is that of the "
    return Working(least / most, f"{text}on-demand rows, {most:g} over {small:g} at best")


def _discount() -> Working:
    spot, full = price("r8g_xlarge_spot_usd_month"), price("r8g_xlarge_on_demand_usd_month")
    stated = notes.number("r8g_statements", "value", name="spot_discount")
    return Working(
        1 - spot / full, f"1 - {spot:g} / {full:g}; {stated:g} % off would be {full * (1 - stated / 100):.1f} USD"
    )


ESTIMANDS: dict[str, Estimand] = {
    "L073": Estimand(_cost_ratio),
    "R002": Estimand(_half_price),
    "R080": Estimand(_large_per_dollar, PER_DOLLAR),
    "R081": Estimand(lambda: _largest_deviation("On-Demand", "r8g_xlarge_on_demand_usd_month"), PER_DOLLAR),
    "R082": Estimand(lambda: _largest_deviation("Spot", "r8g_xlarge_spot_usd_month"), PER_DOLLAR),
    "R083": Estimand(_shares),
    "R086": Estimand(_spot_over_others, RATIO),
    "R102": Estimand(_discount),
}
"""One per claim that the notes' prices decide; the others are advice."""


def judge_claims() -> list[Verdict]:
    """A verdict on every claim of the chapter, in the ledger's order."""
    return recomputed.verdicts("cost", ESTIMANDS, {})
