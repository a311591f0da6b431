"""Sentences of a page with the numbers of a run in them; one that the run cannot fill is left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchbook.errors import BenchbookError, check_known
from benchbook.figures.filling import spared, template, wanted
from benchbook.figures.prose import SILENCE
from benchbook.numbers import claim_sides, judging, quantities
from benchbook.numbers.analysis import Summarized
from benchbook.numbers.quantities import Number
from benchbook.numbers.summary import NotEstimableError, Summary
from benchbook.pages import prose
from benchbook.pages.page import Page, Paragraphs
from benchbook.statistics.visits import count

NOTHING = "This run has none of these numbers."
"""Where a run can fill no sentence of a part."""
_LISTED = ("- ", "1. ")


class Record(dict[str, Any]):
    """What a run recorded of its machine and engine, by name; raises NotEstimableError for what it did not."""

    def __init__(self, summary: Summary) -> None:
        super().__init__({name: value for name, value in summary.run.provenance.items() if value is not None})

    def __missing__(self, name: str) -> Any:
        raise NotEstimableError(f"this run did not record {name}", "measure again")


Ask = Callable[[Any], Any]
"""A summary to what a name stands for; it raises BenchbookError where the run has none."""
SHARED: Mapping[str, Ask] = {
    "p": lambda summary: summary.parameters,
    "arms": lambda summary: len(summary.arms),
    "blocks": lambda summary: summary.run.blocks,
    "visits": lambda summary: count(summary.visits),
    "on": lambda summary: summary.on(),
    "label": lambda summary: {arm: summary.label(arm) for arm in summary.arms},
    "record": Record,
    "side": lambda summary: {each.claim_id: str(claim_sides.side(each)) for each in judging.verdicts(summary)},
}
"""What every page may name beside its chapter's numbers and words. side: by claim, on which side of 1 it lies.
label: of figures, by configuration. visits: a number of fewer than two is a first result. record: what the run
recorded of machine and engine (record.engine_version)."""


class Names:
    """What the sentences of a chapter may name. module: its numbers, and its WORDS, which a summary makes."""

    def __init__(self, module: Any) -> None:
        self.numbers: Mapping[str, Number] = quantities.numbers(module)
        self.words: Mapping[str, Ask] = {**SHARED, **getattr(module, "WORDS", {})}

    def known(self) -> set[str]:
        return {*self.numbers, *self.words}

    def own(self) -> set[str]:
        """Those of the chapter itself."""
        return self.known() - SHARED.keys()

    def of(self, summary: Summarized, name: str) -> Any:
        """What a name stands for in this run."""
        if name in self.numbers:
            return quantities.told(summary, name, self.numbers[name])
        check_known("no number is called", name, self.known(), "name it in NUMBERS")
        return summary.once(f"word {name}", lambda: self.words[name](summary))

    def filled(self, summary: Summarized, sentence: str, own: Mapping[str, object] | None = None) -> str:
        """A sentence with what it names; raises BenchbookError where the run has not all of it. own: further names."""
        more = own or {}
        asked_for = wanted(sentence) - more.keys()
        found = {name: self.of(summary, name) for name in sorted(asked_for - spared(sentence))}
        for name in sorted(asked_for & spared(sentence)):
            with suppress(BenchbookError):
                found[name] = self.of(summary, name)
        return template(sentence).render({**found, **more}).strip()


@dataclass(frozen=True)
class Template:
    """The words of a figure, filled when it is drawn; what they name the figure knows, such as its rows, or the page.

    text: a sentence a line; one that the run cannot fill is left out.
    """

    names: Names
    text: str

    def __call__(self, summary: Summarized, own: Mapping[str, object]) -> str:
        """The words. own: by name, before the chapter's."""
        ask = (partial(self.names.filled, summary, sentence, own=own) for sentence in self.text.splitlines())
        return " ".join(filter(None, prose.filled(*ask)))


def said(summary: Summarized, names: Names, paragraphs: Paragraphs) -> str:
    """The paragraphs with the sentences that the run can fill, as Markdown; NOTHING where it can fill none.

    A part that is SILENCE alone shows nothing, as what is only said of runs that lack something.
    """
    made = []
    for paragraph in paragraphs:
        if sentences := [*_filled(summary, names, paragraph)]:
            listed = any(each.startswith(_LISTED) for each in sentences)
            made.append(("\n" if listed else " ").join(sentences))
    text = "\n\n".join(made)
    return "" if text == SILENCE else text or NOTHING


def _filled(summary: Summarized, names: Names, sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        if unknown := wanted(sentence) - names.known():
            names.of(summary, min(unknown))  # a misspelt name is an error, not a sentence less
        yield from filter(None, prose.filled(partial(names.filled, summary, sentence)))


def asked(page: Page) -> set[str]:
    """All names that a page asks for."""
    texts = [sentence for part in page.parts.values() for paragraph in part for sentence in paragraph]
    texts += [
        text for each in (*page.figures.values(), *page.tables.values()) for text in (each.title, each.text, each.alt)
    ]
    texts += [text for each in page.figures.values() for text in each.findings]
    texts += page.front.titles
    return {name for text in texts for name in wanted(text)}
