"""The chapter's tables: coverage that is not as promised, and verdicts by claim, by what was measured and by rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from itertools import product

import pandas as pd

from benchbook.experiments.calibration import verdicts
from benchbook.experiments.calibration.arms import FEELING, LEVELS, STATES, patience_name
from benchbook.experiments.calibration.shares import Design, Summary, Worst, off, ranged
from benchbook.experiments.calibration.simulation import decisions, levels
from benchbook.experiments.calibration.simulation.several import QUIET, STATES_MET
from benchbook.experiments.calibration.verdicts import DECIDED, FALSE_OWN, FALSE_QUIET, NOTHING, SAME
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


def patience(summary: Summary) -> pd.DataFrame:
    """How often a claim of more is decided, in %, by what was measured: what looks at the canary and sessions add."""
    rows = []
    for rule, name in PATIENCE.items():
        case, far = verdicts.moving_worst(summary, rule, FALSE_QUIET)
        decided = {
            f"ratio {ratio:g}": _percent(verdicts.moving(summary, rule, DECIDED, claims=["greater"], ratios=[ratio]))
            for ratio in sorted(summary.parameters.state_ratios)
        }
        rows.append({"measured": name, **decided, "false at worst": _percent(far), "where": STATES[case.state]})
    return pd.DataFrame(rows).set_index("measured")


def standing_claims(summary: Summary) -> pd.DataFrame:
    """Levels, shapes and spreads of trials: decided and false verdicts by rule, in %, over all states and arms."""
    shown = {"decided": DECIDED, "false for the run": FALSE_OWN, "false for the quiet machine": FALSE_QUIET}
    rows = []
    for (kind, name), rule in product(verdicts.KINDS.items(), levels.RULES):
        case, far = verdicts.moving_worst(summary, rule, FALSE_QUIET, claims=[kind])
        shares = {
            f"{title} (%)": _percent(verdicts.moving(summary, rule, count, claims=[kind]))
            for title, count in shown.items()
        }
        words = "two sessions agree" if rule == "new" else verdicts.RULES[rule]
        named = {"claim on": name, "rule": words}
        rows.append(named | shares | {"at worst (%)": _percent(far), "where": STATES[case.state]})
    return pd.DataFrame(rows).set_index(["claim on", "rule"])


def designs(summary: Summary) -> pd.DataFrame:
    """One row per pair of arms, design and rule: untrue verdicts at worst, and what is decided of equal arms."""
    held = {
        "untrue of the states met": (STATES_MET, verdicts.others(summary, "follow")),
        "each session follows the last": (STATES_MET, verdicts.only(summary, "follow")),
        "untrue of the quiet machine": (QUIET, summary.parameters.states),
    }
    rows = []
    for arms, design, (rule, words) in product(FEELING, summary.designs, verdicts.OVER_SESSIONS.items()):
        named = {"arms": verdicts.ARMS[arms], "design": design.words, "rule": words}
        rows.append(named | _untrue(summary, arms, rule, held, [design]) | {
            f"decided: {title} (%)": _percent(verdicts.decided(summary, arms, rule, claim, [design]))
            for title, claim in (("14 % more", NOTHING), ("the best setting", SAME))
        })  # fmt: skip
    return pd.DataFrame(rows).set_index(["arms", "design", "rule"])


def quiet_levels(summary: Summary) -> pd.DataFrame:
    """One row per pair of arms and way in which the quiet level is found: what "also on a quiet machine" is worth."""
    held = {
        "untrue": (QUIET, verdicts.others(summary, "level")),
        "on a machine never quiet": (QUIET, verdicts.only(summary, "level")),
    }
    rows = []
    for arms, (level, words) in product(FEELING, LEVELS.items()):
        cells = [summary.metrics[patience_name(state, arms)] for state in summary.parameters.states]
        w = sum(cell[f"{summary.designs[0].name}_{level}_w"] for cell in cells) / len(cells)
        rows.append(
            {"arms": verdicts.ARMS[arms], "quiet level": words, "w (%)": round(100 * math.expm1(w), 1)}
            | _untrue(summary, arms, level, held)
            | {"“yes” where 14 % more is claimed (%)": _percent(verdicts.decided(summary, arms, level, NOTHING))}
        )
    return pd.DataFrame(rows).set_index(["arms", "quiet level"])


def _untrue(
    summary: Summary, arms: str, rule: str, held: Mapping[str, tuple[str, Iterable[str]]], of: Iterable[Design] = ()
) -> dict[str, object]:
    """Cells with the untrue verdicts at worst and where. held: by heading, against what and in which states, if any."""
    found: dict[str, Worst[str]] = {
        heading: verdicts.untrue(summary, [arms], rule, against, states, of)
        for heading, (against, states) in held.items()
        if states
    }
    return {f"{heading} (%)": f"{_percent(share):.1f} ({STATES[state]})" for heading, (state, share) in found.items()}


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)


TABLES: Mapping[str, Callable[[Summary], pd.DataFrame | Prose]] = {
    each.__name__: each for each in (exceptions, outcomes, designs, quiet_levels, patience, standing_claims)
}
