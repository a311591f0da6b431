"""Sentences with computed numbers in them, shown as text in the notebook and in the book."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchbook.figures import contained
from benchbook.model import Estimate, Outcome

SILENCE = "<!-- nothing to say -->"
"""What is shown where there is nothing to say: an empty text would be shown as an empty box."""
OF_BOTH = ", visits or blocks"
"""What the name of an interval ends with where some are over visits and others over blocks."""


@dataclass(frozen=True)
class Prose:
    """Markdown text made by code, so that text and data cannot drift apart."""

    text: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        shown = contained.markdown(self.text) or SILENCE
        return {"text/markdown": shown, "text/plain": self.text}


def counted(outcomes: Iterable[str]) -> str:
    """How many came out which way, in the order of the protocol, such as "2 hold, 1 open: interval"."""
    found = Counter(map(str, outcomes))
    return ", ".join(f"{found[outcome]} {of_many(outcome, found[outcome])}" for outcome in Outcome if found[outcome])


def of_many(outcome: Outcome, count: int) -> str:
    """An outcome as a word after a count: "1 holds", "2 hold"."""
    if count == 1:
        return outcome
    many = {Outcome.REPRODUCED: "hold", Outcome.HOST: "depend on the host", Outcome.CONDITION: "depend on a condition"}
    return many.get(outcome, outcome)


def digits(value: float) -> str:
    """A number to three digits as one would write it: "1.00", "0.0481", "3,150"; tiny ones as "4.81e-06"."""
    if value == 0 or abs(value) < 1e-4:
        return f"{value:.3g}"
    exponent = int(f"{value:.2e}".partition("e")[2])
    decimals = 2 - exponent
    return f"{round(value, decimals):,.{max(decimals, 0)}f}"


def mean_count(value: float) -> str:
    """A mean of counts: without decimals where it is whole, "4"; otherwise with one, "4.2"."""
    return f"{value:,.{0 if float(value).is_integer() else 1}f}"


def listed(words: Iterable[str]) -> str:
    """Words with commas, and "and" before the last."""
    *others, last = words
    return f"{', '.join(others)} and {last}" if others else last


def in_letters(count: int) -> str:
    """A count below eleven in letters."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[count] if count < len(words) else str(count)


def interval_name(estimates: Iterable[Estimate]) -> str:
    """What the intervals of these estimates are, as each of them says itself, such as "95 % Student t on logs".

    Each method once, in the order in which it comes, with every confidence that it is used at. Estimates whose interval
    is no method's own are named by what they are; "" without estimates.
    """
    methods, apart = _methods(estimates)
    return "; ".join([*(f"{confidence} {method}" for method, confidence in methods.items()), *apart])


def intervals_said(estimates: Iterable[Estimate]) -> str:
    """For a caption, at which confidence they are, such as "95 % intervals"; "no intervals" where none is drawn.

    What kind they are stands on the figure's page and, for all figures, in Methods.
    """
    methods, _ = _methods(estimates)
    confidences = dict.fromkeys(methods.values())
    return f"{' and '.join(confidences)} intervals" if confidences else "no intervals"


def _methods(estimates: Iterable[Estimate]) -> tuple[dict[str, str], list[str]]:
    """Each method with the confidences that it is used at, such as "95 %"; and in words what is no method's own."""
    from benchbook.statistics import intervals  # late: the book's extension imports this package without statistics

    apart = {
        intervals.RESOLUTION: "the resolution of the counts where that is wider",
        intervals.CONSTANT: "no width where all values are equal",
        intervals.EXACT: "none where a number is counted",
    }
    found: dict[str, set[float]] = {}
    replicates: dict[str, set[bool]] = {}
    for estimate in estimates:
        if estimate.bare:
            continue
        plain = intervals.of_blocks(estimate.method)
        found.setdefault(plain, set()).add(estimate.confidence)
        replicates.setdefault(plain, set()).add(intervals.over_visits(estimate.method))
    for plain, over in replicates.items():  # of a run of several visits, either may be the wider interval
        if True in over and plain not in apart:
            found[f"{plain}{OF_BOTH if False in over else intervals.OF_VISITS}"] = found.pop(plain)
    methods = {
        method: " and ".join(f"{100 * each:g} %" for each in sorted(confidences, reverse=True))
        for method, confidences in found.items()
        if method not in apart
    }
    return methods, [words for method, words in apart.items() if method in found]
