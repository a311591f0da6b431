"""P-values adjusted for the size of their family."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchbook.errors import BenchbookError


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's adjusted p-values: at most 5 % of families have any false claim when each is held against 0.05.

    Source: Holm 1979. `statsmodels.stats.multitest.multipletests` gives the same numbers, and collects garbage each
    time, which takes half a second where a whole book is in memory.
    """
    if not p_values:
        raise BenchbookError("a family without p-values was given", "give at least one comparison")
    for name, value in p_values.items():
        if not 0 <= value <= 1:
            raise BenchbookError(
                f"p-value {value:g} of {name} is not between 0 and 1", "compute it again from the interval"
            )
    names = sorted(p_values, key=p_values.__getitem__)
    steps = np.array([p_values[name] for name in names]) * np.arange(len(names), 0, -1)
    adjusted = dict(zip(names, np.minimum(np.maximum.accumulate(steps), 1.0).tolist(), strict=True))
    return {name: adjusted[name] for name in p_values}
