"""What was judged, in sentences and as plain values."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchbook.errors import BenchbookError, check_known, printable, shortened
from benchbook.figures.prose import digits, in_letters, listed
from benchbook.own_numbers import files as reading
from benchbook.own_numbers import judged
from benchbook.own_numbers.judged import Claimed, Course, Judged, Word
from benchbook.own_numbers.ratios import amount, ends
from benchbook.own_numbers.series import Series, Told, silent
from benchbook.statistics.steady import Steadiness

SIDES = "A", "B"
_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_NAMED = 4
"""Files that are named; of more, how many there are."""
_STEADY = {
    Steadiness.FLAT: "steady",
    Steadiness.WARM_UP: "steady after a rise",
    Steadiness.SLOWDOWN: "steady after a fall",
    Steadiness.NONE: "not steady to the end",
}
_REGION = re.compile(r"\s*(?:([<>])\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*\.\.\s*(\d+(?:\.\d+)?))\s*")


@dataclass(frozen=True)
class Answer:
    """What was judged. claims: what becomes of ``claim`` for each; nothing where none was made."""

    found: tuple[Judged, ...]
    claim: str
    claims: tuple[tuple[Claimed, str], ...]

    @cached_property
    def lines(self) -> list[str]:
        """All of it, a line each; made once, for the steadiness of every course is looked at."""
        lines = [*head(self.found), ""]
        for place, one in enumerate(self.found):
            lines.append(line(one))
            if self.claims:
                outcome, why = self.claims[place]
                lines.append(f"  claimed {self.claim}: {outcome} ({why})")
            lines += [f"  {words}" for words in (lacking(one), typical(one)) if words]
        for name, side in zip(SIDES, (self.found[0].first, self.found[0].other), strict=True):
            lines += went(side, name)
        return lines

    def figure(self) -> Any:
        """The ratios with their intervals, as a plotly figure."""
        from benchbook.own_numbers import page  # late: plotly

        return page.figure(self.found)

    @property
    def outcomes(self) -> set[Claimed]:
        """What becomes of the claim, over all quantities."""
        return {outcome for outcome, _ in self.claims}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        text = "\n".join(self.lines)
        return {"text/plain": text, "text/markdown": f"```text\n{text}\n```"}


def answer(
    first: Sequence[Path], against: Sequence[str] = (), *, configuration: str = "", metric: str = "", claim: str = "",
    same: float = judged.SAME, form: str = "", told: Told = silent,
) -> Answer:  # fmt: skip
    """The files of one side held against those of the other; see ``files.sides`` for what both may be.

    metric: what is judged; the first that a file has, by default. claim: a region of the ratio of the first side to the
    other, such as ">1.1". same: the share by which both may differ and be the same. told: as there. Raises
    BenchbookError for files that cannot be read or compared, and for a region that is none.
    """
    low, high = region(claim) if claim else (0.0, math.inf)
    mine, other = reading.sides(first, against, configuration=configuration, form=form, told=told)
    metrics = list(dict.fromkeys(name for _, name in mine))
    if metric:
        check_known("there is no metric", metric, metrics)
    chosen = metric or metrics[0]
    found = judged.judge(
        [each for each in mine.values() if each.metric == chosen],
        {key: each for key, each in other.items() if each.metric == chosen}, same,
    )  # fmt: skip
    return Answer(tuple(found), claim, tuple(judged.claimed(each, low, high) for each in found) if claim else ())


def region(text: str) -> tuple[float, float]:
    """A region of a ratio, such as ">1.1", "<0.9" or "0.95..1.05"; raises BenchbookError for anything else."""
    found = _REGION.fullmatch(text)
    side, *given = found.groups() if found else (None,)
    edges = [float(each) for each in given if each]
    if side:
        return (edges[0], math.inf) if side == ">" else (0.0, edges[0])
    if not edges or edges[0] >= edges[1]:
        raise BenchbookError(f"{text!r} is no region of a ratio", 'give one such as ">1.1", "<0.9" or "0.95..1.05"')
    return edges[0], edges[1]


def head(found: Sequence[Judged]) -> list[str]:
    """What is compared, what repeats, and in which order: said before any number."""
    one = found[0]
    lines = [f"{name}: {_files(side)}" for name, side in zip(SIDES, (one.first, one.other), strict=True)]
    lines.append(f"What repeats: {one.first.repeats}.{f' Not {one.first.within}.' if one.first.within else ''}")
    lines.append(
        one.order.replace("The first side", "A")
        .replace("the first", "A")
        .replace("The other side", "B")
        .replace("the other", "B")
    )
    visits = "One visit, as far as is known" if one.visits == 1 else f"{one.visits} visits"
    lines.append(f"{visits}; {one.how}.")
    return lines


def _files(side: Series) -> str:
    names = side.sources
    named = (
        listed(map(printable, names)) if len(names) <= _NAMED else f"{printable(names[0])} and {len(names) - 1} others"
    )
    return f"{len(side.repetitions)} × {side.tool} ({named})"


def line(one: Judged) -> str:
    """The answer for one quantity: how A stands to B, with its interval, in a sentence."""
    name = printable(shortened(one.first.name, 80))
    verb = {True: "more is better", False: "less is better", None: ""}[one.first.more]
    means = [float(side.values.mean()) for side in (one.first, one.other)]
    step, unit = next((each for each in _SECONDS if min(means) >= each[0]), _SECONDS[-1])
    step, unit = (step, unit) if one.first.unit == "s" else (1.0, one.first.unit)
    values = " and ".join(digits(mean / step) for mean in means)
    said = f"{name}: A/B {amount(one)} — {one.word}"
    if one.word in {Word.SAME, Word.SAME_HERE}:
        differs = one.ratio is not None and not one.ratio.low <= 1 <= one.ratio.high
        said += f" within {100 * one.margin:g} %{', though not equal' * differs}"
    elif one.word is Word.APART and one.equal is not None and judged.within(one.equal, one.margin):
        said += f", by less than {100 * one.margin:g} %"
    unit = f" {unit}" if unit else ""
    said += f" ({values}{unit}{f'; {verb}' if verb else ''}"
    return f"{said}{f'; p {one.p:.2g} with Holm' if one.p is not None else ''})"


def lacking(one: Judged) -> str:
    """What would answer where the numbers cannot, or a visit that is lacking; "" where nothing is."""
    few = one.ratio.n if one.ratio is not None else min(len(one.first.repetitions), len(one.other.repetitions))
    paired = one.ratio is not None and one.how != judged.NOT_PAIRED
    if one.ratio is None or one.ratio.bare:
        inside = ""
        if one.within is not None:
            inside = (
                f" Within these two processes the ratio is {digits(one.within.point)} [{digits(one.within.low)}, "
                f"{digits(one.within.high)}]; what another process gives is not in it."
            )
        what = f"{in_letters(few).capitalize()} {'in pairs' if paired else 'a side'}"
        return f"{what}: three or more would give an interval, best in turns A B B A.{inside}"
    if one.word is Word.UNKNOWN:
        more = (
            f"about {one.needed:,} a side would tell, were the spread to stay"
            if one.needed
            else "no number of runs like these would tell"
        )
        return f"{more.capitalize()}."
    if one.word in {Word.APART_HERE, Word.SAME_HERE}:
        return (
            "A visit moves a ratio: of one visit the book asks to bear a quarter either way, which this does not. "
            "Measure again 12 hours later or on another processor."
        )
    return ""


def typical(one: Judged) -> str:
    """A sentence where single blocks lie so far out that the interval of the mean may not hold."""
    if one.ratio is None or one.ratio.typical is None:
        return ""
    low, high = one.ratio.typical
    return f"Single pairs lie far out; the ratio of the median pair lies in [{digits(low)}, {digits(high)}]."


def went(side: Series, name: str) -> list[str]:
    """How the runs of a side went: steady or not, and where one fell for good."""
    found = judged.courses(side)
    kinds = [each.kind for each in found if each.kind is not None]
    lines = []
    if kinds:
        counts = listed([f"{kinds.count(kind)} {words}" for kind, words in _STEADY.items() if kind in kinds])
        lines.append(f"{name}, of {len(kinds)} runs: {counts}.")
    return lines + [_fall(each, name, side.unit) for each in found if each.fell is not None]


def _fall(each: Course, name: str, unit: str) -> str:
    return (
        f"{name}: {printable(each.source)} falls at second {each.fell:g}, from {digits(each.before)} to "
        f"{digits(each.after)} {unit}, which its mean hides."
    )


def record(found: Sequence[Judged], claims: Sequence[tuple[Claimed, str]] = ()) -> list[dict[str, Any]]:
    """The same for a program; an interval that is none is null."""
    return [
        {
            "benchmark": one.first.benchmark, "metric": one.first.metric, "unit": one.first.unit,
            "tool": one.first.tool, "more_is_better": one.first.more, "ratio": one.point, "interval": ends(one.ratio),
            "carried": [ends(each) for each in one.carried], "answer": str(one.word), "margin": one.margin,
            "p_holm": one.p, "visits": one.visits, "pairing": one.how, "order": one.order, "needed": one.needed,
            "within_processes": ends(one.within),
            "claim": dict(zip(("outcome", "why"), map(str, claims[place]), strict=True)) if claims else None,
            "sides": [
                {
                    "values": side.values.tolist(), "files": side.sources,
                    "courses": [
                        {"file": each.source, "kind": each.kind and str(each.kind), "falls_at_s": each.fell}
                        for each in judged.courses(side)
                    ],
                }
                for side in (one.first, one.other)
            ],
        }
        for place, one in enumerate(found)
    ]  # fmt: skip
