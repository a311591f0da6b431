"""What every experiment's module offers, and its profiles."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchbook import experiments, lab
from benchbook.claims import Quantity, Rule, Testable, load_claims
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


def test_no_module_with_parameters_is_overlooked() -> None:
    found = [info.name for info in pkgutil.iter_modules(experiments.__path__)]
    meant = [name for name in found if hasattr(importlib.import_module(f"benchbook.experiments.{name}"), "Parameters")]
    assert sorted(set(meant) - set(lab.names())) == [], "these lack NAME, by which an experiment is found"


def test_an_experiment_has_the_names_that_all_have(name: str) -> None:
    module = lab.experiment(name)
    wanted = COMMON | (ANALYSIS if kind_of(module) is Kind.ANALYSIS else PLANNED)
    values = ["TITLE", "ENGINE", "Parameters", *([] if kind_of(module) is Kind.ANALYSIS else ["MEASUREMENT_VERSION"])]
    lacking = [each for each in (*values, *wanted) if not hasattr(module, each)]
    assert not lacking, f"define these in benchbook.experiments.{name}, or import them there"
    assert name == module.NAME, "NAME is that of the module and of the notebook"
    assert module.TITLE.strip()
    analysis = kind_of(module) is Kind.ANALYSIS
    base = AnalysisParameters if analysis else ExperimentParameters
    assert issubclass(module.Parameters, base), f"derive Parameters from {base.__name__}"
    assert analysis or (isinstance(module.MEASUREMENT_VERSION, int) and module.MEASUREMENT_VERSION >= 1)
    assert (module.__doc__ or "").strip().endswith(("?", ".")), "it opens with its question"
    for function, arguments in wanted.items():
        found = list(inspect.signature(getattr(module, function)).parameters)
        assert found == arguments, f"{function} takes these arguments, by these names: {', '.join(arguments)}"


def test_every_parameter_says_what_it_means(name: str) -> None:
    for parameter, field in lab.experiment(name).Parameters.model_fields.items():
        assert (field.description or "").strip(), f"give {parameter} a Field with a description"


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
    assert max(settings.values()) >= 2, "add an A/A arm: two configurations with the same settings under two names"
    assert module.needs(parameters).disk_bytes > 0, "say in needs how much disk a run takes"


def test_every_claim_that_is_testable_here_has_its_estimand_and_nothing_else_has(planned: str) -> None:
    claims = [claim for claim in load_claims().values() if claim.chapter == planned]
    testable = {claim.id for claim in claims if claim.testable is Testable.HERE and claim.rule is not Rule.PROSE}
    found = set(estimands(planned))
    assert sorted(testable - found) == [], f"ESTIMANDS in judgements of {planned} lacks these claims of the ledger"
    assert sorted(found - testable) == [], f"the ledger has no such claims of {planned} that are testable here"


def estimands(name: str) -> dict[str, Any]:
    module = lab.experiment(name)
    if "judgements" not in {info.name for info in pkgutil.iter_modules(getattr(module, "__path__", []))}:
        return {}
    found: dict[str, Any] = importlib.import_module(f"benchbook.experiments.{name}.judgements").ESTIMANDS
    return found


def test_every_estimand_declares_what_kind_of_quantity_it_is(planned: str) -> None:
    for id_, estimand in estimands(planned).items():
        assert isinstance(estimand.quantity, Quantity), id_
        timed = estimand.quantity in (Quantity.COMPARISON, Quantity.PARTS)
        metrics = estimand.metric or getattr(estimand, "metrics", ())
        assert metrics or not timed, f"{id_} compares times: name the metric whose A/A pair must agree"
        assert not (metrics and estimand.quantity is Quantity.COUNTER), f"{id_} counts, so that no A/A pair bears on it"


def causal_by_time() -> list[Any]:
    """Claims of the chapters on pgbench that name a cause and compare what takes time."""
    claims = load_claims()
    found = [
        (name, id_)
        for name in ("io_cliff", "noise_floor", "shared_buffers")
        for id_, estimand in estimands(name).items()
        if claims[id_].kind == "causal" and estimand.quantity is Quantity.COMPARISON
    ]
    assert found
    return found


@pytest.mark.parametrize(("chapter", "id_"), causal_by_time())
def test_a_claim_that_names_a_cause_says_whether_it_acted(chapter: str, id_: str) -> None:
    assert estimands(chapter)[id_].idle is not None, "name the counter that tells (protocol, item 13a)"


def test_profiles_are_those_of_existing_experiments(root: Path) -> None:
    found = {(path.parent.name, path.stem) for path in (root / "notebooks" / "profiles").rglob("*") if path.is_file()}
    planned = set(lab.names()) - set(lab.analyses())
    wanted = {(which, name) for which in PROFILES if which != STANDARD for name in planned}
    assert sorted(wanted - found) == [], "write notebooks/profiles/PROFILE/EXPERIMENT.yaml"
    assert sorted(found - wanted) == [], "no experiment reads these files: rename or remove them"


def test_the_quick_profile_measures_less_than_the_standard_and_the_paper_profile_more(planned: str) -> None:
    module = lab.experiment(planned)
    each = [module.Parameters.given(profile(planned, which)) for which in PROFILES]
    if kind_of(module) is Kind.SIMULATION:
        quick, standard, paper = (len(module.plan(parameters).trials) for parameters in each)
    else:
        quick, standard, paper = (module.needs(parameters).disk_bytes for parameters in each)
    assert quick < standard < paper, "trials of a simulation, else needs(...).disk_bytes: let it grow with the work"


def test_parameters_survive_being_stored(planned: str) -> None:
    module = lab.experiment(planned)
    for which in PROFILES:
        parameters = module.Parameters.given(profile(planned, which))
        assert module.Parameters.given(parameters.model_dump(mode="json")) == parameters
