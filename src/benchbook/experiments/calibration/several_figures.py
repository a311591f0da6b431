"""Runs over several sessions as figures and tables: untrue verdicts, sessions that agree by luck, kinds of hosts."""

from __future__ import annotations

import math

import pandas as pd

from benchbook.experiments.calibration import several
from benchbook.experiments.calibration.arms import FEELING, STATES, hosts_name
from benchbook.experiments.calibration.panels import Panel, drawn
from benchbook.experiments.calibration.several import ARMS, NOTHING, SAME, luck_design
from benchbook.experiments.calibration.simulation.luck import BLOCKS, MEANS, SPLITS, WIDER
from benchbook.experiments.calibration.simulation.several import (
    DATES,
    DAY,
    KNOWN,
    NOISY,
    QUIET,
    READ,
    SLOPES,
    STATES_MET,
)
from benchbook.experiments.calibration.summary import Summary, in_percent
from benchbook.experiments.shape.drawn import Drawn
from benchbook.model import Estimate

ONE_SIDE = 2.5
"""In %: how often a 95 % interval lies wholly on one side of the truth."""
RULES = {DATES: "three dates, or in turns", DAY: "one or two dates", SLOPES: "earlier rule"}
"""How tables call the rules for several sessions."""
LEVELS = {KNOWN: "known", READ: "read from other sessions", NOISY: "read by a noisy canary"}
"""How the processor's quiet level is found."""
WAYS = {MEANS: "means of sessions", BLOCKS: "blocks", WIDER: "the wider of both"}


def states_met(summary: Summary) -> Drawn:
    """Untrue verdicts of the present rule by how unequally two arms feel the machine, and what it decides."""
    p = summary.parameters
    free, tied = several.independent(summary), several.following(summary)
    asked = {
        "untrue of the states met, sessions independent": (DATES, STATES_MET, free),
        "untrue of the states met, each session follows the last": (DAY, STATES_MET, tied),
        "untrue of the quiet machine": (DATES, QUIET, p.states),
    }
    panels: list[Panel] = []
    rows: list[dict[str, object]] = []

    def add(title: str, curves: dict[str, dict[float, Estimate]], promise: float | None) -> None:
        panels.append(Panel(title, curves, promise=promise))
        for name, points in curves.items():
            rows.extend({"what": title, "design": name, "feels": n} | in_percent(e) for n, e in points.items())

    every = several.designs(summary)
    for title, (rule, of, states) in asked.items():
        if states:
            add(title, {
                each.words: {
                    felt: several.error(summary, arms, rule, of, states, [each]).share for arms, felt in FEELING.items()
                }
                for each in every
            }, ONE_SIDE)  # fmt: skip
    add("decided: no effect, where 14 % more is claimed", {
        each.words: {felt: several.decided(summary, arms, DATES, NOTHING, [each]) for arms, felt in FEELING.items()}
        for each in every
    }, None)  # fmt: skip
    said = "; ".join(
        f"{panel.title}: up to {max(100 * e.point for e in panel.estimates):.1f} %" for panel in panels[:-1]
    )
    return drawn(
        panels, pd.DataFrame(rows), said, n=len(panels),
        origin=summary.origin(p.state_repetitions, "state and pair of arms"),
        x_title="share of the slowdown that the changed arm feels", y_title="runs (%)", lowest=0.0, hover="feels",
    )  # fmt: skip


def luck(summary: Summary) -> Drawn:
    """Coverage, also where sessions agree by luck, and alarms of the A/A gate, by what is taken for the replicate."""
    p, shown, rows = summary.parameters, luck_design(summary), []
    panels: dict[str, dict[str, dict[float, Estimate]]] = {
        "intervals that hold the truth": {}, "false alarms of the A/A gate": {},
    }  # fmt: skip
    for design in several.designs(summary):
        for way, name in WAYS.items():
            for sd in sorted(p.session_sds):
                found = several.luck(summary, sd, design, f"{way}_covered")
                alarms = several.luck(summary, sd, design, f"{way}_alarms")
                place = {"design": design.words, "replicates": name, "sessions differ by (%)": 100 * sd}
                rows.append({**place, "what": "covers", **in_percent(found)})
                rows.append({**place, "what": "A/A alarm", **in_percent(alarms)})
                if design == shown:
                    for panel, share in zip(panels.values(), (found, alarms), strict=True):
                        panel.setdefault(name, {})[100 * sd] = share
    promises = (95.0, 1.0)
    said = ", ".join(
        f"{name} {min(100 * e.point for e in points.values()):.1f} %"
        for name, points in panels["intervals that hold the truth"].items()
    )
    return drawn(
        [Panel(title, each, promise=promise) for (title, each), promise in zip(panels.items(), promises, strict=True)],
        pd.DataFrame(rows), said, origin=summary.origin(p.state_repetitions, "spread between sessions"),
        x_title="spread between sessions (%)", y_title="runs (%)", hover="spread",
    )  # fmt: skip


