"""The rule for visits, looks and kinds of host on simulated runs: how often it is untrue on the edge, what it decides.

The logarithm of a block's ratio is that of the edge, plus the block's noise, plus what the visit moves it by, plus, on
a second processor model, by how much this one differs. What is said of a run is "above" the edge, "below" it, or
nothing. Where the truth stands on the edge both are untrue, and nowhere is one of them untrue more often (item 20d).
Numbers are judged as ``statistics.visits.borne`` widens them, kinds of host as ``claims.together.by_host`` puts them
together, looks as ``shape.judging`` does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.chapters.calibration.arms import Parameters
from benchbook.chapters.calibration.simulation.coverage import TOLERANCE, Metrics
from benchbook.chapters.calibration.simulation.distributions import Array
from benchbook.chapters.calibration.simulation.ruling import Mask, Ruling, Said
from benchbook.claims.regions import EQUAL
from benchbook.errors import BenchbookError
from benchbook.numbers.sentences import WANTED_BLOCKS
from benchbook.statistics import intervals, laws
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.multiplicity import FAR_SD, NEAR, NEAR_SD
from benchbook.statistics.visits import (
    ALONE,
    FIRST,
    LATER,
    LEAST,
    LEAST_BLOCKS,
    LEVEL,
    MOST,
    PART,
    SMALL,
    borne,
    worth,
)

DESIGNS = {
    "1x6": (6,), "1x10": (10,), "2x4": (4, 4), "3x3": (3, 3, 3), "4x3": (3,) * 4, "6x2": (2,) * 6, "8_2": (8, 2),
}  # fmt: skip
"""Blocks of each visit of a run that is looked at once, when all of them are there."""
LOOKED, AGAIN, PLAIN, EARLY = (4,) * 6, "looks", "looks_95", "early"
"""Visits of a run that is looked at from the second on until it decides: later at 99 %, or at 95 % throughout; and one
that is judged after its first visit, at the price of ln 1.25, then with the second one of "8_2"."""
STRATEGIES = (*DESIGNS, AGAIN, PLAIN, EARLY)
AWAY = 0.10
"""How far from the edge, as a logarithm, the truth lies where it is to be found."""
SIDES = {"above": 1, "below": -1}


class Numbers(NamedTuple):
    """Log ratio of each run and half of its interval, over the edge; visits and blocks behind it; all (runs,).

    equal: how many visits of equal length these are worth.
    """

    point: Array
    half: Array
    visits: NDArray[np.int64]
    blocks: NDArray[np.int64]
    equal: Array


def measured(
    parameters: Parameters, part: float, block_sd: float, felt: float, processors: int, generator: np.random.Generator
) -> Metrics:
    """Metrics of one batch of machines: for each strategy and edge the untrue verdicts, and those found further off.

    part: by how much of its logarithm a visit moves a ratio. block_sd: noise of a block's log ratio. felt: how much of
    a visit's slowdown the changed arm feels. processors: models that visits may meet. Raises BenchbookError where the
    first run's interval is not the book's own.
    """
    p, shape = parameters, (parameters.visit_repetitions, len(LOOKED))
    noise = block_sd * generator.standard_normal((*shape, max(map(max, DESIGNS.values()))))
    moved, slowed = generator.standard_normal(shape), np.abs(generator.standard_normal(shape))
    other = generator.random(shape) < (p.other_processor if processors > 1 else 0.0)
    other[:, 0] = False
    apart = generator.standard_normal(shape[0])
    uneven = (felt - 1) * math.log1p(p.slower_percent / 100) * (slowed - math.sqrt(2 / math.pi))
    metrics: Metrics = {"visits_runs": float(shape[0])}
    for edge in map(math.log, (1.0, *p.edge_ratios)):
        differs = (FAR_SD if abs(edge) > NEAR else NEAR_SD) * apart
        logs = noise + (max(part * abs(edge), LEAST) * moved + uneven + other * differs[:, None])[..., None]
        if edge == 0.0:
            metrics |= {f"{name}_no_effect": float(same(logs, blocks).sum()) for name, blocks in DESIGNS.items()}
            continue
        on_edge, off = strategies(logs, other, edge), strategies(logs + AWAY, other, edge)
        for name, found in on_edge.items():
            named = f"{name}_{math.exp(edge):g}".replace(".", "_")
            metrics |= {f"{named}_{side}": float(found.untrue(by, differs).sum()) for side, by in SIDES.items()}
            metrics[f"{named}_found"] = float(off[name].decided.sum())
    return metrics


def strategies(logs: Array, other: Mask, edge: float) -> dict[str, Ruling]:
    """What each strategy says of each run. logs: over the edge, (runs, visits, blocks); other: on the second model."""
    found = {name: ruled(logs, other, blocks, edge) for name, blocks in DESIGNS.items()}
    found[EARLY] = ruled(logs, other, DESIGNS["8_2"][:1], edge).then(found["8_2"])
    for name, confidence in ((AGAIN, LATER), (PLAIN, FIRST)):
        found[name] = found["2x4"]
        for visits in range(3, len(LOOKED) + 1):
            found[name] = found[name].then(ruled(logs, other, LOOKED[:visits], edge, confidence))
    return found


def ruled(logs: Array, other: Mask, blocks: Sequence[int], edge: float, confidence: float = FIRST) -> Ruling:
    """One look at runs that have so many blocks in each of their visits."""
    most = max(blocks)
    values, second = logs[:, : len(blocks), :most], other[:, : len(blocks), None]
    there = np.broadcast_to(np.arange(most) < np.array(blocks)[:, None], values.shape)
    every = numbers(values, there, confidence)
    check(values[0][there[0]], np.repeat(range(len(blocks)), blocks), edge, confidence, every)
    whole = said(every, edge)
    if not second.any():
        nothing = np.zeros_like(whole)
        return Ruling(whole, (nothing, nothing), nothing.astype(bool), np.zeros(len(whole)))
    first, last = (numbers(values, there & kind, confidence) for kind in (~second, second))
    both = (first.blocks >= LEAST_BLOCKS) & (last.blocks >= LEAST_BLOCKS)
    with np.errstate(invalid="ignore"):
        disjoint = np.abs(first.point - last.point) > first.half + last.half
    means = _means(values, there)
    kinds = said(first, edge) * both, said(last, edge) * both
    return Ruling(whole, kinds, both & disjoint & _differ(means, second[..., 0]), last.blocks / every.blocks)


def numbers(values: Array, there: Mask, confidence: float) -> Numbers:
    """As ``intervals.student`` with labels of visits: t on blocks, from four visits on the wider of it and t on means.

    values, there: shape (runs, visits, blocks); what is not there is no part of a run. Fewer than two blocks have no
    end.
    """
    point, half, blocks = _student(values.reshape(len(values), -1), there.reshape(len(values), -1), confidence)
    met = np.asarray(there.any(axis=-1))
    over, wide, visits = _student(_means(values, there), met, confidence)
    wider = (visits >= VISITS) & (wide > half)
    counts = there.sum(axis=-1)
    equal = counts.sum(axis=-1) ** 2 / np.maximum((counts**2).sum(axis=-1), 1)
    return Numbers(np.where(wider, over, point), np.where(wider, wide, half), visits, blocks, np.maximum(equal, 1.0))


def said(found: Numbers, edge: float) -> Said:
    """What the widened interval says; nothing below six blocks."""
    half = carried(found, edge)
    able = found.blocks >= WANTED_BLOCKS
    with np.errstate(invalid="ignore"):
        return (able & (found.point > half)).astype(np.int8) - (able & (found.point < -half)).astype(np.int8)


def carried(found: Numbers, edge: float) -> Array:
    """Half of the interval that has to give the verdict: the twin of ``statistics.visits.borne``."""
    moved = np.clip(PART * np.abs(edge + found.point), LEAST, MOST) / np.sqrt(found.equal)
    some = (found.visits > 1) & (found.visits < VISITS)
    return np.asarray(np.hypot(found.half, moved * some) + np.where(found.visits > 1, SMALL, ALONE))


def same(logs: Array, blocks: Sequence[int]) -> Mask:
    """Whether runs of equal arms are found to be the same within 5 %, all on one processor model."""
    values = logs[:, : len(blocks), : max(blocks)]
    there = np.broadcast_to(np.arange(max(blocks)) < np.array(blocks)[:, None], values.shape)
    found = numbers(values, there, FIRST)
    half = carried(found, 0.0)
    low, high = map(math.log, EQUAL)
    return np.asarray((found.point - half > low) & (found.point + half < high))


def check(logs: Array, visits: NDArray[np.int64], edge: float, confidence: float, found: Numbers) -> None:
    """Compare the first run's interval, widened, with the book's own; BenchbookError at a difference."""
    own = statistics.ratio(np.exp(edge + logs), np.ones_like(logs), visits=visits, confidence=confidence)
    wide = borne(own, int(visits.max()) + 1, worth(visits))[-1]
    half = float(carried(found, edge)[0])
    twin = [float(np.exp(edge + found.point[0] + by)) for by in (-half, half)]
    if not np.allclose(twin, [wide.low, wide.high], rtol=TOLERANCE):
        raise BenchbookError(
            f"the simulated ratio over visits has the ends {twin}, the book's own {[wide.low, wide.high]}",
            "mend calibration/simulation/visits.py: the two must be equal",
        )


def _means(values: Array, there: Mask) -> Array:
    """Of each visit, shape (runs, visits); 0 where it has no block."""
    return np.asarray((values * there).sum(axis=-1) / np.maximum(there.sum(axis=-1), 1))


def _student(values: Array, there: Mask, confidence: float) -> tuple[Array, Array, NDArray[np.int64]]:
    """Mean, half of its t interval, and number of the values that are there along the last axis."""
    n = there.sum(axis=-1)
    point = (values * there).sum(axis=-1) / np.maximum(n, 1)
    squares = (((values - point[..., None]) * there) ** 2).sum(axis=-1)
    by_n = np.array([np.inf, np.inf, *(intervals.critical(m, confidence) for m in range(2, there.shape[-1] + 1))])
    with np.errstate(invalid="ignore"):
        return point, by_n[n] * np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1)), n


def _differ(means: Array, second: Mask) -> Mask:
    """As ``hosts.apart``: whether the means of visits differ more between the kinds than within, by the F test."""
    sizes = np.stack([(~second).sum(axis=1), second.sum(axis=1)])
    sums = np.stack([(means * ~second).sum(axis=1), (means * second).sum(axis=1)])
    freedom = means.shape[1] - 2
    if freedom < 1:
        return np.zeros(len(means), dtype=bool)
    of_kind = sums / np.maximum(sizes, 1)
    within = ((means - np.where(second, of_kind[1][:, None], of_kind[0][:, None])) ** 2).sum(axis=1) / freedom
    between = sizes.prod(axis=0) / sizes.sum(axis=0) * (of_kind[0] - of_kind[1]) ** 2
    critical = laws.student_quantile(1 - LEVEL / 2, freedom) ** 2
    return np.asarray((between > within * critical) & (sizes.min(axis=0) > 0))
