"""The chapters that lead the book: each asks, answers, advises, shows a figure and names the experiments below it."""

import re
from pathlib import Path

import pytest
from contents import LEADS, ROOT

from benchbook import lab

LONGEST = 40
"""Words of a sentence."""


def test_every_experiment_stands_below_one_question_and_every_question_is_listed() -> None:
    assert sorted(name for below in LEADS.values() for name in below) == sorted(lab.names())
    for folder in ("questions", "trials"):
        pages = {f"book/{folder}/{path.stem}" for path in (ROOT / "book" / folder).glob("*.md")}
        assert pages <= set(re.findall(r"book/\w+/\w+", (ROOT / "_toc.yml").read_text("utf-8")))


@pytest.mark.parametrize("page", LEADS)
def test_a_question_has_its_parts(page: str) -> None:
    text = (ROOT / f"{page}.md").read_text("utf-8")
    assert re.search(
        r"^# .+\n\n\*Question\.\* .+\?\n\n\*\*.+\n\n\*\*What to do\.\*\* .+\n\n```{benchbook-figure}", text
    )
    listed = re.findall(r"^- {chapter}`(\w+)`", text, re.MULTILINE)
    assert set(LEADS[page]) <= set(listed)
    for number in re.findall(r"{chapter}`(\w+)`", text):
        assert number in lab.names()


@pytest.mark.parametrize(
    "page", sorted(path for folder in ("questions", "trials") for path in (ROOT / "book" / folder).glob("*.md"))
)
def test_its_sentences_can_be_read_aloud(page: Path) -> None:
    prose = [line for line in page.read_text("utf-8").splitlines() if not re.match(r"[|`:#]", line)]
    text = re.sub(r"{[{%].*?[}%]}", "0", " ".join(prose))
    for sentence in re.split(r"(?<=[.?!:;])\**\s", text):
        assert len(sentence.split()) <= LONGEST, sentence
