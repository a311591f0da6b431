"""A chapter whose words stand in its page: its answers, lesson, paragraphs, tables and figures."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import is_dataclass, replace
from functools import cached_property, partial
from math import isfinite
from typing import Any

import numpy as np
import pandas as pd

from benchbook.drawing.drawn import Blank, Drawn
from benchbook.errors import BenchbookError, check_known
from benchbook.figures import Figure, Prose
from benchbook.figures.filling import wanted
from benchbook.figures.prose import in_letters
from benchbook.model import FEWEST
from benchbook.numbers import judging
from benchbook.numbers.analysis import Analysis, Summarized
from benchbook.numbers.answers import Answer, Answers
from benchbook.numbers.claim_sides import Turn
from benchbook.numbers.host_kinds import processor
from benchbook.numbers.quantities import Told
from benchbook.numbers.summary import NotEstimableError, Summary
from benchbook.pages import page, prose, tables
from benchbook.pages.lessons import Teaching
from benchbook.pages.names import Names, Template, said
from benchbook.pages.page import Claimed, Page
from benchbook.parameters.kinds import Kind
from benchbook.statistics.visits import count

HOOKS = {
    "checks": "checks", "AA": "pair", "aa_gates": "gates", "untestable": "untestable", "OPEN": "would_decide",
}  # fmt: skip
"""What a module of numbers may say of all claims: its name there, and in ``Answers``, which tells what it is."""
DESIGN, LESSON, ADVICE = "design", "lesson", "advice"
"""Parts that stand where every chapter has them: below the method, beside the answers at the end, and with both."""


class Paged:
    """Page and numbers of a chapter. module: its numbers."""

    def __init__(self, page: Page, module: Any) -> None:
        self.page, self.module, self.names = page, module, Names(module)

    @cached_property
    def answers(self) -> Answers:
        """To the claims, in the order of the page."""
        own = vars(self.module)
        given = tuple(self._answer(claim, each) for claim, each in self.page.front.claims.items())
        if "departs" in own:
            given = tuple(each.but(departs=own["departs"]) for each in given)
        reports = own.get("REPORTS", {})
        given = tuple(each.but(report=reports[each.claim]) if each.claim in reports else each for each in given)
        return Answers(given, **{field: own[name] for name, field in HOOKS.items() if name in own})

    @cached_property
    def teaching(self) -> Teaching:
        """What its lesson says."""
        front = self.page.front
        first, *further = self._part(ADVICE)
        return Teaching(
            self._title(front.title),
            front.figure_id(front.figure),
            tuple(map(self._sentence, first)),
            tuple(self._sentence(each) for paragraph in further for each in paragraph),
            front.claimed,
            tuple(each if each in front.claims else self._one(each) for each in front.numbers),
            tuple(map(self._sentence, [each for part in self.page.parts.get(LESSON, ()) for each in part])),
        )

    def say(self, summary: Summarized, name: str) -> Prose:
        """A part of the page with the numbers of a run."""
        text = said(summary, self.names, self._part(name))
        if name != DESIGN or isinstance(summary, Analysis) or summary.chapter.kind is Kind.SIMULATION:  # has no blocks
            return Prose(text)
        wording = {"design": self.page.front.differs} if self.page.front.differs else {}
        return prose.design(summary, text, **wording)

    def table(self, summary: Summarized, name: str) -> pd.DataFrame:
        """A table of the page: a row for each configuration, or its own rows; or what the chapter's TABLES make."""
        own: Mapping[str, Callable[[Any], pd.DataFrame]] = vars(self.module).get("TABLES", {})
        if name in own:
            return own[name](summary)
        check_known("the page has no table", name, self.page.tables, "write it")
        lines = self.page.tables[name].paragraphs[0]
        if lines[0].startswith("| "):
            return tables.written(lines, partial(self.names.filled, summary))
        if isinstance(summary, Analysis):
            raise BenchbookError(f"the table {name!r} lists trials, which this chapter has not", "write its rows")
        columns: tables.Columns = {}
        arms = summary.arms
        for line in lines:
            kind, _, metrics = line.partition(":")
            kind, _, otherwise = kind.partition(" else ")
            if kind == "without":
                arms = [arm for arm in arms if summary.configurations[arm].group != metrics.strip()]
                continue
            ask = {"levels": tables.levels, "means": tables.means}[kind]
            columns |= ask(summary, *(each.strip() for each in metrics.split(",")), otherwise=otherwise)
        return tables.table([({"configuration": summary.label(arm)}, arm) for arm in arms], columns)

    def numbers(self, summary: Summarized) -> dict[str, Any]:
        """Each number with its words and ends, and each word that is text or one number; None where the run has none.

        As plain JSON, for pages of the book beside its chapters.
        """
        found: dict[str, Any] = {}
        for name in sorted(self.names.own()):
            value = None
            with suppress(BenchbookError):
                value = self.names.of(summary, name)
            if isinstance(value, Told):
                ends = {"point": value.point, "low": value.low, "high": value.high}
                found[name] = {"text": str(value)} | {end: float(each) for end, each in ends.items() if isfinite(each)}
            elif isinstance(value, np.number):
                found[name] = value.item()
            elif value is None or isinstance(value, str | int | float):
                found[name] = value
        return found

    def figure(self, name: str, draw: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A figure with the words that the page gives it."""
        return partial(self._found, name, self._worded(name, draw))

    def _found(self, name: str, draw: Callable[[Any], Figure], summary: Summarized) -> Figure:
        """The figure with what it shows of this run."""
        figure, own = draw(summary), self.page.figures.get(name)
        if _too_few(summary) and not figure.blank:
            alt = figure.alt.replace("Points with intervals", "Points")
            data = figure.data.assign(**{name: None for name in map(str, figure.data) if _END.fullmatch(name)})
            return replace(figure, caption=_INTERVALS.sub(_none, figure.caption), alt=alt, data=data, interval="")
        if own is None or not own.findings or figure.blank:
            return figure
        found = prose.filled(*(partial(self._sentence(each), summary) for each in own.findings))
        return replace(figure, finding=next(iter(found), ""))

    def _worded(self, name: str, draw: Callable[[Any], Any]) -> Callable[[Any], Figure]:
        own = self.page.figures.get(name)
        if not is_dataclass(draw) or isinstance(draw, type):
            return partial(self._drawn, name, draw)
        words: dict[str, Any] = {"id": self.page.front.figure_id(name)}
        if own is not None:
            words |= {"title": own.title, "caption": Template(self.names, own.text)}
            words |= {"alt": Template(self.names, own.alt)} if own.alt else {}
        worded = copy(draw)  # not made anew: it has taken its axis from its metric
        for field, value in words.items():
            object.__setattr__(worded, field, value)
        return worded

    def _drawn(self, name: str, draw: Callable[[Any], Any], summary: Summarized) -> Figure:
        """What a function draws; of a drawing, or a description of one, the figure with the words of the page."""
        found = draw(summary)
        if isinstance(found, Figure):
            return found
        if not isinstance(found, Drawn | Blank):
            described: Figure = self._worded(name, found)(summary)
            return described
        if (own := self.page.figures.get(name)) is None:
            raise BenchbookError(f"the page has no words for the figure {name!r}", "write its title and caption")
        caption, alt = (Template(self.names, each)(summary, found.known) for each in (own.text, own.alt))
        alt = alt or f"{own.title}: a drawing whose numbers are in the table behind it, as far as this run has them."
        return found.figure(summary, self.page.front.figure_id(name), own.title, caption, alt)

    def _answer(self, claim: str, each: Claimed) -> Answer:
        known, mend = self.names.numbers, "name it in NUMBERS, or correct the page"
        check_known(f"claim {claim} asks for a number", each.number, known, mend)
        number = known[each.number]
        beside = partial(self._if_any, self._one(each.beside)) if each.beside else None
        return Answer(
            claim, number.estimand, self.page.front.figure_id(each.figure), each.said, each.seen, number.factor,
            each.row, each.cause, beside,
        )  # fmt: skip

    def _title(self, given: str | page.Turned) -> Turn | str | Callable[[Any], str]:
        if isinstance(given, str):
            return self._sentence(given) if wanted(given) else given
        turn = Turn(given.by, given.above, given.below, given.open, given.at)
        if not any(map(wanted, self.page.front.titles)):
            return turn
        return lambda summary: self.names.filled(summary, turn.title(judging.verdicts(summary)))

    def _sentence(self, sentence: str) -> Callable[[Any], str]:
        return partial(self._spoken, sentence)

    def _spoken(self, sentence: str, summary: Summarized) -> str:
        """A sentence of the lesson; NotEstimableError where its conditions leave nothing of it."""
        if text := self.names.filled(summary, sentence):
            return text
        raise NotEstimableError("this run has nothing to say here", "see the chapter")

    def _if_any(self, sentence: Callable[[Any], str], summary: Summarized) -> str:
        """A sentence of the lesson; "" where the run cannot fill it."""
        return next(iter(prose.filled(partial(sentence, summary))), "")

    def _one(self, name: str) -> Callable[[Any], str]:
        """The only sentence of a part."""
        ((sentence,),) = self._part(name)
        return self._sentence(sentence)

    def _part(self, name: str) -> page.Paragraphs:
        check_known("the page has no part", name, self.page.parts, "write it")
        return self.page.parts[name]


def basis(summary: Summarized) -> dict[str, Any]:
    """Blocks, visits, kinds of host, engine, runs, and the date of the last trial; nothing without a measurement."""
    if isinstance(summary, Analysis) or summary.chapter.kind is not Kind.MEASUREMENT:
        return {}
    run = summary.run
    started = run.trials["started_at"].astype(str) if "started_at" in run.trials else None
    return {
        "blocks": run.blocks,
        "visits": count(summary.visits),
        "hosts": len({processor(part.provenance) for part in run.parts}),
        "engine": summary.on(),
        "runs": [part.id for part in run.parts],
        "until": started.max()[:10] if started is not None else "",
    }


_INTERVALS = re.compile(r"(?P<begins>^|(?<=\. ))?(?P<with>with )?95 % intervals")

_END = re.compile(r"(?!claimed ).*\b(low|high)( \(.*\))?")
"""A column of a figure's table that holds an end of an interval."""


def _none(found: re.Match[str]) -> str:
    """What a caption says in place of its intervals where there are none."""
    if found["with"]:
        return "without intervals"
    return f"{'N' if found['begins'] is not None else 'n'}o intervals below {in_letters(FEWEST)} blocks"


def _too_few(summary: Summarized) -> bool:
    """Whether a run has too few blocks for an interval, and so for a finding."""
    return isinstance(summary, Summary) and summary.chapter.kind is Kind.MEASUREMENT and summary.run.blocks < FEWEST
