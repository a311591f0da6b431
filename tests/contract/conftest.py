"""Whatever experiments exist: found, not listed."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from asking import Made, made
from representatives import is_long

from benchbook import lab, project
from benchbook.experiments import chosen_runs
from benchbook.model import Run
from benchbook.parameters.kinds import Kind

SHARING = ("test_results", "test_fewer_parts", "test_single_chapters")
"""Modules that look at the same figures and verdicts: one worker makes them once."""


OF_A_FAMILY = "test_fewer_parts"
"""Of these, every test run looks at one chapter of each family, and the long one at the others."""


def pytest_itemcollected(item: pytest.Function) -> None:
    if item.path.stem in SHARING:
        item.add_marker(pytest.mark.xdist_group("contract"))
    callspec = getattr(item, "callspec", None)
    if item.path.stem == OF_A_FAMILY and callspec and is_long(callspec.params["planned"]):
        item.add_marker(pytest.mark.long)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    analyses = lab.analyses()
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", lab.names())
    if "planned" in metafunc.fixturenames:
        metafunc.parametrize("planned", [name for name in lab.names() if name not in analyses])
    if "measured" in metafunc.fixturenames:
        metafunc.parametrize(
            "measured", [name for name in lab.names() if lab.experiment(name).kind is Kind.MEASUREMENT]
        )


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return Path(__file__).parents[2]


OWN = {
    name: chosen_runs.own_run(lab.experiment(name))
    for name in lab.names()
    if not (project.published() / name).is_dir() and lab.experiment(name).kind is Kind.MEASUREMENT
}
"""This machine's own runs of chapters of which none is published, found before the tests forget what was made here."""


@cache
def found_run(name: str) -> Run | None:
    """The run that stands for a chapter: the published one, else this machine's own; None where there is neither."""
    return chosen_runs.run(lab.experiment(name)) or OWN.get(name)


@pytest.fixture(scope="session")
def shown() -> Callable[[str], Run]:
    """By a chapter's name its run; a test of a chapter that has none is skipped."""

    def find(name: str) -> Run:
        run = found_run(name)
        if run is None:
            pytest.skip(f"no run of {name} is published yet, and none of this version was measured here")
        return run

    return find


@pytest.fixture(scope="session")
def of(shown: Callable[[str], Run]) -> Callable[[str], Made]:
    """By a chapter's name what it makes of that run, made once for all tests; what a figure lacks is of another run."""

    @cache
    def once(name: str) -> Made:
        module = lab.experiment(name)
        found = made(module, module.Parameters() if module.kind is Kind.ANALYSIS else shown(name))
        lacking = any(figure.lacks for figure in found.figures.values())
        return replace(found, figures=lab.figures(module, found.summary)) if lacking else found

    return once


@pytest.fixture(scope="session")
def drawn() -> list[str]:
    """The chapters that have something to show."""
    return [name for name in lab.names() if name in lab.analyses() or found_run(name) is not None]
