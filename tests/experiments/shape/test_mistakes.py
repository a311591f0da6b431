"""What a newcomer is told of a mistake in a chapter's modules: file, line and mend; the other chapters go on."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchbook import chapters, lab
from benchbook.cli.commands import app
from benchbook.errors import BenchbookError, MachineError
from benchbook.experiments import catalogue, parts
from benchbook.experiments.mistakes import naming
from benchbook.model import Configuration, PlannedTrial, Trial
from benchbook.parameters import heads
from benchbook.parameters.kinds import Kind

MODULE = """from contextlib import contextmanager

from benchbook.errors import MachineError
from benchbook.kit import Configuration, ExperimentParameters
from benchbook.numbers.summary import Summary


class Parameters(ExperimentParameters):
    pass


def configurations(parameters):
    return (Configuration("plain", "plain", {"index": "none"}), Configuration("again", "plain", {"index": "none"}))


class Session:
    def provenance(self):
        raise MachineError("the request was refused", "correct it")

    def measure(self, planned):
        return {"query.service": [1]}["quries.service"]


def needs(parameters):
    return {"rows": 1}["row"]


@contextmanager
def session(parameters, progress):
    yield Session()


def reduce(latencies):
    return {}


NUMBERS = {}
FIGURES = {}
"""
PAGE = """---
subject: Made up
question: Is it so?
engine: none
version: 1
ids: fig-made-up
figure: ""
title: Made up
---
"""
MADE = "benchbook/chapters/made_up"
Plant = Callable[..., Any]


def line(text: str) -> int:
    return MODULE.splitlines().index(text) + 1


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Write a chapter called made_up beside the others: the whole one, but for these modules; None leaves one out."""

    def write(module: str | None = MODULE, page: str = PAGE) -> Any:
        folder = (tmp_path / MADE).parent
        folder.mkdir(parents=True)
        for name, text in {"made_up.py": module, "made_up.md": page}.items():
            if text is not None:
                (folder / name).write_text(text)
        monkeypatch.setattr(chapters, "__path__", [*chapters.__path__, str(folder)])
        known, find, own = heads.pages(), heads.page, folder / "made_up.md"
        monkeypatch.setattr(heads, "pages", lambda: known | {"made_up": own})
        monkeypatch.setattr(heads, "page", lambda name: own if name == "made_up" else find(name))
        importlib.invalidate_caches()
        catalogue._looked_for.cache_clear()
        return lab.experiment("made_up")

    yield write
    catalogue._looked_for.cache_clear()
    parts.paged.cache_clear()
    for name in [each for each in sys.modules if each.startswith("benchbook.chapters.made_up")]:
        del sys.modules[name]


def told(ask: Callable[[], object]) -> str:
    with pytest.raises(BenchbookError) as caught:
        ask()
    assert caught.value.mend
    assert "/tmp" not in str(caught.value)
    return str(caught.value)


def test_a_whole_chapter_lacks_nothing(plant: Plant) -> None:
    chapter = plant()
    assert list(parts.lacking(chapter.package, chapter.kind)) == []
    assert catalogue.unusable() == {}
    assert "made_up" in lab.names()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\nx = = 1\n", ".py, line 2 cannot be loaded: invalid syntax"),
        ("\nimport nowhere_at_all\n", ".py, line 2 cannot be loaded: No module named 'nowhere_at_all'; install"),
        (
            "from benchbook.model import Configurations\n",
            ".py, line 1 cannot be loaded: cannot import name 'Configurations' from 'benchbook.model'; correct",
        ),
        ("WIDTHS = {}\nFIRST = WIDTHS['first']\n", ".py, line 2 cannot be loaded: 'first' is not there"),
        ("x = 1 / 0\n", ".py, line 1 cannot be loaded: division by zero (ZeroDivisionError)"),
        (MODULE.replace("class Parameters", "class Parameter"), ".py has no Parameters (did you mean 'Parameter'?)"),
    ],
)
def test_a_module_that_cannot_be_loaded_is_named_with_its_line(plant: Plant, text: str, said: str) -> None:
    chapter = plant(module=text)
    assert f"{MADE}{said}" in told(lambda: chapter.Parameters)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PAGE.replace("question", "qestion"), "made_up.md: question: Field required"),
        (PAGE.replace("version: 1", "version: one"), "made_up.md: version: Input should be a valid integer"),
        ("Words.\n", "made_up.md does not begin with settings"),
    ],
)
def test_a_page_that_is_of_no_chapter_is_told_and_the_others_are_listed(plant: Plant, text: str, said: str) -> None:
    assert said in told(lambda: plant(page=text))
    assert said in catalogue.unusable()["made_up"].problem
    done = CliRunner().invoke(app, ["list"], prog_name="benchbook")
    assert done.exit_code == 0
    assert "hot_cold_keys" in done.stdout
    assert "made_up is left out: " in done.stderr
    assert said in done.stderr


