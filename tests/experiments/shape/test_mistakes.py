"""What a newcomer is told of a mistake in a chapter's modules: file, line and mend; the other chapters go on."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from benchbook import experiments, lab
from benchbook.cli.commands import app
from benchbook.errors import BenchbookError, MachineError
from benchbook.experiments import catalogue
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.shape import parts
from benchbook.experiments.shape.session import naming
from benchbook.model import Configuration, PlannedTrial, Trial

INIT = '''"""Is it so?"""

from benchbook.experiments.shape.manifest import Chapter

chapter = Chapter(__name__, __doc__, "Made up", engine="none", version=1)
'''
ARMS = """from benchbook.experiments.parameters import ExperimentParameters
from benchbook.model import Configuration


class Parameters(ExperimentParameters):
    pass


def configurations(parameters):
    return (Configuration("plain", "plain", {"index": "none"}), Configuration("again", "plain", {"index": "none"}))
"""
MEASURE = """from contextlib import contextmanager

from benchbook.errors import MachineError


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
"""
PAGE = """---
ids: fig-made-up
figure: ""
title: Made up
---
"""
WHOLE = {
    "__init__": INIT,
    "arms": ARMS,
    "measure": MEASURE,
    "numbers": "from benchbook.experiments.shape.summary import Summary\n\nNUMBERS = {}\n",
    "figures": "FIGURES = {}\n",
    "page": PAGE,
}
MADE = "benchbook/experiments/made_up"
Plant = Callable[..., Any]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Write a chapter called made_up beside the others: the whole one, but for these modules; None leaves one out."""

    def write(**changed: str | None) -> Any:
        folder = tmp_path / MADE
        folder.mkdir(parents=True)
        for name, text in (WHOLE | changed).items():
            if text is not None:
                (folder / (parts.PAGE if name == "page" else f"{name}.py")).write_text(text)
        monkeypatch.setattr(experiments, "__path__", [*experiments.__path__, str(folder.parent)])
        importlib.invalidate_caches()
        catalogue._looked_for.cache_clear()
        return lab.experiment("made_up")

    yield write
    catalogue._looked_for.cache_clear()
    parts.paged.cache_clear()
    for name in [each for each in sys.modules if each.startswith("benchbook.experiments.made_up")]:
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
        ("import os\nx = = 1\n", "arms.py, line 2 cannot be loaded: invalid syntax"),
        ("\nimport nowhere_at_all\n", "arms.py, line 2 cannot be loaded: No module named 'nowhere_at_all'; install"),
        (
            "from benchbook.model import Configurations\n",
            "arms.py, line 1 cannot be loaded: cannot import name 'Configurations' from 'benchbook.model'; correct",
        ),
        ("WIDTHS = {}\nFIRST = WIDTHS['first']\n", "arms.py, line 2 cannot be loaded: 'first' is not there"),
        ("x = 1 / 0\n", "arms.py, line 1 cannot be loaded: division by zero (ZeroDivisionError)"),
        (ARMS.replace("class Parameters", "class Parameter"), "arms.py has no Parameters (did you mean 'Parameter'?)"),
    ],
)
def test_arms_that_cannot_be_loaded_are_named_with_their_line(plant: Plant, text: str, said: str) -> None:
    chapter = plant(arms=text)
    assert f"{MADE}/{said}" in told(lambda: chapter.Parameters)


def test_a_mistake_in_numbers_is_told_where_the_verdicts_are_asked_for(plant: Plant) -> None:
    chapter = plant(numbers="NUMBERS = {'gain': ratio}\n")
    assert f"{MADE}/numbers.py, line 1 cannot be loaded: name 'ratio' is not defined" in told(lambda: chapter.answers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (INIT.replace("chapter = ", "chaptr = "), "calls its Chapter 'chaptr', where every chapter's holds `chapter`"),
        ('"""Is it so?"""\n', "holds no Chapter"),
        ('"""Is it so?"""\n\nchapter = 1\n', "holds no Chapter"),
        (INIT.replace("version=", "vresion="), "line 5 cannot be loaded: Chapter.__init__() got an unexpected keyword"),
        (INIT.replace("import Chapter", "import Chaptr"), "line 3 cannot be loaded: cannot import name 'Chaptr'"),
        ("(\n", "line 1 cannot be loaded: '(' was never closed"),
    ],
)
def test_a_package_that_is_no_chapter_is_told_and_the_others_are_listed(plant: Plant, text: str, said: str) -> None:
    assert said in told(lambda: plant(__init__=text))
    assert f"{MADE}/__init__.py" in catalogue.unusable()["made_up"].problem
    done = CliRunner().invoke(app, ["list"], prog_name="benchbook")
    assert done.exit_code == 0
    assert "hot_cold_keys" in done.stdout
    assert "made_up is left out: " in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("name", ["arms", "measure", "numbers", "figures", "page"])
