"""Two sides held against each other by the book's rule: what repeats, what visits may carry, and what is lacking."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from benchbook.errors import BenchbookError
from benchbook.model import FEWEST, Effect, Estimate
from benchbook.own_numbers.series import Repetition, Series, values
from benchbook.statistics import effects, laws, visits
from benchbook.statistics.effects import TOST_CONFIDENCE
from benchbook.statistics.multiplicity import LEVEL, holm
from benchbook.statistics.planning import blocks_for_half_width
from benchbook.statistics.shapes import FALLEN_S, SMOOTH_S, cliff_second
from benchbook.statistics.steady import MINIMUM_SECONDS, Steadiness, steady_state

SAME = 0.05
"""Of a ratio: what differs by less on both ends is called the same, unless another margin is asked for."""

NOT_PAIRED = "not paired"


class Word(StrEnum):
    """The answer."""

    APART = "apart"
    APART_HERE = "apart in this visit"
    SAME = "the same"
    SAME_HERE = "the same in this visit"
    UNKNOWN = "cannot tell"


class Claimed(StrEnum):
    """What becomes of a claim about the ratio."""

    HOLDS = "holds"
    WRONG = "wrong"
    OPEN = "open"


class Pairs(NamedTuple):
    """Values of both sides, shape (blocks,) each where ``how`` says that they are paired, and each pair's visit."""

    first: np.ndarray
    other: np.ndarray
    visits: np.ndarray | None
    how: str


@dataclass(frozen=True)
class Judged:
    """One quantity of one benchmark on both sides.

    ratio: of the first to the other, with its 95 % interval; None where a side has one repetition. point: the same
    without an interval. equal: with the 90 % interval that equivalence reads. carried: what the ratio's interval has to
    bear. within: the ratio of the samples of one process a side, where there are no more. margin: of ``Word.SAME``.
    needed: repetitions a side, or pairs, that would tell; None where that is not foreseen. p: with Holm over all.
    """

    first: Series
    other: Series
    point: float
    how: str
    order: str
    visits: int
    margin: float
    word: Word
    ratio: Effect | None = None
    equal: Effect | None = None
    carried: tuple[Estimate, ...] = ()
    within: Effect | None = None
    p: float | None = None
    needed: int | None = None


def judge(first: Iterable[Series], other: dict[tuple[str, str], Series], margin: float = SAME) -> list[Judged]:
    """All that both sides have, with Holm's correction over them. margin: of what is the same, as a share.

    Raises BenchbookError where the sides have nothing in common, or disagree about a unit.
    """
    mine = {each.key: each for each in first}
    if len(mine) == len(other) == 1 and mine.keys() != other.keys():  # one benchmark each, under two names
        (alone,), (theirs,) = mine.values(), other.values()
        other = {alone.key: theirs} if alone.metric == theirs.metric else {}
    shared = [key for key in mine if key in other]
    if not shared:
        names = [", ".join(sorted({" ".join(key).strip() for key in side}))[:300] for side in (mine, other)]
        raise BenchbookError(
            f"the sides have no benchmark in common: {names[0]}; {names[1]}", "compare the same benchmark"
        )
    found = [_one(mine[key], other[key], margin) for key in shared]
    tested = {str(place): p for place, each in enumerate(found) if (p := _p(each.ratio)) is not None}
    adjusted = holm(tested) if tested else {}
    return [_corrected(each, adjusted.get(str(place))) for place, each in enumerate(found)]


def _one(first: Series, other: Series, margin: float) -> Judged:
    if first.unit != other.unit:
        raise BenchbookError(
            f"{first.metric} is in {first.unit or 'no unit'} on one side and in {other.unit or 'no unit'} on the other",
            "bring both to one unit",
        )
    pairs = paired(first.repetitions, other.repetitions)
    point = math.exp(float(np.log(pairs.first).mean() - np.log(pairs.other).mean()))
    count = visits.count(pairs.visits) if pairs.visits is not None else 1
    judged = Judged(
        first, other, point, pairs.how, order(first.repetitions, other.repetitions), count, margin, Word.UNKNOWN,
        within=_within(first, other),
    )  # fmt: skip
    if min(pairs.first.size, pairs.other.size) < 2:
        return replace(judged, needed=FEWEST)
    ratio, equal = (_ratio(pairs, confidence) for confidence in (0.95, TOST_CONFIDENCE))
    if ratio.n < FEWEST:
        return replace(judged, ratio=ratio, needed=FEWEST)
    worth = visits.worth(pairs.visits) if pairs.visits is not None else None
    carried, narrow = (visits.borne(each, count, worth) for each in (ratio, equal))
    word = _word(carried, narrow, margin)
    needed = _needed(ratio, margin) if word is Word.UNKNOWN else None
    return replace(judged, ratio=ratio, equal=equal, carried=carried, word=word, needed=needed)


