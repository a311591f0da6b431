"""The chapter's tables: coverage that is not as promised, and verdicts by claim and by how a run is visited."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pandas as pd

from benchbook.chapters.calibration import verdicts
from benchbook.chapters.calibration.shares import Summary, off, ranged
from benchbook.chapters.calibration.simulation import decisions
from benchbook.chapters.calibration.simulation.luck import ALL, LEVEL_DESIGNS, MET
from benchbook.chapters.calibration.simulation.visits import DESIGNS
from benchbook.figures import Prose
from benchbook.model import Estimate


def exceptions(summary: Summary) -> pd.DataFrame | Prose:
    """Where a coverage is not as promised from six blocks up: one row per interval and finding, with the ranges.

    A sentence where there is nothing.
    """
    found = off(summary)
    if found.empty:
        return Prose("No interval's coverage lies outside its target.")
    rows = []
    for (interval, what), part in found.groupby(["interval", "finding"], sort=False):
        families, sizes = list(dict.fromkeys(part["family"])), sorted(part["n"].unique())
        every = len(families) > 1 and len(families) == len(summary.parameters.families)
        named = {"interval": interval, "covers": what, "families": "all" if every else ", ".join(families)}
        rows.append(named | {"n": ", ".join(map(str, sizes)), "coverage (%)": ranged(part["coverage (%)"])})
    return pd.DataFrame(rows).set_index("interval")


def outcomes(summary: Summary) -> pd.DataFrame:
    """Share of each verdict by claim and true effect, family shown, with the default number of blocks."""
    cell, rows = summary.shown_cell, []
    for (rule, title), ratio in product(verdicts.CLAIMS.items(), summary.parameters.effects):
        shares = {f"{each} (%)": _percent(summary.verdicts(rule, cell, each, ratio)) for each in decisions.OUTCOMES}
        false = {"false (%)": _percent(summary.false_verdicts(rule, cell, ratio))}
        rows.append({"claim": title, "true ratio": f"{ratio:g}", **shares, **false})
    return pd.DataFrame(rows).set_index(["claim", "true ratio"])


def rule(summary: Summary) -> pd.DataFrame:
    """One row per way of visiting and looking: untrue verdicts at worst, and what is decided, in %."""
    rows = []
    for way, name in verdicts.VISITS.items():
        row: dict[str, object] = {"visits": name}
        for move in sorted(summary.parameters.visit_moves):
            for large in (False, True):
                if edges := verdicts.edges(summary, large=large):
                    worst = verdicts.untrue(summary, strategies=[way], moves=[move], edges=edges)
                    size = f"above {verdicts.LARGE:g}" if large else f"up to {verdicts.LARGE:g}"
                    row[f"untrue, visits move by {100 * move:g} %, ratios {size} (%)"] = _percent(worst.share)
        row["decided 0.10 from the edge (%)"] = _percent(verdicts.found(summary, way))
        row["equal arms: no effect (%)"] = _percent(verdicts.no_effect(summary, way)) if way in DESIGNS else ""
        rows.append(row)
    return pd.DataFrame(rows).set_index("visits")


def levels(summary: Summary) -> pd.DataFrame:
    """One row per design and spread between visits: verdicts on a level that are untrue on the edge, in %."""
    rows = [
        {
            "visits": verdicts.VISITS[design], "visits differ by (%)": 100 * sd,
            "untrue of all visits (%)": _percent(verdicts.level(summary, design, sd, ALL)),
            "untrue of the visits met (%)": _percent(verdicts.level(summary, design, sd, MET)),
        }
        for design, sd in product(LEVEL_DESIGNS, sorted(summary.parameters.visit_sds))
    ]  # fmt: skip
    return pd.DataFrame(rows).set_index("visits")


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)


TABLES: Mapping[str, Callable[[Summary], pd.DataFrame | Prose]] = {
    each.__name__: each for each in (exceptions, outcomes, rule, levels)
}
