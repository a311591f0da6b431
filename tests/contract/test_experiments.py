"""What every experiment's module offers, and its profiles."""

from __future__ import annotations

import inspect
from collections import Counter
from pathlib import Path

import pytest

from benchbook import lab
from benchbook.experiments.parameters import ExperimentParameters
from benchbook.experiments.profiles import PROFILES, STANDARD, profile

CALLABLES = {
    "plan": ["parameters"],
    "needs": ["parameters"],
    "session": ["parameters", "progress"],
    "reduce": ["latencies"],
    "summarize": ["run"],
    "figures": ["summary"],
    "judge": ["summary"],
}


def test_there_are_experiments() -> None:
    assert lab.names()
    assert lab.names() == sorted(lab.names())


def test_an_experiment_has_the_names_that_all_have(name: str) -> None:
    module = lab.experiment(name)
    assert name == module.NAME
    assert module.TITLE.strip()
    assert isinstance(module.MEASUREMENT_VERSION, int)
    assert module.MEASUREMENT_VERSION >= 1
    assert issubclass(module.Parameters, ExperimentParameters)
    assert (module.__doc__ or "").strip().endswith(("?", ".")), "it opens with its question"
    for function, arguments in CALLABLES.items():
        assert list(inspect.signature(getattr(module, function)).parameters) == arguments, function


def test_every_parameter_says_what_it_means(name: str) -> None:
    for parameter, field in lab.experiment(name).Parameters.model_fields.items():
        assert (field.description or "").strip(), parameter


@pytest.mark.parametrize("which", PROFILES)
def test_every_profile_is_accepted_and_plans_complete_blocks_with_an_a_a_arm(name: str, which: str) -> None:
    module = lab.experiment(name)
    parameters = module.Parameters.given(profile(name, which))
    plan = module.plan(parameters)
    assert plan.blocks == parameters.blocks
    names = [configuration.name for configuration in plan.configurations]
    assert len(set(names)) == len(names)
    for block in range(plan.blocks):
        assert sorted(t.configuration.name for t in plan.trials if t.block == block) == sorted(names)
    settings = Counter(repr(sorted(configuration.settings.items())) for configuration in plan.configurations)
    assert max(settings.values()) >= 2, "two configurations are the same: the A/A arm"
    assert module.needs(parameters).disk_bytes > 0
    assert lab.profile_of(module, parameters) == which


def test_profiles_are_those_of_existing_experiments(root: Path) -> None:
    found = {(path.parent.name, path.stem) for path in (root / "notebooks" / "profiles").rglob("*") if path.is_file()}
    assert found == {(which, name) for which in PROFILES if which != STANDARD for name in lab.names()}


def test_the_quick_profile_measures_less_than_the_standard_and_the_paper_profile_more(name: str) -> None:
    module = lab.experiment(name)
    quick, standard, paper = (module.needs(module.Parameters.given(profile(name, p))).disk_bytes for p in PROFILES)
    assert quick < standard < paper


def test_parameters_survive_being_stored(name: str) -> None:
    module = lab.experiment(name)
    for which in PROFILES:
        parameters = module.Parameters.given(profile(name, which))
        assert module.Parameters.given(parameters.model_dump(mode="json")) == parameters
