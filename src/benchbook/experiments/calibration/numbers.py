"""What the page names of coverage, verdicts and power, of machines that move and of several sessions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

from benchbook.claims import Quantity
from benchbook.experiments.calibration import catalogue, verdicts
from benchbook.experiments.calibration.arms import ALIKE, FAR, FEELING, LABELS, SENSITIVITIES, STATES, alone_name
from benchbook.experiments.calibration.arms import cell_name as cell_of
from benchbook.experiments.calibration.catalogue import ALL, LIMIT, SMALLEST, TARGET_LOW
from benchbook.experiments.calibration.shares import Design, Summary, Worst, book_table, off, ranged, ranges, seldom
from benchbook.experiments.calibration.simulation import luck, machine, several
from benchbook.experiments.calibration.simulation.distributions import STALLED
from benchbook.experiments.calibration.simulation.several import DATES, DAY, QUIET, SLOPES, STATES_MET
from benchbook.experiments.calibration.simulation.worlds import FEW_MISSES
from benchbook.experiments.calibration.simulation.wrong_ways import BOOTSTRAPPED
from benchbook.experiments.calibration.tables import TABLES
from benchbook.experiments.calibration.verdicts import decided, moving, moving_worst, only, others, untrue
from benchbook.experiments.shape.estimands import custom
from benchbook.experiments.shape.named import percent
from benchbook.experiments.shape.summary import NotEstimableError
from benchbook.model import Estimate

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary"]
STRESS = LABELS["stalls"]
"""The family that no interval of a single configuration is made for; the others are the ones that it must hold in."""
FINDINGS = {
    "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
    "too often": "more often than promised", "too seldom": "too seldom",
}  # fmt: skip
LARGE = 2.0
"""The ratio by which the rules are compared."""


def in_words(share: Estimate) -> str:
    """A share in a sentence: in % with its interval, with more digits where it is small."""
    point, low, high = (100 * each for each in (share.point, share.low, share.high))
    digits = 1 if share.point >= 0.1 else 2
    return f"{point:.{digits}f} % [{low:.{digits}f}, {high:.{digits}f}]"


def _most_false(summary: Summary) -> Worst[tuple[str, str, int]]:
    """The largest share of verdicts that find an effect where there is none; by claim, family and number of blocks."""
    p = summary.parameters
    found = {
        (claim, LABELS[family], n): summary.false_verdicts(rule, cell_of(family, n))
        for (rule, claim), family, n in product(verdicts.CLAIMS.items(), p.families, sorted(p.sizes))
    }
    return Worst(*max(found.items(), key=lambda each: each[1].point))


NUMBERS = {
    "false_at_most": percent(custom(lambda summary: _most_false(summary).share, Quantity.COUNTER)),
}


def _cases(summary: Summary, *, stalled: bool) -> SimpleNamespace:
    """The cases of the families that the intervals are made for, or of stalled trials; and which cover too seldom.

    lines: of these each interval, its sizes and the range of its coverage.
    """
    found = book_table(summary)
    found = found[(found["family"] == STRESS) == stalled]
    counts, few = found["finding"].value_counts(), found[found["finding"] == "too seldom"]
    return SimpleNamespace(
        all=len(found),
        findings=[(counts[name], text) for name, text in FINDINGS.items() if name in counts],
        seldom=len(few),
        coverage=ranged(few["coverage (%)"]) if len(few) else "",
        lines=[
            (interval, sorted(part["n"].unique()), ranged(part["coverage (%)"]))
            for interval, part in few.groupby("interval", sort=False)
        ],
    )


def _reasons(summary: Summary) -> list[tuple[list[str], str]]:
    """Intervals whose coverage is not as promised, by the reason for it."""
    known = {each.label: each.reason for each in ALL.values()}
    labels = list(dict.fromkeys(off(summary)["interval"]))
    return [
        ([label for label in labels if known[label] == reason], reason)
        for reason in dict.fromkeys(known[label] for label in labels)
    ]


def _found(summary: Summary) -> list[tuple[float, float, int]]:
    """Each planted effect, how often the size shown finds it (both in %), and the blocks at which 80 % of runs do."""
    rows = []
    for ratio in summary.parameters.effects[1:]:
        found = {n: summary.excluded(cell_of(summary.shown_family, n), ratio) for n in sorted(summary.parameters.sizes)}
        fewest = next((n for n, share in found.items() if share.point >= 0.8), 0)
        rows.append((100 * (ratio - 1), 100 * found[summary.shown_size].point, fewest))
    return rows


def _alone(summary: Summary) -> SimpleNamespace:
    """Coverage in % where one arm alone stalls, by interval and spread for each number of blocks; what a run shows."""
    p = summary.parameters
    sizes = [n for n in sorted(p.sizes) if n >= SMALLEST]
    if not sizes:
        raise NotEstimableError(f"no runs of {SMALLEST} blocks or more were simulated", "ask for some in sizes")

    def shares(sd: float, count: str, runs: str) -> list[float]:
        return [100 * summary.share(alone_name(sd, n), count, runs).point for n in sizes]

    intervals = [
        (each.label, sd, shares(sd, f"{each.name}_covered", f"{each.name}_runs"))
        for each, sd in product(catalogue.ALONE, p.alone_sds)
    ]
    found = ("alone_found", "alone_missed_unseen")
    seen = [(sd, *(shares(sd, count, "alone_median_runs") for count in found)) for sd in p.alone_sds]
    return SimpleNamespace(sizes=sizes, intervals=intervals, seen=seen)


def _highest(count: str, rule: str, summary: Summary) -> Worst[str]:
    """The state in which a rule errs most, averaged over claims, true ratios and arms."""
    found = {state: moving(summary, rule, count, states=[state]) for state in summary.parameters.states}
    return Worst(*max(found.items(), key=lambda each: each[1].point))


def _large(summary: Summary) -> list[tuple[float, Estimate, Estimate, Estimate]]:
    """How often large ratios are decided, overall and with arms that feel a movement more alike; and by the veto."""
    near = [name for name, (base, changed) in SENSITIVITIES.items() if abs(base - changed) <= 0.5]
    ratios, rows = summary.parameters.state_ratios, []
    for ratio in sorted({LARGE, max(ratios)} & {each for each in ratios if each >= LARGE}):
        ask = partial(moving, summary, count=verdicts.DECIDED, claims=["greater"], ratios=[ratio])
        rows.append((ratio, ask("new"), ask("new", arms=near), ask("earlier")))
    return rows


def _agreeing(summary: Summary) -> list[tuple[str, Estimate, Estimate]]:
    """How often two sessions that agree are wrong about the quiet machine: on average, at worst, by kind of claim."""
    asked = summary, "new", verdicts.FALSE_QUIET
    mean, far = partial(moving, *asked), partial(moving_worst, *asked)
    return [(name, mean(claims=[kind]), far(claims=[kind]).share) for kind, name in verdicts.KINDS.items()]


def _met(rule: str, of: str, states: Callable[[Summary], Iterable[str]], summary: Summary) -> dict[str, Worst[str]]:
    """Verdicts over several sessions untrue of something at worst, by pair of arms."""
    return {arms: untrue(summary, [arms], rule, of, states(summary)) for arms in FEELING}


def _fewest_sessions(summary: Summary) -> list[tuple[Design, Estimate, Estimate | None]]:
    """What the designs with the fewest sessions decide of equal arms; and on a quiet machine, where it is there."""
    calm, fewest = only(summary, "quiet"), summary.designs[0].sessions
    ask = partial(decided, summary, ALIKE, DATES, verdicts.NOTHING)
    shown = [each for each in summary.designs if each.sessions == fewest]
    return [(each, ask([each]), ask([each], calm) if calm else None) for each in shown]


def _luck(summary: Summary) -> SimpleNamespace:
    """Coverage and A/A alarms of each way where sessions differ least and most; held: where they agree by luck."""
    design, sds = verdicts.luck_design(summary), summary.parameters.session_sds
    counts = ["lucky", *(f"{way}_{what}" for way in luck.WAYS for what in ("covered", "alarms"))]
    least, most = (
        {count: verdicts.luck(summary, sd, design, count) for count in counts} for sd in (min(sds), max(sds))
    )
    held = {
        way: verdicts.luck(summary, min(sds), design, f"{way}_lucky_covered", "lucky")
        for way in luck.WAYS
        if least["lucky"].point
    }
    return SimpleNamespace(design=design, least=least, most=most, held=held)


def _hosts(summary: Summary) -> list[tuple[float, list[tuple[tuple[int, int], Estimate, Estimate]]]]:
    """How often "depends on the host" is said, by true factor and split: without and with the F test."""
    ask = partial(verdicts.hosts, summary, max(summary.parameters.session_sds))
    return [
        (ratio, [(split, ask(split, ratio, "apart"), ask(split, ratio, "told")) for split in luck.SPLITS])
        for ratio in summary.parameters.host_ratios
    ]


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "in_words": lambda summary: in_words,
    "run": lambda summary: summary.run,
    "state_names": lambda summary: STATES,
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
    "wrong": lambda summary: ranges(summary, (*catalogue.WRONG, *catalogue.WRONG_WITHIN)),
    "alone": _alone,
    # runs of what draws its own resamples
    "slow_runs": lambda summary: (
        summary.run.blocks * min(summary.parameters.slow_repetitions, summary.parameters.repetitions)
    ),
    "shown_family": lambda summary: LABELS[summary.shown_family],
    "shown_size": lambda summary: summary.shown_size,
    "excluded": lambda summary: sum(summary.excluded(summary.shown_cell, 1.0, side).point for side in verdicts.SIDES),
    "seldom_of": seldom,
    "half_width_shown": lambda summary: 100 * math.expm1(summary.metrics[summary.shown_cell]["ratio_width"] / 2),
    "most_false": _most_false,
    "planted": _found,
    # machines that move
    "sensitivities": lambda summary: [*SENSITIVITIES.values()],
    "felt": lambda summary: FEELING,
    "trials_of_block": lambda summary: machine.ARMS,
    "canary_percent": lambda summary: 100 * machine.SPREAD,
    "decided": lambda summary: {rule: moving(summary, rule, verdicts.DECIDED) for rule in ("none", "earlier", "new")},
    "highest": partial(_highest, verdicts.FALSE_QUIET, "new"),
    "highest_own": partial(_highest, verdicts.FALSE_OWN, "new"),
    "highest_earlier": partial(_highest, verdicts.FALSE_QUIET, "earlier"),
    "worst_case": lambda summary: {
        r: moving_worst(summary, r, verdicts.FALSE_QUIET) for r in ("none", "earlier", "new")
    },
    "large_ratios": _large,
    "agreeing": _agreeing,
    "agreeing_own": lambda summary: moving_worst(summary, "new", verdicts.FALSE_OWN, claims=verdicts.KINDS),
    # several sessions
    "pair": lambda summary: verdicts.ARMS,
    "designs": lambda summary: summary.designs,
    "met": partial(_met, DATES, STATES_MET, partial(others, state="follow")),
    "met_following": partial(_met, DAY, STATES_MET, partial(only, state="follow")),
    "met_in_turns": lambda summary: untrue(summary, [FAR], DATES, STATES_MET, only(summary, "follow")),
    "quiet": partial(_met, DATES, QUIET, lambda summary: summary.parameters.states),
    "fewest_sessions": _fewest_sessions,
    "decided_in_all": lambda summary: decided(summary, ALIKE, DATES, verdicts.NOTHING),
    "decided_earlier": lambda summary: decided(summary, ALIKE, SLOPES, verdicts.NOTHING),
    "no_effect": lambda summary: [decided(summary, ALIKE, DATES, verdicts.SAME, [each]) for each in summary.designs],
    "luck_of": _luck,
    "host_shares": _hosts,
    "quiet_levels": lambda summary: {
        level: untrue(summary, [FAR], level, QUIET, others(summary, "level")) for level in several.LEVELS
    },
    "never_quiet": lambda summary: untrue(summary, [FAR], several.READ, QUIET, only(summary, "level")),
    "standing_errors": lambda summary: {
        kind: untrue(summary, FEELING, kind, "", others(summary, "follow")) for kind in several.KINDS
    },
}
