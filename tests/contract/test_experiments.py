"""What every experiment's module offers, and its profiles."""

from __future__ import annotations

import importlib.util
import inspect
from collections import Counter
from pathlib import Path

import pytest

from benchbook import lab
from benchbook.claims import Rule, Testable, load_claims
from benchbook.experiments.kinds import Kind, kind_of
from benchbook.experiments.parameters import AnalysisParameters, ExperimentParameters
from benchbook.experiments.profiles import PROFILES, STANDARD, profile

COMMON = {"figures": ["summary"], "judge": ["summary"], "lesson": ["summary"]}
PLANNED = {
    "plan": ["parameters"],
    "needs": ["parameters"],
    "session": ["parameters", "progress"],
    "reduce": ["latencies"],
    "summarize": ["run"],
}
ANALYSIS = {"summarize": ["parameters"]}


def test_there_are_experiments() -> None:
    assert lab.names()
    assert lab.names() == sorted(lab.names())


def test_an_experiment_has_the_names_that_all_have(name: str) -> None:
    module = lab.experiment(name)
    assert name == module.NAME
    assert module.TITLE.strip()
    analysis = kind_of(module) is Kind.ANALYSIS
    assert issubclass(module.Parameters, AnalysisParameters if analysis else ExperimentParameters)
    assert analysis or (isinstance(module.MEASUREMENT_VERSION, int) and module.MEASUREMENT_VERSION >= 1)
    assert (module.__doc__ or "").strip().endswith(("?", ".")), "it opens with its question"
    for function, arguments in (COMMON | (ANALYSIS if analysis else PLANNED)).items():
        assert list(inspect.signature(getattr(module, function)).parameters) == arguments, function


def test_every_parameter_says_what_it_means(name: str) -> None:
    for parameter, field in lab.experiment(name).Parameters.model_fields.items():
        assert (field.description or "").strip(), parameter


@pytest.mark.parametrize("which", PROFILES)
def test_every_profile_is_accepted_and_plans_complete_blocks_with_an_a_a_arm(planned: str, which: str) -> None:
    module = lab.experiment(planned)
    parameters = module.Parameters.given(profile(planned, which))
    plan = module.plan(parameters)
    assert plan.blocks == parameters.blocks
    names = [configuration.name for configuration in plan.configurations]
    assert len(set(names)) == len(names)
    for block in range(plan.blocks):
        assert sorted(t.configuration.name for t in plan.trials if t.block == block) == sorted(names)
    assert lab.profile_of(module, parameters) == which
    if kind_of(module) is Kind.SIMULATION:
        return
    settings = Counter(repr(sorted(configuration.settings.items())) for configuration in plan.configurations)
    assert max(settings.values()) >= 2, "two configurations are the same: the A/A arm"
    assert module.needs(parameters).disk_bytes > 0


def test_every_claim_that_is_testable_here_has_its_estimand_and_nothing_else_has(planned: str) -> None:
    claims = [claim for claim in load_claims().values() if claim.chapter == planned]
    testable = {claim.id for claim in claims if claim.testable is Testable.HERE and claim.rule is not Rule.PROSE}
    name = f"benchbook.experiments.{planned}.judgements"
    estimands = importlib.import_module(name).ESTIMANDS if importlib.util.find_spec(name) else {}
    assert set(estimands) == testable


def test_profiles_are_those_of_existing_experiments(root: Path) -> None:
    found = {(path.parent.name, path.stem) for path in (root / "notebooks" / "profiles").rglob("*") if path.is_file()}
    planned = set(lab.names()) - set(lab.analyses())
    assert found == {(which, name) for which in PROFILES if which != STANDARD for name in planned}


def test_the_quick_profile_measures_less_than_the_standard_and_the_paper_profile_more(planned: str) -> None:
    module = lab.experiment(planned)
    each = [module.Parameters.given(profile(planned, which)) for which in PROFILES]
    if kind_of(module) is Kind.SIMULATION:
        quick, standard, paper = (len(module.plan(parameters).trials) for parameters in each)
    else:
        quick, standard, paper = (module.needs(parameters).disk_bytes for parameters in each)
    assert quick < standard < paper


def test_parameters_survive_being_stored(planned: str) -> None:
    module = lab.experiment(planned)
    for which in PROFILES:
        parameters = module.Parameters.given(profile(planned, which))
        assert module.Parameters.given(parameters.model_dump(mode="json")) == parameters
