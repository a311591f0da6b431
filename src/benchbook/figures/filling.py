"""Sentences with names of numbers in them, ``{{ so }}``: what they ask for, and how they are filled."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import jinja2
import jinja2.meta
from jinja2 import nodes

from benchbook.errors import BenchbookError
from benchbook.figures.numbers import spoken, with_interval
from benchbook.figures.prose import digits, in_letters, listed, mean_count
from benchbook.model import Estimate


def spanned(values: Any, form: str = "{:.1%}") -> str:
    """From the least of an array to its largest, or the one that all are."""
    low, high = form.format(values.min()), form.format(values.max())
    return low if low == high else f"{low} to {high}"


def amount(ratio: Estimate, what: str, of: str = "", *, ends: bool = False) -> str:
    """A ratio as one would say it: "1.35 times the throughput of 100", or below 1 "46.1 % less throughput than 100".

    ends: with its interval, where it has one; one that reaches over 1 stays a ratio, since it tells no direction.
    """
    if _is_less(ratio, ends):
        return f"{_number(ratio, lambda value: 100 * (1 - value), ends)} % less {what}{f' than {of}' if of else ''}"
    return f"{_number(ratio, float, ends)} times the {what}{f' of {of}' if of else ''}"


def taking(ratio: Estimate, of: str = "", *, ends: bool = False) -> str:
    """The same of a time, after "takes": "1.35 times as long as SQLite", or below 1 "46.1 % less time than SQLite"."""
    if _is_less(ratio, ends):
        return amount(ratio, "time", of, ends=ends)
    return f"{_number(ratio, float, ends)} times as long{f' as {of}' if of else ''}"


def _is_less(ratio: Estimate, ends: bool) -> bool:
    return ratio.point < 1 and not (ends and 1 < ratio.high < math.inf)


def _number(ratio: Estimate, told: Callable[[float], float], ends: bool) -> str:
    low, high = sorted((told(ratio.low), told(ratio.high)))
    interval = f" [{digits(low)}, {digits(high)}]" if ends and math.isfinite(low) and math.isfinite(high) else ""
    return f"{digits(told(ratio.point))}{interval}"


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True)
    made.filters |= {"n": "{:,.0f}".format, "digits": digits, "mean": mean_count}
    made.filters |= {"g": "{:g}".format, "letters": in_letters, "listed": listed}
    made.filters |= {"spanned": spanned, "interval": with_interval, "amount": amount, "taking": taking}
    made.filters["spoken"] = lambda told: spoken(told.estimate)  # a time in ns, with the unit that suits it
    return made


@cache
def template(sentence: str) -> jinja2.Template:
    """Compiled once, however many runs and figures it is filled for."""
    return _environment().from_string(sentence)


@cache
def wanted(sentence: str) -> frozenset[str]:
    """The names that a sentence asks for; raises BenchbookError where it is no template."""
    return frozenset(jinja2.meta.find_undeclared_variables(_parsed(sentence)))


@cache
def spared(sentence: str) -> frozenset[str]:
    """Those names that it asks for by ``is defined``: without their numbers it is told all the same."""
    tests = _parsed(sentence).find_all(nodes.Test)
    return frozenset(each.node.name for each in tests if each.name == "defined" and isinstance(each.node, nodes.Name))


@cache
def parts_of(sentence: str, name: str) -> frozenset[str]:
    """What a sentence asks of a name, as ``hits`` in ``{{ cache_sizing.hits.point }}``."""
    found = _parsed(sentence).find_all(nodes.Getattr)
    return frozenset(each.attr for each in found if isinstance(each.node, nodes.Name) and each.node.name == name)


def _parsed(sentence: str) -> nodes.Template:
    try:
        return _environment().parse(sentence)
    except jinja2.TemplateError as error:
        raise BenchbookError(f"{sentence!r} cannot be read: {error}", "correct it") from error
