"""What the page names of coverage, verdicts and power, and of visits to machines that move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import product
from types import SimpleNamespace
from typing import Any

from benchbook.chapters.calibration import catalogue, verdicts
from benchbook.chapters.calibration.arms import FEELING, LABELS, PROCESSORS, alone_name
from benchbook.chapters.calibration.arms import cell_name as cell_of
from benchbook.chapters.calibration.catalogue import ALL as INTERVALS
from benchbook.chapters.calibration.catalogue import LIMIT, SMALLEST, TARGET_LOW
from benchbook.chapters.calibration.shares import Summary, Worst, book_table, off, ranged, ranges, seldom
from benchbook.chapters.calibration.simulation import luck
from benchbook.chapters.calibration.simulation.distributions import STALLED
from benchbook.chapters.calibration.simulation.luck import ALL, MET
from benchbook.chapters.calibration.simulation.visits import AGAIN, PLAIN, SIDES
from benchbook.chapters.calibration.simulation.worlds import FEW_MISSES
from benchbook.chapters.calibration.simulation.wrong_ways import BOOTSTRAPPED
from benchbook.chapters.calibration.tables import TABLES
from benchbook.claims import Quantity
from benchbook.model import Estimate
from benchbook.numbers.estimands import custom
from benchbook.numbers.quantities import percent
from benchbook.numbers.summary import NotEstimableError
from benchbook.statistics.multiplicity import FAR_SD, NEAR_SD

__all__ = ["NUMBERS", "TABLES", "WORDS", "Summary"]
STRESS = LABELS["stalls"]
"""The family that no interval of a single configuration is made for; the others are the ones that it must hold in."""
FINDINGS = {
    "as promised": "as promised", "undecided": "too close to an edge of the target to tell",
    "too often": "more often than promised", "too seldom": "too seldom",
}  # fmt: skip

SHOWN_WORST = ("one", "few", "many", "uneven", "again")
"""Groups of ways of visiting whose worst case is told."""


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
    known = {each.label: each.reason for each in INTERVALS.values()}
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


def _rule(summary: Summary) -> list[SimpleNamespace]:
    """For each share that a visit moves a ratio by: untrue verdicts at worst by group of ways, up to 3 and above."""
    return [
        SimpleNamespace(
            move=100 * move,
            small=_at_worst(summary, move, large=False),
            large=_at_worst(summary, move, large=True) if verdicts.edges(summary, large=True) else {},
        )
        for move in sorted(summary.parameters.visit_moves)
    ]


def _at_worst(summary: Summary, move: float, *, large: bool) -> dict[str, Worst[verdicts.Case]]:
    edges = verdicts.edges(summary, large=large)
    return {
        name: verdicts.untrue(summary, strategies=ways, moves=[move], edges=edges)
        for name, ways in verdicts.GROUPS.items()
    }


def _power(summary: Summary) -> list[tuple[str, list[tuple[float, Estimate, Estimate]]]]:
    """What each way decides where visits move least, on one model: 0.10 from an edge up to 3; no effect; by noise."""
    p = summary.parameters
    where: dict[str, Iterable[Any]] = {"moves": [min(p.visit_moves)], "processors": ["one"], "arms": ["alike"]}
    where["edges"] = verdicts.edges(summary, large=False) or p.edge_ratios
    return [
        (verdicts.VISITS[way], [
            (100 * sd, verdicts.found(summary, way, block_sds=[sd], **where), verdicts.no_effect(summary, way, [sd]))
            for sd in sorted(p.block_sds)
        ])
        for way in ("2x4", "4x3")
    ]  # fmt: skip


def _models(summary: Summary) -> dict[str, SimpleNamespace]:
    """Untrue verdicts at worst and decided ones of visits of equal length, by how many processor models they meet."""
    ways = verdicts.GROUPS["few"] + verdicts.GROUPS["many"]
    return {
        name: SimpleNamespace(
            untrue=verdicts.untrue(summary, strategies=ways, processors=[name]).share,
            found=verdicts.found(summary, "4x3", processors=[name]),
        )
        for name in PROCESSORS
    }


def _excess(summary: Summary) -> tuple[float, float]:
    """By how many points looking again raises the mean share of untrue verdicts: later at 99 %, and at 95 %."""
    planned, later, plain = (verdicts.mean_untrue(summary, way).point for way in ("2x4", AGAIN, PLAIN))
    return 100 * (later - planned), 100 * (plain - planned)


def _luck(summary: Summary) -> SimpleNamespace:
    """Coverage and A/A alarms of each way where visits differ least and most; held: where they agree by luck."""
    design, sds = verdicts.luck_design(summary), summary.parameters.visit_sds
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


WORDS: Mapping[str, Callable[[Summary], Any]] = {
    "in_words": lambda summary: in_words,
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
    "wrong": lambda summary: ranges(summary, (*catalogue.WRONG, *catalogue.WRONG_WITHIN)),
    "alone": _alone,
    # runs of what draws its own resamples
    "slow_runs": lambda summary: (
        summary.run.blocks * min(summary.parameters.slow_repetitions, summary.parameters.repetitions)
    ),
    "shown_family": lambda summary: LABELS[summary.shown_family],
    "shown_size": lambda summary: summary.shown_size,
    "excluded": lambda summary: sum(summary.excluded(summary.shown_cell, 1.0, side).point for side in SIDES),
    "seldom_of": seldom,
    "most_false": _most_false,
    "planted": _found,
    # visits
    "rule_of": _rule,
    "rule_power": _power,
    "models": _models,
    "excess": _excess,
    "felt": lambda summary: FEELING,
    "large": lambda summary: verdicts.LARGE,
    "groups": lambda summary: SHOWN_WORST,
    "block_sds": lambda summary: [f"{100 * each:g}" for each in sorted(summary.parameters.block_sds)],
    "moves": lambda summary: [f"{100 * each:g}" for each in sorted(summary.parameters.visit_moves)],
    "other_sds": lambda summary: (NEAR_SD, FAR_SD),
    "luck_of": _luck,
    "level_of": lambda summary: {
        of: verdicts.level(summary, "2x4", max(summary.parameters.visit_sds), of) for of in (ALL, MET)
    },
    "others": lambda summary: ranges(summary, (*catalogue.SHAPES, *catalogue.WITHIN)),
}
