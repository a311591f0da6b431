"""What the planted runs of several chapters share: sessions of one run, and an A/A pair that is off by so much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy

from benchbook import store
from benchbook.model import Run

OFF_AT_95_ALONE, OFF_AT_99 = "off at 95 % alone", "off at 99 %"


def sessions(*runs: Run) -> Run:
    """Runs of one plan as the sessions of one run, an hour apart."""
    return store.pooled(
        [
            replace(
                run,
                id=f"{run.id}{place}",
                provenance={**run.provenance, "started_at": f"2026-01-17T{10 + place}:00:00+00:00"},
            )
            for place, run in enumerate(runs)
        ]
    )


def set_apart(run: Run, again: str, first: str, metric: str, how: str) -> Run:
    """The run with the A/A arm's values a little above the baseline's: so far that the interval of this width is off.

    how: whether the 95 % interval misses 1 and the 99 % one does not, or both do.
    """
    trials = run.trials
    own = trials[trials["configuration"] == again].sort_values("block").index
    base = trials[trials["configuration"] == first].sort_values("block")[metric].to_numpy(dtype=float)
    n = base.size
    at95, at99 = (float(scipy.stats.t.ppf(quantile, n - 1)) for quantile in (0.975, 0.995))
    errors = {OFF_AT_95_ALONE: (at95 + at99) / 2, OFF_AT_99: 1.2 * at99}[how]
    steps = np.linspace(-1e-3, 1e-3, n)
    steps += errors * steps.std(ddof=1) / np.sqrt(n)
    trials.loc[own, metric] = base * np.exp(steps)
    return run
