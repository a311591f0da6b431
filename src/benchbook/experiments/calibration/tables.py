"""The chapter's tables: coverage that is not as promised, and verdicts by claim, by what was measured and by rule."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from benchbook.experiments.calibration.arms import STATES
from benchbook.experiments.calibration.moving import (
    DECIDED,
    FALSE_OWN,
    FALSE_QUIET,
    KINDS,
    RULES,
    WORDS,
    cases,
    share,
    worst,
)
from benchbook.experiments.calibration.simulation import decisions, levels
from benchbook.experiments.calibration.summary import Summary, book_table
from benchbook.figures import Prose
from benchbook.model import Estimate

PATIENCE = {
    "new_ends": "1 session, beside blocks",
    "new": "1 session, around trials",
    "sessions_ends": "4 sessions, earlier rule, beside blocks",
    "sessions": "4 sessions, earlier rule, around trials",
    "states": "4 sessions",
}
"""Rows of the table of patience, by rule."""


def off(summary: Summary) -> pd.DataFrame:
    """Rows of the book's table whose coverage is not as promised."""
    found = book_table(summary)
    return found[found["finding"].isin(["too seldom", "too often"])]


def exceptions(summary: Summary) -> pd.DataFrame | Prose:
    """Where a coverage is not as promised from six blocks up: one row per interval and finding, with the ranges.

    A sentence where there is nothing.
    """
    found = off(summary)
    if found.empty:
        return Prose("No interval's coverage lies outside its target.")
    rows = [
        {
            "interval": interval,
            "covers": what,
            "families": _families(summary, part),
            "n": listed(part["n"].unique()),
            "coverage (%)": ranged(part["coverage (%)"]),
        }
        for (interval, what), part in found.groupby(["interval", "finding"], sort=False)
    ]
    return pd.DataFrame(rows).set_index("interval")


def outcomes(summary: Summary) -> pd.DataFrame:
    """Share of each verdict by claim and true effect, family shown, with the default number of blocks."""
    cell = summary.shown_cell
    rows: list[dict[str, object]] = []
    for rule, title in WORDS.items():
        for ratio in summary.parameters.effects:
            shares = {f"{each} (%)": _percent(summary.verdicts(rule, cell, each, ratio)) for each in decisions.OUTCOMES}
            false = {"false (%)": _percent(summary.false_verdicts(rule, cell, ratio))}
            rows.append({"claim": title, "true ratio": f"{ratio:g}", **shares, **false})
    return pd.DataFrame(rows).set_index(["claim", "true ratio"])


def patience(summary: Summary) -> pd.DataFrame:
    """How often a claim of more is decided, in %, by what was measured: what looks at the canary and sessions add."""
    rows = []
    for rule, name in PATIENCE.items():
        case, far = worst(summary, rule, FALSE_QUIET, cases(summary))
        decided = {
            f"ratio {ratio:g}": _percent(
                share(summary, rule, DECIDED, cases(summary, claims=["greater"], ratios=[ratio]))
            )
            for ratio in sorted(summary.parameters.state_ratios)
        }
        rows.append({"measured": name, **decided, "false at worst": _percent(far), "where": STATES[case.state]})
    return pd.DataFrame(rows).set_index("measured")


def standing_claims(summary: Summary) -> pd.DataFrame:
    """Levels, shapes and spreads of trials: decided and false verdicts by rule, in %, over all states and arms."""
    rows = []
    for kind, name in KINDS.items():
        for rule in levels.RULES:
            tried = cases(summary, claims=[kind])
            case, far = worst(summary, rule, FALSE_QUIET, tried)
            rows.append(
                {
                    "claim on": name,
                    "rule": RULES[rule] if rule != "new" else "two sessions agree",
                    "decided (%)": _percent(share(summary, rule, DECIDED, tried)),
                    "false for the run (%)": _percent(share(summary, rule, FALSE_OWN, tried)),
                    "false for the quiet machine (%)": _percent(share(summary, rule, FALSE_QUIET, tried)),
                    "at worst (%)": _percent(far),
                    "where": STATES[case.state],
                }
            )
    return pd.DataFrame(rows).set_index(["claim on", "rule"])


def listed(values: Iterable[int]) -> str:
    """Numbers, rising."""
    return ", ".join(str(value) for value in sorted(values))


def ranged(values: pd.Series) -> str:
    """From the least to the most, with one decimal."""
    low, high = f"{values.min():.1f}", f"{values.max():.1f}"
    return low if low == high else f"{low} to {high}"


def _families(summary: Summary, part: pd.DataFrame) -> str:
    names = list(dict.fromkeys(part["family"]))
    return "all" if len(names) > 1 and len(names) == len(summary.parameters.families) else ", ".join(names)


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)