def test_a_module_must_hold_what_is_asked_of_it(plant: Plant) -> None:
    chapter = plant(module=MODULE.replace("NUMBERS = {}", ""))
    (error,) = parts.lacking(chapter.package, chapter.kind)
    assert error.problem.startswith(f"{MADE}.py has no NUMBERS")


def test_an_analysis_measures_nothing(plant: Plant) -> None:
    chapter = plant(module=MODULE.replace("def configurations", "def unused").replace("def needs", "def neither"))
    assert list(parts.lacking(chapter.package, Kind.ANALYSIS)) == []


def planned(name: str = "plain") -> PlannedTrial:
    return PlannedTrial(0, 0, Configuration(name, name), 1)


@pytest.mark.parametrize(
    ("old", "new", "ask", "said", "where"),
    [
        ("", "", lambda chapter: chapter.needs(None), "made_up: 'row' is not there (a KeyError)",
         '    return {"rows": 1}["row"]'),
        ("", "", lambda chapter: trial(chapter), "made_up, configuration plain: 'quries.service' is not there (a Key",
         '        return {"query.service": [1]}["quries.service"]'),
        ("NUMBERS = {}", "NUMBERS = {'gain': ratio}", lambda chapter: chapter.answers,
         "cannot be loaded: name 'ratio' is not defined", "NUMBERS = {}"),
        ('"again"', '"plain"', lambda chapter: chapter.configurations(chapter.Parameters()),
         "made_up has two configurations called plain", ""),
        ("FIGURES = {}", "FIGURES = {'first': lambda summary: summary.leveel('plain')}",
         lambda chapter: chapter.figures(object()),
         "made_up, figure first: 'object' object has no attribute 'leveel' (AttributeError)", "FIGURES = {}"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_chapter_part_and_line(
    plant: Plant, old: str, new: str, ask: Callable[[Any], object], said: str, where: str
) -> None:
    chapter = plant(module=MODULE.replace(old, new))
    text = told(lambda: ask(chapter))
    assert said in text
    assert not where or f"{MADE}.py, line {line(where)}" in text


def trial(chapter: Any) -> object:
    with chapter.session(None, lambda *_: None) as session:
        return session.measure(planned())


def test_a_chapter_without_a_module_is_told(plant: Plant) -> None:
    chapter = plant(module=None)
    assert "the chapter made_up has no module" in told(lambda: chapter.Parameters)


def test_what_an_engine_refuses_and_troubles_of_the_machine_keep_their_kind(plant: Plant) -> None:
    chapter = plant(module=MODULE.replace('return {"query.service": [1]}["quries.service"]', "raise OSError(28, 'x')"))
    with chapter.session(None, lambda *_: None) as session:
        with pytest.raises(MachineError) as caught:
            session.provenance()
        assert str(caught.value) == "made_up: the request was refused; correct it"
        session.session.cluster = "here"
        assert session.cluster == "here", "what else a session has is still there"
        with pytest.raises(OSError, match="x"):
            session.measure(planned())


class InTurns:
    """A session whose configuration called plain fails."""

    def side_by_side(self, planned: Any, between: Any, say: Any) -> Iterator[Trial]:
        for each in planned:
            if each.configuration.name != "plain":
                yield Trial(each, "2026-01-17T10:00:00+00:00", 1.0, {}, {}, {})
        raise BenchbookError("the request was refused", "correct it")


def test_of_a_group_the_configuration_that_has_no_trial_is_named() -> None:
    both = [planned("plain"), planned("again")]
    found = naming("made_up", InTurns()).side_by_side(both, lambda: None, lambda text: None)
    assert next(found).planned.configuration.name == "again"
    with pytest.raises(BenchbookError) as caught:
        next(found)
    assert caught.value.problem == "made_up, configuration plain: the request was refused"