def hosts(summary: Summary) -> Drawn:
    """How often two kinds of hosts are told apart, with and without the F test, by how much sessions differ."""
    p, rows, panels = summary.parameters, [], []
    ways = {"apart": "intervals apart", "told": "intervals apart and F test"}
    for ratio in p.host_ratios:
        title = "no difference (false)" if ratio == 1 else f"a true factor of {ratio:g}"
        curves: dict[str, dict[float, Estimate]] = {}
        for split in SPLITS:
            for count, words in ways.items():
                name = f"{words}, {split[0]} + {split[1]} sessions"
                for sd in sorted(p.session_sds):
                    found = several.hosts(summary, hosts_name(sd), split, ratio, count)
                    curves.setdefault(name, {})[100 * sd] = found
                    rows.append({"hosts": title, "rule": name, "sessions differ by (%)": 100 * sd, **in_percent(found)})
        panels.append(Panel(title, curves, promise=5.0 if ratio == 1 else None))
    said = ", ".join(f"{name} {100 * max(e.point for e in points.values()):.1f} %"
                     for name, points in panels[0].curves.items())  # fmt: skip
    return drawn(
        panels, pd.DataFrame(rows), said, n=len(panels),
        origin=summary.origin(p.state_repetitions, "spread between sessions"),
        x_title="spread between sessions (%)", y_title="told apart (%)", lowest=0.0, hover="spread",
    )  # fmt: skip


def designs(summary: Summary) -> pd.DataFrame:
    """One row per pair of arms, design and rule: untrue verdicts at worst, and what is decided of equal arms."""
    rows = []
    for arms, name in ARMS.items():
        for design in several.designs(summary):
            for rule, words in RULES.items():
                row: dict[str, object] = {"arms": name, "design": design.words, "rule": words}
                for title, of, states in (
                    ("untrue of the states met (%)", STATES_MET, several.independent(summary)),
                    ("each session follows the last (%)", STATES_MET, several.following(summary)),
                    ("untrue of the quiet machine (%)", QUIET, summary.parameters.states),
                ):
                    if states:
                        far = several.error(summary, arms, rule, of, states, [design])
                        row[title] = f"{_percent(far.share):.1f} ({STATES[far.state]})"
                for title, claim in (("14 % more (%)", NOTHING), ("the best setting (%)", SAME)):
                    row[f"decided: {title}"] = _percent(several.decided(summary, arms, rule, claim, [design]))
                rows.append(row)
    return pd.DataFrame(rows).set_index(["arms", "design", "rule"])


def levels(summary: Summary) -> pd.DataFrame:
    """One row per pair of arms and way in which the quiet level is found: what "also on a quiet machine" is worth."""
    rows = []
    often = [state for state in summary.parameters.states if state != several.NEVER_QUIET]
    for arms, name in ARMS.items():
        for level, words in LEVELS.items():
            row: dict[str, object] = {"arms": name, "quiet level": words}
            row["w (%)"] = factor(summary, arms, f"{several.designs(summary)[0].name}_{level}_w")
            for title, states in (("untrue (%)", often), ("on a machine never quiet (%)", [several.NEVER_QUIET])):
                if set(states) <= set(summary.parameters.states):
                    far = several.error(summary, arms, level, QUIET, states)
                    row[title] = f"{_percent(far.share):.1f} ({STATES[far.state]})"
            row["“yes” where 14 % more is claimed (%)"] = _percent(
                several.decided(summary, arms, level, NOTHING, several.designs(summary))
            )
            rows.append(row)
    return pd.DataFrame(rows).set_index(["arms", "quiet level"])


def factor(summary: Summary, arms: str, name: str) -> float:
    """A mean half-width, or w, as how far it reaches to one side, in %."""
    return round(100 * math.expm1(several.width(summary, arms, name)), 1)


def _percent(estimate: Estimate) -> float:
    return round(100 * estimate.point, 1)