def paired(first: Sequence[Repetition], other: Sequence[Repetition]) -> Pairs:
    """Both sides by block, by turns, or by session, as far as these are known; else each on its own."""
    both = [*first, *other]
    labels = _visits(both)
    mine, theirs = (labels[: len(first)], labels[len(first) :]) if labels is not None else (None, None)
    if all(each.block for each in both):
        keys = [[f"{each.session}\0{each.block}" for each in side] for side in (first, other)]
        return _by_key(first, other, keys, mine, "paired by block")
    if mine is not None and theirs is not None:
        if len(first) == len(other) and (turns := _turns(first, other)) is not None:
            a, b = turns
            return Pairs(values(first)[a], values(other)[b], mine[a], "paired in the order of time")
        if len(set(mine) & set(theirs)) >= FEWEST:
            return _by_key(first, other, [list(map(str, side)) for side in (mine, theirs)], mine, "paired by session")
    return Pairs(values(first), values(other), None, NOT_PAIRED)


def _starts(side: Sequence[Repetition]) -> list[float] | None:
    """When each began; None where that is not known of all."""
    starts = [each.started for each in side if each.started is not None]
    return starts if len(starts) == len(side) else None


def _by_key(
    first: Sequence[Repetition], other: Sequence[Repetition], keys: list[list[str]], visit: np.ndarray | None, how: str
) -> Pairs:
    shared = [key for key in dict.fromkeys(keys[0]) if key in set(keys[1])]
    if not shared:
        raise BenchbookError("the sides have no block in common", "give the blocks of both sides the same names")
    logs = [np.log(values(side)) for side in (first, other)]
    means = [
        np.exp([np.mean(each[np.array(names) == key]) for key in shared])
        for each, names in zip(logs, keys, strict=True)
    ]
    of_pair = None if visit is None else np.array([visit[keys[0].index(key)] for key in shared])
    return Pairs(means[0], means[1], of_pair, how)


def _visits(both: Sequence[Repetition]) -> np.ndarray | None:
    """The visit of each: by its session, or else by when it began and where; None where neither is known."""
    if all(each.session for each in both):
        return np.unique([each.session for each in both], return_inverse=True)[1]
    starts = _starts(both)
    return None if starts is None else visits.numbered(starts, starts, [each.host for each in both])


def _turns(first: Sequence[Repetition], other: Sequence[Repetition]) -> tuple[list[int], list[int]] | None:
    """Places of each side's repetitions by pair, where the sides came by turns; else None."""
    mine, theirs = _starts(first), _starts(other)
    if mine is None or theirs is None or len(mine) != len(theirs) or set(mine) & set(theirs):
        return None
    every = sorted(
        [(start, 0, place) for place, start in enumerate(mine)]
        + [(start, 1, place) for place, start in enumerate(theirs)]
    )
    pairs = [sorted(pair, key=lambda one: one[1]) for pair in zip(every[::2], every[1::2], strict=True)]
    if any([side for _, side, _ in pair] != [0, 1] for pair in pairs):
        return None
    return [pair[0][2] for pair in pairs], [pair[1][2] for pair in pairs]


def order(first: Sequence[Repetition], other: Sequence[Repetition]) -> str:
    """A sentence on the order in which the sides were measured, and what it hides."""
    confused = "order and change cannot be told apart"
    mine, theirs = _starts(first), _starts(other)
    if mine is None or theirs is None or set(mine) & set(theirs):
        if all(each.block for each in (*first, *other)):
            return "The order within a block is not recorded."
        return f"The order is not recorded: if one side came first, {confused}."
    if max(mine) < min(theirs):
        return f"The first side always came before the other: {confused}."
    if max(theirs) < min(mine):
        return f"The other side always came before the first: {confused}."
    return "The sides took turns." if _turns(first, other) else "The sides overlap in time, without regular turns."


