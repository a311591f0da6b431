"""The chapter's sentences and tables with numbers, computed from the notes' data and the prices given."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments import notes
from benchbook.experiments.cost.answers import LARGE, SMALL
from benchbook.experiments.cost.summary import Summary, scaled
from benchbook.figures import Prose, with_interval

HOURS = 24


def prices(summary: Summary) -> pd.DataFrame:
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


def answer(summary: Summary) -> Prose:
    """What the prices say, in a few sentences."""
    p = summary.parameters
    base, spot, full = summary.baseline, summary.offer(SMALL, "Spot"), summary.offer(SMALL, "On-Demand")
    small, large = summary.discounted
    even = summary.even_price
    measured = full.measured_per_usd
    assert measured is not None
    share = scaled(measured, 1 / base.per_usd[1])
    order = "more" if share.low > 1 else "less" if share.high < 1 else "neither certainly more nor certainly less"
    least, most = (each / base.per_usd[1] for each in spot.per_usd)
    low, high = (each / large.per_usd[1] for each in small.per_usd)
    cause = " The discount explains this:" if least > 1 > high else " For comparison:"
    return Prose(
        f"{_opening(summary)} the Spot instance gives {least:.2f} to {most:.2f} times the throughput per USD of "
        f"{LARGE} on demand.{cause} with {p.common_discount_percent:g} % off for both, {SMALL} gives {low:.2f} to "
        f"{high:.2f} times as much, as it does with both on demand. By the five runs of {SMALL}, it is "
        f"{with_interval(share)} times: {order} for the money than {LARGE}, which has only one run, taken as exact. "
        f"{LARGE} would equal the Spot instance with a cold cache at {even:,.2f} USD per month, "
        f"{_apart(even, base.usd)}."
    )


def daily(summary: Summary) -> Prose:
    """The two daily prices of note 000, and what they are made of elsewhere."""
    cu = notes.number("lakebase_constants", "value", name="cluster")
    rate, storage, table = (
        notes.reading(name)
        for name in ("lakebase_usd_per_cu_hour", "lakebase_storage_usd_day", "dynamodb_usd_per_table_day")
    )
    compute = cu * HOURS * rate
    other, own = summary.parameters.dynamodb_usd_day, summary.parameters.lakebase_usd_day
    return Prose(
        f"{other:,.10g} over {own:,.10g} USD a day is {summary.daily_ratio:,.4g}. The note gives no unit price, "
        f"storage size or request rate for either price. A later document in the same repository does: {cu:g} CU for "
        f"{HOURS} hours at {rate:g} USD make {compute:,.2f} USD a day, {compute + storage:,.2f} with storage; DynamoDB "
        f"is given as {table:,.0f} USD per table and day, so {other:,.10g} USD pay for {other / table:,.4g} tables. By "
        f"those numbers the ratio is {other / (compute + storage):,.0f}. The cost of DynamoDB depends on requests and "
        "storage, which the note does not state, so we can check only the division."
    )


def advice(summary: Summary) -> Prose:
    """The two pieces of advice that rest on claims judged elsewhere."""
    target = notes.number("r8g_statements", "value", name="target_tps")
    runs = notes.table("r8g_validation")["tps"]
    above = int((runs >= target).sum())
    return Prose(
        f"“For guaranteed 10K TPS, use {LARGE}” repeats the note's earlier conclusion. Its runs show whether {SMALL} "
        f"reaches {target:,.0f} TPS: {above} of {len(runs)} validation runs did. The guarantee for {LARGE} rests on "
        f"one run of {summary.baseline.tps_cold:,.0f}; a single run guarantees nothing. “Best for workloads with "
        "consistent traffic (warm cache)” needs a comparison of warm and cold caches, but the note assigned these "
        "labels afterwards; only an experiment can answer it."
    )


def _opening(summary: Summary) -> str:
    return "At the notes' prices" if summary.at_defaults else "At the prices given here, which differ from the notes',"


def _apart(even: float, usd: float) -> str:
    if even < usd:
        return f"{100 * (1 - even / usd):.0f} % below its price"
    return f"{100 * (even / usd - 1):.0f} % above its price"
