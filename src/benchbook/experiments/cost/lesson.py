"""What the chapter teaches beside its answers: the comparison at one discount."""

from __future__ import annotations

from benchbook.experiments.cost.answers import LARGE, RATIO, SMALL
from benchbook.experiments.cost.summary import Summary
from benchbook.experiments.shape.lessons import Teaching


def at_one_discount(summary: Summary) -> str:
    """Both instances at the discount that one of them had in the note."""
    small, large = summary.discounted
    low, high = (each / large.per_usd[1] for each in small.per_usd)
    return (
        f"With {summary.parameters.common_discount_percent:g} % off for both, as the note says of Spot, {SMALL} gives "
        f"{low:.2f} to {high:.2f} times the throughput of {LARGE} for the money."
    )


LESSON = Teaching(
    "The small instance gives more for the money on unequal terms alone: at the same discount, the larger one does",
    figure=RATIO,
    claimed="Notes 000 and 003: PostgreSQL costs 125 times less than DynamoDB, and a small instance at the spot price "
    "gives most throughput for the money.",
    advice="State with every price what it covers: the discount, the disks, the request rate and the date.",
    numbers=(at_one_discount, "R086", "L073"),
    besides=(at_one_discount,),
)
