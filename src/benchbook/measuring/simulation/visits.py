"""The rule for visits, looks and kinds of host on simulated runs: how often it is untrue on the edge, what it decides.

The logarithm of a block's ratio is that of the edge, plus the block's noise, plus what the visit moves it by, plus, on
a second processor model, by how much this one differs. What is said of a run is "above" the edge, "below" it, or
nothing. Where the truth stands on the edge both are untrue, and nowhere is one of them untrue more often (item 20d).
Numbers are judged as ``statistics.visits.borne`` widens them, kinds of host as ``claims.together.by_host`` puts them
together, looks as ``numbers.judging`` does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchbook import statistics
from benchbook.claims.regions import EQUAL
from benchbook.errors import BenchbookError
from benchbook.measuring.simulation.parameters import Parameters
from benchbook.measuring.simulation.worlds import Array, Metrics
from benchbook.numbers.sentences import WANTED_BLOCKS
from benchbook.statistics import intervals, laws
from benchbook.statistics import visits as rules
from benchbook.statistics.inputs import VISITS
from benchbook.statistics.multiplicity import FAR_SD, NEAR, NEAR_SD

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
Mask = NDArray[np.bool_]
Said = NDArray[np.int8]
"""Of each run: 1 where its verdict says "above" the edge of a claim, -1 "below", 0 open."""


class Numbers(NamedTuple):
    """Log ratio of each run over the edge, half of its interval, what is behind it; equal: visits of equal length."""

    point: Array
    half: Array
    visits: NDArray[np.int64]
    blocks: NDArray[np.int64]
    equal: Array


class Ruling(NamedTuple):
    """What is said of each run: of all blocks, of those on each kind of host, and whether these kinds lie apart.

    share: of the blocks on the second kind. No kind of its own where all ran on one: then 0, and not apart.
    """

    whole: Said
    kinds: tuple[Said, Said]
    apart: Mask
    share: Array

    def then(self, later: Ruling) -> Ruling:
        """The same where it decides, else what a later look says."""
        kept = self.decided
        one, other = (np.where(kept, *each) for each in zip(self.kinds, later.kinds, strict=True))
        whole, apart, share = (np.where(kept, self[place], later[place]) for place in (0, 2, 3))
        return Ruling(whole, (one, other), apart, share)

    @property
    def decided(self) -> Mask:
        """Whether the verdict is settled, or depends on the host."""
        return np.asarray((self.final != 0) | self.depends)

    @property
    def depends(self) -> Mask:
        """Whether two settled kinds of host differ."""
        return np.asarray(self.kinds[0] * self.kinds[1] < 0)

    @property
    def final(self) -> Said:
        """One verdict for all, 0 where it is open or depends on the host; as ``claims.together.by_host``."""
        one, other = self.kinds
        agree = (one == other) & (one != 0)
        alike = ((one == 0) | (one == self.whole)) & ((other == 0) | (other == self.whole))
        stands = ~self.apart & ((self.whole == 0) | alike)
        found = np.where(stands, self.whole, np.where(agree, one, 0))
        return np.where(self.depends, 0, found).astype(np.int8)

    def untrue(self, side: int, differs: Array) -> Mask:
        """Whether the verdict says so of what stands on the edge or beyond it.

        differs: by how much the second kind's truth lies above the first one's, which is the edge. A verdict for all is
        about the states met, its truth lies between the two; one that depends on the host is about each kind.
        """
        truths = np.zeros_like(differs), differs
        wrong = [(said == side) & (side * truth <= 0) for said, truth in zip(self.kinds, truths, strict=True)]
        both = self.depends | ((self.kinds[0] == side) & (self.kinds[1] == side) & (self.final == side))
        whole = (self.final == side) & (side * self.share * differs <= 0)
        return np.asarray(np.where(both, wrong[0] | wrong[1], whole))


def measured(
    p: Parameters, part: float, block_sd: float, felt: float, processors: int, generator: np.random.Generator
) -> Metrics:
    """Metrics of one batch of machines: for each strategy and edge the untrue verdicts, and those found further off.

    part: by how much of its logarithm a visit moves a ratio. block_sd: noise of a block's log ratio. felt: how much of
    a visit's slowdown the changed arm feels. processors: models that visits may meet. Raises BenchbookError where the
    first run's interval is not the book's own.
    """
    shape = p.visit_repetitions, len(LOOKED)
    noise = block_sd * generator.standard_normal((*shape, max(map(max, DESIGNS.values()))))
    moved, slowed = generator.standard_normal(shape), np.abs(generator.standard_normal(shape))
    other = generator.random(shape) < (p.other_processor if processors > 1 else 0.0)
    other[:, 0] = False
    apart = generator.standard_normal(shape[0])
    uneven = (felt - 1) * math.log1p(p.slower_percent / 100) * (slowed - math.sqrt(2 / math.pi))
    metrics: Metrics = {"visits_runs": float(shape[0])}
    for edge in map(math.log, (1.0, *p.edge_ratios)):
        differs = (FAR_SD if abs(edge) > NEAR else NEAR_SD) * apart
        visit = max(part * abs(edge), rules.LEAST) * moved + uneven + other * differs[:, None]
        logs = noise + visit[..., None]
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
    for name, confidence in ((AGAIN, rules.LATER), (PLAIN, rules.FIRST)):
        found[name] = found["2x4"]
        for visits in range(3, len(LOOKED) + 1):
            found[name] = found[name].then(ruled(logs, other, LOOKED[:visits], edge, confidence))
    return found


def ruled(logs: Array, other: Mask, blocks: Sequence[int], edge: float, confidence: float = rules.FIRST) -> Ruling:
    """One look at runs that have so many blocks in each of their visits."""
    values, there = _part(logs, blocks)
    second = other[:, : len(blocks), None]
    every = numbers(values, there, confidence)
    check(values[0][there[0]], np.repeat(range(len(blocks)), blocks), edge, confidence, every)
    whole = said(every, edge)
    if not second.any():
        nothing = np.zeros_like(whole)
        return Ruling(whole, (nothing, nothing), nothing.astype(bool), np.zeros(len(whole)))
    first, last = (numbers(values, there & kind, confidence) for kind in (~second, second))
    both = (first.blocks >= rules.LEAST_BLOCKS) & (last.blocks >= rules.LEAST_BLOCKS)
    with np.errstate(invalid="ignore"):
        disjoint = np.abs(first.point - last.point) > first.half + last.half
    kinds = said(first, edge) * both, said(last, edge) * both
    apart = both & disjoint & _differ(_means(values, there), second[..., 0])
    return Ruling(whole, kinds, apart, last.blocks / every.blocks)


def _part(logs: Array, blocks: Sequence[int]) -> tuple[Array, Mask]:
    """Values of so many blocks in each visit, and which of them are there."""
    values = logs[:, : len(blocks), : max(blocks)]
    return values, np.broadcast_to(np.arange(max(blocks)) < np.array(blocks)[:, None], values.shape)


def numbers(values: Array, there: Mask, confidence: float) -> Numbers:
    """As ``intervals.student`` with visits, of runs that have not all blocks; both of shape (runs, visits, blocks)."""
    point, half, blocks = _student(values.reshape(len(values), -1), there.reshape(len(values), -1), confidence)
    met = np.asarray(there.any(axis=-1))
    over, wide, visits = _student(_means(values, there), met, confidence)
    wider = (visits >= VISITS) & (wide > half)
    counts = there.sum(axis=-1)
    equal = counts.sum(axis=-1) ** 2 / np.maximum((counts**2).sum(axis=-1), 1)
    return Numbers(np.where(wider, over, point), np.where(wider, wide, half), visits, blocks, np.maximum(equal, 1.0))


def said(found: Numbers, edge: float) -> Said:
    """What the widened interval says; nothing below six blocks."""
    half, able = carried(found, edge), found.blocks >= WANTED_BLOCKS
    with np.errstate(invalid="ignore"):
        return (able & (found.point > half)).astype(np.int8) - (able & (found.point < -half)).astype(np.int8)


def carried(found: Numbers, edge: float) -> Array:
    """Half of the interval that has to give the verdict, as ``statistics.visits.borne``."""
    moved = np.clip(rules.PART * np.abs(edge + found.point), rules.LEAST, rules.MOST) / np.sqrt(found.equal)
    some = (found.visits > 1) & (found.visits < VISITS)
    return np.asarray(np.hypot(found.half, moved * some) + np.where(found.visits > 1, rules.SMALL, rules.ALONE))


def same(logs: Array, blocks: Sequence[int]) -> Mask:
    """Whether runs of equal arms are found to be the same within 5 %, all on one processor model."""
    found = numbers(*_part(logs, blocks), rules.FIRST)
    half, (low, high) = carried(found, 0.0), map(math.log, EQUAL)
    return np.asarray((found.point - half > low) & (found.point + half < high))


def check(logs: Array, visits: NDArray[np.int64], edge: float, confidence: float, found: Numbers) -> None:
    """Compare the first run's interval, widened, with the book's own; BenchbookError at a difference."""
    own = statistics.ratio(np.exp(edge + logs), np.ones_like(logs), visits=visits, confidence=confidence)
    wide = rules.borne(own, int(visits.max()) + 1, rules.worth(visits))[-1]
    half = float(carried(found, edge)[0])
    ends = [float(np.exp(edge + found.point[0] + by)) for by in (-half, half)]
    if not np.allclose(ends, [wide.low, wide.high], rtol=1e-9):
        raise BenchbookError(
            f"the simulated ratio over visits has the ends {ends}, the book's own {[wide.low, wide.high]}",
            "mend simulation/visits.py: the two must be equal",
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
    """As ``hosts.lie_apart``: whether the means of visits differ more between the kinds than within, by the F test."""
    sizes = np.stack([(~second).sum(axis=1), second.sum(axis=1)])
    sums = np.stack([(means * ~second).sum(axis=1), (means * second).sum(axis=1)])
    freedom = means.shape[1] - 2
    if freedom < 1:
        return np.zeros(len(means), dtype=bool)
    of_kind = sums / np.maximum(sizes, 1)
    within = ((means - np.where(second, of_kind[1][:, None], of_kind[0][:, None])) ** 2).sum(axis=1) / freedom
    between = sizes.prod(axis=0) / sizes.sum(axis=0) * (of_kind[0] - of_kind[1]) ** 2
    critical = laws.student_quantile(1 - rules.LEVEL / 2, freedom) ** 2
    return np.asarray((between > within * critical) & (sizes.min(axis=0) > 0))
