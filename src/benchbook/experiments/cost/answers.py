"""The claims of the chapter, recomputed from the notes' own prices, whatever the parameters are."""

from __future__ import annotations

from functools import partial

from benchbook.experiments import notes
from benchbook.experiments.shape.analysis import Term, Working, cell, formula, quotient, recomputed
from benchbook.experiments.shape.answers import Answer

PER_DOLLAR, RATIO = "fig-cost-per-dollar", "fig-cost-ratio"
SMALL, LARGE = "r8g.xlarge", "r8g.2xlarge"


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


ANSWERS = (
    Answer(
        "R086", recomputed(_spot_over_others), RATIO,
        said="as a Spot instance the small machine gives the most throughput for the money",
        seen="in the note's table, it gives {} times as much as the best other offer",
    ),
    Answer(
        "L073", quotient(_price("dynamodb_usd_day"), _price("lakebase_usd_day"), " USD a day"),
        said="DynamoDB costs 125 times as much as Lakebase",
        seen="the arithmetic is right: the two stated prices differ by a factor of {}; "
            "whether they buy the same is not tested",
    ),
    Answer("R002", formula(
        "{large} / 2, the price of the instance twice as large", lambda large: large / 2,
        large=_price("r8g_2xlarge_on_demand_usd_month"),
    )),
    Answer(
        "R080",
        quotient(
            cell("r8g_cost", "tps_cold", instance=LARGE, pricing="On-Demand"),
            _price("r8g_2xlarge_on_demand_usd_month"),
        ),
        PER_DOLLAR,
    ),
    Answer(
        "R081",
        recomputed(partial(_largest_deviation, "On-Demand", _price("r8g_xlarge_on_demand_usd_month"))),
        PER_DOLLAR,
    ),
    Answer("R082", recomputed(partial(_largest_deviation, "Spot", _price("r8g_xlarge_spot_usd_month"))), PER_DOLLAR),
    Answer("R083", recomputed(_shares)),
    Answer("R102", recomputed(_discount)),
)  # fmt: skip
"""One per claim that the notes' prices decide; the others are advice."""
