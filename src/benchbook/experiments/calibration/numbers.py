"""What the page names of coverage, verdicts and power, as the run on it has them, and its tables.

Of machines that move: ``moving``; of several sessions: ``sessions``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import pandas as pd

from benchbook.claims import Quantity
from benchbook.experiments.calibration import catalogue, moving, sessions, several_figures, tables
from benchbook.experiments.calibration.arms import LABELS, alone_name, cell_name
from benchbook.experiments.calibration.catalogue import ALL, LIMIT, SMALLEST, TARGET_LOW
from benchbook.experiments.calibration.simulation.distributions import STALLED
from benchbook.experiments.calibration.simulation.worlds import FEW_MISSES
from benchbook.experiments.calibration.simulation.wrong_ways import BOOTSTRAPPED
from benchbook.experiments.calibration.summary import Summary, book_table, covered, spread
from benchbook.experiments.calibration.tables import listed, off, ranged
from benchbook.experiments.shape.estimands import custom
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.figures import Prose
from benchbook.model import Estimate

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary"]
STRESS = LABELS["stalls"]
"""The family that no interval of a single configuration is made for; the others are the ones that it must hold in."""
FINDINGS = {
    "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
    "too often": "more often than promised", "too seldom": "too seldom",
}  # fmt: skip


def _false_at_most(summary: Summary, confidence: float) -> Estimate:
    """The largest share of verdicts that find an effect where there is none."""
    cells = [cell_name(family, n) for family in summary.parameters.families for n in summary.parameters.sizes]
    found = (summary.false_verdicts(rule, cell) for rule in moving.WORDS for cell in cells)
    return max(found, key=lambda each: each.point)


NUMBERS = {"false_at_most": percent(custom(_false_at_most, Quantity.COUNTER))}


def _cases(summary: Summary, *, stalled: bool) -> SimpleNamespace:
    """The cases of the families that the intervals are made for, or of stalled trials; and which cover too seldom."""
    found = book_table(summary)
    found = found[(found["family"] == STRESS) == stalled]
    counts, few = found["finding"].value_counts(), found[found["finding"] == "too seldom"]
    return SimpleNamespace(
        all=len(found),
        findings=[f"{counts[name]} {text}" for name, text in FINDINGS.items() if name in counts],
        seldom=len(few),
        coverage=ranged(few["coverage (%)"]) if len(few) else "",
        intervals=[*dict.fromkeys(few["interval"])],
        lines=[
            f"{interval}, n = {listed(part['n'].unique())} ({ranged(part['coverage (%)'])} %)"
            for interval, part in few.groupby("interval", sort=False)
        ],
    )


def _reasons(summary: Summary) -> list[tuple[str, str]]:
    """How each coverage that is not as promised comes about, and what follows: intervals and remark."""
    known = {each.label: each.remark for each in ALL.values()}
    by_remark: dict[str, list[str]] = {}
    for label in dict.fromkeys(off(summary)["interval"]):
        by_remark.setdefault(known[label] or "The reason is not known.", []).append(label)
    return [(", ".join(labels), remark) for remark, labels in by_remark.items()]


def _wrong(summary: Summary) -> SimpleNamespace:
    """Range of the coverage of each wrong way over all families, as in the figure."""
    found = covered(summary, (*catalogue.WRONG, *catalogue.WRONG_WITHIN))
    enough = found[found["n"] >= SMALLEST]
    shown = (enough if len(enough) else found).groupby("interval", sort=False)
    return SimpleNamespace(enough=len(enough), ranges=[f"{x} {ranged(part['coverage (%)'])} %" for x, part in shown])


def _enough_blocks(summary: Summary) -> list[tuple[float, str]]:
    """How many blocks each planted effect, in %, needs to be found in four runs of five."""
    found, cells = [], {n: cell_name(summary.shown_family, n) for n in sorted(summary.parameters.sizes)}
    for ratio in summary.parameters.effects[1:]:
        enough = [f"{n} blocks" for n, cell in cells.items() if summary.excluded(cell, ratio).point >= 0.8]
        found.append((100 * (ratio - 1), [*enough, f"more than {max(cells)}"][0]))
    return found


def _alone(summary: Summary) -> SimpleNamespace:
    """Coverage where one arm alone stalls, by interval, number of blocks and spread; what the run itself shows."""
    p = summary.parameters
    sizes = [n for n in sorted(p.sizes) if n >= SMALLEST]
    if not sizes:
        raise NotEstimableError(f"no runs of {SMALLEST} blocks or more were simulated", "ask for some in sizes")

    def shares(sd: float, count: str, runs: str) -> str:
        return ", ".join(f"{100 * summary.share(alone_name(sd, n), count, runs).point:.0f}" for n in sizes)

    intervals = [
        (each.label, spread(sd), shares(sd, f"{each.name}_covered", f"{each.name}_runs"))
        for each in catalogue.ALONE
        for sd in p.alone_sds
    ]
    seen = [(spread(sd), *(shares(sd, f"alone_{what}", "alone_median_runs") for what in ("found", "missed_unseen")))
            for sd in p.alone_sds]  # fmt: skip
    return SimpleNamespace(sizes=", ".join(map(str, sizes)), intervals=intervals, seen=seen)


def _slow_runs(summary: Summary) -> int:
    """Simulated runs of what draws its own resamples."""
    p = summary.parameters
    return int(p.blocks * min(p.slow_repetitions, p.repetitions))


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    **moving.SPOKEN,
    **sessions.SPOKEN,
    "run": lambda summary: summary.run,
    "stress": lambda summary: STRESS,
    "stalled_one_in": lambda summary: 1 / STALLED,
    "few_misses": lambda summary: FEW_MISSES,
    "bootstrapped": lambda summary: BOOTSTRAPPED,
    "smallest": lambda summary: SMALLEST,
    "limit": lambda summary: LIMIT,
    "least_coverage": lambda summary: 100 * TARGET_LOW,
    "made_for": partial(_cases, stalled=False),
    "stalled_cases": partial(_cases, stalled=True),
    "reasons_for": _reasons,
    "wrong": _wrong,
    "alone": _alone,
    "slow_runs": _slow_runs,
    "shown_family": lambda summary: LABELS[summary.shown_family],
    "shown_size": lambda summary: summary.shown_size,
    "excluded": lambda summary: sum(
        100 * summary.excluded(summary.shown_cell, 1.0, side).point for side in ("above", "below")
    ),
    "enough_blocks": _enough_blocks,
}
TABLES: Mapping[str, Callable[[Summary], pd.DataFrame | Prose]] = {
    "exceptions": tables.exceptions,
    "outcomes": tables.outcomes,
    "designs": several_figures.designs,
    "quiet_levels": several_figures.levels,
    "patience": tables.patience,
    "standing_claims": tables.standing_claims,
}
