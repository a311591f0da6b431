"""One number for one question: what several experiments compare is told side by side in the question above them."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import planted_numbers
from contents import LEADS, ROOT

from benchbook.claims import Quantity
from benchbook.numbers.estimands import named
from benchbook.numbers.metrics import known

PRINTED, NUMBER = re.compile(r"{{(.+?)}}"), re.compile(r"\b([a-z]\w+)\.(\w+)")
FIRST = ("book/index.md", *(f"book/trials/{path.name}" for path in ROOT.glob("book/trials/*.md")))


class Compared(NamedTuple):
    """A comparison of a chapter. what: the metric in words and the two configurations as figures label them."""

    chapter: str
    number: str
    what: tuple[str, frozenset[str]]


def compared(chapter: str) -> Iterator[Compared]:
    """The comparisons of two configurations among a chapter's numbers."""
    made = planted_numbers.summary(chapter)
    module = made.chapter.page
    for name, number in module.names.numbers.items():
        estimand = number.estimand
        arms = [named(arm, made) for arm in estimand.arms if isinstance(arm, str)]
        if estimand.quantity is not Quantity.COMPARISON or len(arms) != 2 or estimand.metric is None:
            continue
        metric = known(made.METRICS, estimand.metric)
        labels = frozenset(made.label(arm).casefold() for arm in arms if arm in made.configurations)
        if len(labels) == 2 and not any("a/a" in label for label in labels):
            yield Compared(chapter, name, (metric.words if metric else estimand.metric, labels))


def questions() -> dict[str, str]:
    """By chapter the text of the question above it."""
    return {chapter: (ROOT / f"{page}.md").read_text("utf-8") for page, below in LEADS.items() for chapter in below}


def told_apart(every: Iterable[Compared], question: Mapping[str, str]) -> list[list[Compared]]:
    """Comparisons of which several chapters have a number and no question shows one of each side by side."""
    same: defaultdict[tuple[str, frozenset[str]], list[Compared]] = defaultdict(list)
    for each in every:
        same[each.what].append(each)

    def shown(group: list[Compared], text: str) -> bool:
        told = {each.chapter for each in group if re.search(rf"\b{each.chapter}\.{each.number}\b", text)}
        return told == {each.chapter for each in group}

    several = [group for group in same.values() if len({each.chapter for each in group}) > 1]
    return [group for group in several if not any(shown(group, text) for text in question.values())]


def test_a_comparison_of_several_chapters_is_told_side_by_side() -> None:
    every = [each for name in planted_numbers.measured() for each in compared(name)]
    assert len(every) > 200
    assert told_apart(every, questions()) == []


def test_a_comparison_that_is_told_twice_is_found() -> None:
    what = ("throughput", frozenset({"a pool of all", "a pool of 20 %"}))
    twice = [Compared("shared_buffers", "gain", what), Compared("io_cliff", "gain", what)]
    apart = {"shared_buffers": "{{ shared_buffers.gain }}", "io_cliff": "{{ io_cliff.gain }}"}
    assert told_apart(twice, apart) == [twice]
    assert told_apart(twice, apart | {"io_cliff": "{{ shared_buffers.gain }} {{ io_cliff.gain }}"}) == []
    assert told_apart([twice[0], twice[1]._replace(what=("P99", what[1]))], apart) == []


def test_a_question_asks_each_thing_once_and_gives_each_number_once() -> None:
    for page in LEADS:
        rows = re.findall(r"^\| (?!Asked|-)(.+?) \| (.+?) \|", (ROOT / f"{page}.md").read_text("utf-8"), re.MULTILINE)
        for column in zip(*rows, strict=True):
            twice = [cell for place, cell in enumerate(column) if cell in column[:place]]
            assert not twice, f"{page}: {twice}"


def printed(text: str) -> set[tuple[str, str]]:
    """Chapter and name of each number that a page prints."""
    every = {pair for part in PRINTED.findall(text) for pair in NUMBER.findall(part)}
    return {(chapter, name) for chapter, name in every if chapter in planted_numbers.measured()}


def test_what_is_told_first_stands_in_the_table_of_a_question() -> None:
    """The first page and the trials take their numbers from where they are told with their conditions."""
    told = {pair for text in questions().values() for pair in printed(text)}
    for path in FIRST:
        assert printed((ROOT / path).read_text("utf-8")) <= told, path
