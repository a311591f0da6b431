"""P-values adjusted for the size of their family."""

from __future__ import annotations

from collections.abc import Mapping

from benchbook.errors import BenchbookError


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: at most 5 % of families have any false claim when each is held against 0.05.

    Source: Holm 1979, through `statsmodels.stats.multitest.multipletests`.
    """
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        raise BenchbookError("a family without p-values was given", "give at least one comparison")
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise BenchbookError(
                f"p-value {value:g} of {name} is not between 0 and 1", "compute it again from the interval"
            )
    adjusted = multipletests(list(p_values.values()), method="holm")[1]
    return {name: float(value) for name, value in zip(p_values, adjusted, strict=True)}