def test_a_part_that_every_chapter_has_is_missed_with_what_it_holds(plant: Plant, name: str) -> None:
    chapter = plant(**{name: None})
    (error,) = parts.lacking(chapter.package, chapter.kind)
    assert error.problem == f"the chapter made_up has no {parts.PAGE if name == 'page' else f'{name}.py'}"
    assert error.mend.startswith("write it")
    for held in parts.ALL.get(name, parts.MEASURED.get(name, ())):
        assert held in error.mend


def test_a_part_must_hold_what_is_asked_of_it(plant: Plant) -> None:
    chapter = plant(numbers="from benchbook.experiments.shape.summary import Summary\n")
    (error,) = parts.lacking(chapter.package, chapter.kind)
    assert error.problem.startswith(f"{MADE}/numbers.py has no NUMBERS")


def test_an_analysis_measures_nothing(plant: Plant) -> None:
    chapter = plant(measure=None, arms=ARMS.replace("def configurations", "def unused"))
    assert list(parts.lacking(chapter.package, Kind.ANALYSIS)) == []


def planned(name: str = "plain") -> PlannedTrial:
    return PlannedTrial(0, 0, Configuration(name, name), 1)


def test_a_name_that_is_not_there_is_told_with_chapter_configuration_and_line(plant: Plant) -> None:
    with plant().session(None, lambda what, share: None) as session:
        said = told(lambda: session.measure(planned()))
    assert said.startswith("made_up, configuration plain: 'quries.service' is not there (a KeyError)")
    assert f"({MADE}/measure.py, line 11)" in said


def test_what_an_engine_refuses_keeps_its_kind_and_is_named(plant: Plant) -> None:
    with plant().session(None, lambda what, share: None) as session, pytest.raises(MachineError) as caught:
        session.provenance()
    assert str(caught.value) == "made_up: the request was refused; correct it"


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


def test_only_a_session_that_measures_in_turns_says_that_it_does() -> None:
    assert hasattr(type(naming("made_up", InTurns())), "side_by_side")
    assert not hasattr(naming("made_up", object()), "side_by_side")


def test_what_else_a_session_has_is_still_there(plant: Plant) -> None:
    with plant().session(None, lambda what, share: None) as session:
        session.session.cluster = "here"
        assert session.cluster == "here"


def test_a_mistake_before_the_first_trial_has_its_line_too(plant: Plant) -> None:
    chapter = plant()
    assert told(lambda: chapter.needs(None)).startswith(
        f"made_up: 'row' is not there (a KeyError) ({MADE}/measure.py, line 15)"
    )


def test_two_configurations_of_one_name_are_refused(plant: Plant) -> None:
    chapter = plant(arms=ARMS.replace('"again"', '"plain"'))
    assert told(lambda: chapter.configurations(chapter.Parameters())).startswith(
        "made_up has two configurations called plain"
    )


def test_troubles_of_the_machine_pass_as_they_are(plant: Plant) -> None:
    chapter = plant(
        measure=MEASURE.replace('return {"query.service": [1]}["quries.service"]', "raise OSError(28, 'x')")
    )
    with chapter.session(None, lambda what, share: None) as session, pytest.raises(OSError, match="x"):
        session.measure(planned())


def test_a_figure_that_asks_for_what_is_not_there_is_named_with_its_line(plant: Plant) -> None:
    chapter = plant(figures="FIGURES = {'first': lambda summary: summary.leveel('plain')}\n")
    said = told(lambda: chapter.figures(object()))
    assert said.startswith("made_up, figure first: 'object' object has no attribute 'leveel' (AttributeError)")
    assert f"({MADE}/figures.py, line 1)" in said
