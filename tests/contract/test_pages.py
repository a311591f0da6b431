"""Every page and its notebook: names are known, numbers are used; and the pages of questions have their parts."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest
from contents import LEADS, ROOT
from papermill.inspection import inspect_notebook

from benchbook import lab, project
from benchbook.book.pages import numbered_pages
from benchbook.book.parts import names as page_names
from benchbook.experiments import notebook, parts
from benchbook.experiments.paged import ADVICE, DESIGN, LESSON, Paged
from benchbook.pages import names
from benchbook.parameters.kinds import Kind

FIGURE_KNOWS = {"said", "cut", "more", "n", "series", "intervals", "marks", "keyed"}
"""What a figure knows itself when its words are filled."""
PAGES = numbered_pages.pages(ROOT)
TOLD = [(ROOT / f"{page}.md").read_text("utf-8") for page in PAGES]
"""The pages of the book that ask for numbers of chapters."""


@pytest.fixture(params=lab.names())
def chapter(request: pytest.FixtureRequest) -> Any:
    return lab.experiment(request.param)


@pytest.fixture
def paged(chapter: Any) -> Paged:
    found = parts.paged(chapter.package)
    return found


def test_every_name_is_known(paged: Paged) -> None:
    unknown = names.asked(paged.page) - paged.names.known() - FIGURE_KNOWS
    assert not unknown, f"no number or word is called {', '.join(sorted(unknown))}"


def test_every_number_and_word_is_used(chapter: Any, paged: Paged) -> None:
    used = names.asked(paged.page) | {each.number for each in paged.page.front.claims.values()}
    used |= {
        name for page in TOLD for chapter_asked, name in numbered_pages.asked(page) if chapter_asked == chapter.name
    }
    own = {*paged.names.numbers, *getattr(paged.module, "WORDS", {})}
    assert not own - used, f"page.md does not use {', '.join(sorted(own - used))}"


def test_its_figures_are_those_that_are_drawn(chapter: Any, paged: Paged) -> None:
    drawn = {*parts.held(chapter.package, "FIGURES")}
    named = {each.figure for each in paged.page.front.claims.values() if each.figure} | {paged.page.front.figure}
    assert not named - drawn, "claims name figures that there are not"
    assert not {*paged.page.figures} - drawn, "page.md has words for figures that there are not"


def test_each_of_its_figures_says_what_it_shows(paged: Paged) -> None:
    silent = [name for name, figure in paged.page.figures.items() if not figure.findings]
    assert not silent, f"write `finding:` for {', '.join(silent)}"


def test_each_part_is_shown_or_taken(chapter: Any, paged: Paged) -> None:
    shown = [(each.kind, each.name) for each in paged.page.blocks]
    parts_shown, tables_shown = ({name for kind, name in shown if kind == wanted} for wanted in ("say", "table"))
    front = paged.page.front
    elsewhere = {LESSON, ADVICE, *paged.page.taken, *front.numbers, *(each.beside for each in front.claims.values())}
    assert (DESIGN in parts_shown) is (chapter.kind is not Kind.ANALYSIS)
    assert not {*paged.page.parts} - parts_shown - elsewhere, "nothing shows these parts: {say} them, or leave them out"
    assert tables_shown == {*paged.page.tables, *getattr(paged.module, "TABLES", {})}


def test_pages_of_the_book_ask_for_numbers_that_there_are(root: Path) -> None:
    claims = page_names.ids(root / "data" / "claims.csv")
    for page, text in zip(PAGES, TOLD, strict=True):
        for asked, name in numbered_pages.asked(text):
            if asked == numbered_pages.VERDICT:
                assert name in claims, f"{page}: {name} is no claim"
            elif asked != numbered_pages.BOOK:
                assert name in lab.experiment(asked).page.names.own(), f"{page}: {asked} has no number {name}"


def test_every_notebook_belongs_to_an_experiment(root: Path) -> None:
    found = {path.stem for path in project.of_chapters(root)}
    assert sorted(found - set(lab.names())) == [], "these notebooks have no module in benchbook.chapters"


def test_each_is_made_of_its_chapters_page_and_parameters(name: str, root: Path) -> None:
    found = (root / "notebooks" / f"{name}.ipynb").read_text("utf-8")
    assert found == notebook.of(lab.experiment(name)), "write it anew: make notebooks"


def test_papermills_help_has_the_type_the_default_and_the_words_of_each_parameter(name: str, root: Path) -> None:
    model = lab.experiment(name).Parameters
    shown = inspect_notebook(root / "notebooks" / f"{name}.ipynb")
    assert [*shown] == [*model.model_fields]
    for each, field in model.model_fields.items():
        told = shown[each]
        assert told["inferred_type_name"] == notebook.python_type(field.annotation)
        assert model.given({each: ast.literal_eval(told["default"])}) == model()
        words = told["help"].removesuffix(" …")
        assert len(words) > 8, each
        assert notebook.meaning(each, field).startswith(words)


def test_the_chapter_is_in_the_table_of_contents_once(name: str, root: Path) -> None:
    line = f"- file: book/chapters/{name}"
    contents = [each.strip() for each in (root / "_toc.yml").read_text().splitlines()]
    assert contents.count(line) == 1, f"put `{line}` once into _toc.yml"


def test_the_key_figure_follows_the_answer_and_its_numbers(name: str) -> None:
    paged = lab.experiment(name).page
    shown = [each for each in paged.page.blocks if each.kind != "part"]
    assert paged.page.front.figure in [each.name for each in shown[:2] if each.kind == "figure"], "it stands first"
    assert len(paged.teaching.numbers) == 3, "give the page three numbers: they stand on the first screen"


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