def _ratio(pairs: Pairs, confidence: float) -> Effect:
    if pairs.how == NOT_PAIRED:
        return effects.ratio_unblocked(pairs.first, pairs.other, confidence=confidence)
    return effects.ratio(pairs.first, pairs.other, confidence=confidence, visits=pairs.visits)


def _within(first: Series, other: Series) -> Effect | None:
    """Of one process a side, the ratio of their samples: what another process would give is not in it."""
    if len(first.repetitions) > 1 or len(other.repetitions) > 1:
        return None
    samples = first.repetitions[0].samples, other.repetitions[0].samples
    return effects.ratio_unblocked(*samples) if min(map(len, samples)) >= FEWEST else None


def _word(carried: Sequence[Estimate], equal: Sequence[Estimate], margin: float) -> Word:
    def apart(each: Estimate) -> bool:
        return each.low > 1 or each.high < 1

    if all(map(apart, carried)):
        return Word.APART
    if all(within(each, margin) for each in equal):
        return Word.SAME
    if within(equal[0], margin):
        return Word.SAME_HERE
    return Word.APART_HERE if apart(carried[0]) else Word.UNKNOWN


def within(ratio: Estimate, margin: float) -> bool:
    """Whether its whole interval lies within the margin around 1."""
    return 1 / (1 + margin) < ratio.low and ratio.high < 1 + margin


def _needed(ratio: Effect, margin: float) -> int | None:
    away = abs(math.log(ratio.point))
    targets = ((away, 0.95), (math.log1p(margin) - away, TOST_CONFIDENCE))
    counts = [blocks_for_half_width(ratio.sd, target, confidence=level) for target, level in targets if target > 0]
    return min((count for count in counts if count is not None), default=None)


def _p(ratio: Effect | None) -> float | None:
    if ratio is None or ratio.n < FEWEST:
        return None
    away = abs(math.log(ratio.point))
    if not ratio.sd:
        return float(away == 0)
    return min(1.0, 2 * laws.student_above(away / (ratio.sd / math.sqrt(ratio.n)), ratio.n - 1))


def _corrected(judged: Judged, p: float | None) -> Judged:
    lost = p is not None and p > LEVEL and judged.word in {Word.APART, Word.APART_HERE}
    return replace(judged, p=p, word=Word.UNKNOWN if lost else judged.word)


def claimed(judged: Judged, low: float, high: float) -> tuple[Claimed, str]:
    """What becomes of the claim that the ratio lies between low and high, and why, in a few words."""
    if not judged.carried:
        return Claimed.OPEN, f"fewer than {FEWEST} repetitions"

    def of(each: Estimate) -> Claimed:
        if low <= each.low and each.high <= high:
            return Claimed.HOLDS
        return Claimed.WRONG if each.high < low or each.low > high else Claimed.OPEN

    found = {of(each) for each in judged.carried}
    if len(found) == 1 and Claimed.OPEN not in found:
        return found.pop(), f"by {judged.visits} visit{'s' * (judged.visits > 1)}"
    if of(judged.carried[0]) is not Claimed.OPEN:
        return Claimed.OPEN, f"it {of(judged.carried[0])} in this visit, and another visit may carry it over"
    return Claimed.OPEN, "too close to call"


class Course(NamedTuple):
    """How one repetition went. kind: None where it has too few stretches. fell: second of a lasting fall, or None.

    before, after: mean of what came before the fall and from there on.
    """

    source: str
    kind: Steadiness | None
    fell: float | None = None
    before: float = math.nan
    after: float = math.nan


def courses(series: Series) -> list[Course]:
    """Of each repetition that has a course."""
    return [_course(each) for each in series.repetitions if each.course.size > 1]


def _course(repetition: Repetition) -> Course:
    course, stretch = repetition.course, repetition.stretch_s
    kind = steady_state(course) if course.size >= MINIMUM_SECONDS else None
    seconds = np.repeat(course, max(1, round(stretch)))
    fell = cliff_second(seconds) if seconds.size >= SMOOTH_S + FALLEN_S else None
    if fell is None:
        return Course(repetition.source, kind)
    place = int(fell // max(1, round(stretch)))
    before = course[:place] if place else course[:1]
    return Course(repetition.source, kind, place * stretch, float(before.mean()), float(course[place:].mean()))
