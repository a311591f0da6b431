"""What every experiment's module offers, its profiles, and the bounds of its parameters and plans."""

import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from benchbook import lab
from benchbook.claims import Quantity, Rule, Testable, load_claims
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue, parts
from benchbook.measuring.features import parameters as features
from benchbook.measuring.pgbench import parameters as pgbench
from benchbook.parameters.base import AnalysisParameters, ExperimentParameters
from benchbook.parameters.kinds import Kind
from benchbook.parameters.planning import MOST_TRIALS
from benchbook.parameters.profiles import PROFILES, STANDARD, profile
from benchbook.runner import growth
from benchbook.store import record

MEASURED = {"needs": ["parameters"], "session": ["parameters", "progress"], "reduce": ["latencies"]}
"""Functions of a chapter's measure.py and their arguments."""


def test_there_are_experiments() -> None:
    assert lab.names()
    assert lab.names() == sorted(lab.names())
    assert {name: str(error) for name, error in catalogue.unusable().items()} == {}


def test_an_experiment_has_the_parts_that_all_have(name: str) -> None:
    chapter = lab.experiment(name)
    assert chapter.name == name
    assert chapter.title.strip()
    assert (chapter.question or "").strip().endswith(("?", ".")), "its page says what it asks"
    analysis = chapter.kind is Kind.ANALYSIS
    assert [str(error) for error in parts.lacking(chapter.package, chapter.kind)] == []
    assert issubclass(chapter.Parameters, AnalysisParameters if analysis else ExperimentParameters)
    assert (chapter.version == 0) is analysis, "a measurement has a version from 1 on"
    if analysis:
        return
    for function, arguments in MEASURED.items():
        found = list(inspect.signature(getattr(parts.module(chapter.package), function)).parameters)
        assert found == arguments, f"{function} takes these arguments, by these names: {', '.join(arguments)}"


def test_answers_are_there_where_the_ledger_has_claims_and_say_what_they_stand_on(name: str) -> None:
    chapter = lab.experiment(name)
    claims = [claim.id for claim in load_claims().values() if claim.chapter == name]
    own = chapter.answers
    assert own.given or not claims, f"write the claims of page.md: the ledger has {', '.join(claims)}"
    if not claims or chapter.kind is Kind.ANALYSIS:
        return
    assert "checks" in vars(chapter.page.module), "define checks(summary, answer), which may yield nothing"
    timed = [answer.claim for answer in own.given if answer.estimand.metric is not None]
    assert own.pair or own.gates or not timed, f"define AA, the baseline twice: {', '.join(timed)} compare times"


@pytest.mark.parametrize("which", PROFILES)
def test_every_profile_is_accepted_and_plans_complete_blocks_with_an_a_a_arm(planned: str, which: str) -> None:
    module = lab.experiment(planned)
    parameters = module.Parameters.given(profile(planned, which))
    plan = module.plan(parameters)
    assert {trial.block for trial in plan.trials} == set(range(parameters.blocks))
    names = [configuration.name for configuration in plan.configurations]
    assert len(set(names)) == len(names)
    for block in range(parameters.blocks):
        assert sorted(t.configuration.name for t in plan.trials if t.block == block) == sorted(names)
    assert lab.profile_of(module, parameters) == which
    if module.kind is Kind.SIMULATION:
        return
    groups: dict[str, list[str]] = {}
    for configuration in plan.configurations:
        groups.setdefault(repr(sorted(configuration.settings.items())), []).append(configuration.group)
    twins = [found for found in groups.values() if len(found) >= 2]
    assert twins, "add an A/A arm: two configurations with the same settings under two names"
    assert any(len({*found}) < len(found) for found in twins), "put the A/A pair into one group, where they take turns"
    assert module.needs(parameters).disk_bytes > 0, "say in needs how much disk a run takes"


def test_every_claim_that_is_testable_here_has_its_estimand_and_nothing_else_has(planned: str) -> None:
    claims = [claim for claim in load_claims().values() if claim.chapter == planned]
    testable = {claim.id for claim in claims if claim.testable is Testable.HERE and claim.rule is not Rule.PROSE}
    found = set(estimands(planned))
    assert sorted(testable - found) == [], f"page.md of {planned} lacks these claims of the ledger"
    read = {claim.id for claim in claims if claim.testable is Testable.BY_READING}
    assert sorted(found - testable - read) == [], f"the ledger has no such claims of {planned} that are testable here"
    assert sorted(read - found) == [], f"page.md of {planned} lacks these claims, which are decided by reading"


def estimands(name: str) -> dict[str, Any]:
    chapter = lab.experiment(name)
    answers = chapter.answers.given
    found = {answer.claim: answer.estimand for answer in answers}
    assert len(found) == len(answers), "one answer for each claim"
    return found


def test_every_estimand_declares_what_kind_of_quantity_it_is(planned: str) -> None:
    for id_, estimand in estimands(planned).items():
        assert isinstance(estimand.quantity, Quantity), id_
        timed = estimand.quantity in (Quantity.COMPARISON, Quantity.PARTS)
        assert estimand.metric or not timed, f"{id_} compares times: name the metric whose A/A pair must agree"
        counted = estimand.quantity is Quantity.COUNTER
        assert not (estimand.metric and counted), f"{id_} counts, so that no A/A pair bears on it"


def test_every_configuration_that_an_estimand_names_is_measured_by_some_profile(planned: str) -> None:
    chapter = lab.experiment(planned)
    known = {
        arm for which in PROFILES for arm in chapter.configurations(chapter.Parameters.given(profile(planned, which)))
    }
    for id_, estimand in estimands(planned).items():
        named = {arm for arm in estimand.arms if isinstance(arm, str)}
        assert sorted(named - known) == [], f"{id_} names configurations that {planned} does not have"


def causal_by_time() -> list[Any]:
    """Claims that name a cause and compare what takes time, of the chapters whose arms may do the same work.

    Those are on a server's settings, which may change nothing, and on what its cache holds: only a counter tells.
    """
    claims = load_claims()
    found = [
        (name, id_)
        for name in lab.names()
        if issubclass(lab.experiment(name).Parameters, pgbench.Parameters | features.Features)
        for id_, estimand in estimands(name).items()
        if claims[id_].kind == "causal" and estimand.quantity is Quantity.COMPARISON
    ]
    assert found
    return found


@pytest.mark.parametrize(("chapter", "id_"), causal_by_time())
def test_a_claim_that_names_a_cause_says_whether_it_acted(chapter: str, id_: str) -> None:
    assert estimands(chapter)[id_].idle is not None, "name the counter that tells (protocol, item 13a)"


def test_the_quick_profile_measures_less_than_the_standard_and_the_paper_profile_more(planned: str) -> None:
    module = lab.experiment(planned)
    given = {which: module.Parameters.given(profile(planned, which)) for which in PROFILES}
    if module.kind is Kind.SIMULATION:
        sizes, what = {which: len(module.plan(each).trials) for which, each in given.items()}, "trials"
    else:
        sizes = {which: int(module.needs(each).disk_bytes) for which, each in given.items()}
        what = "bytes of disk, by needs(...)"
    for less, more in pairwise(PROFILES):
        file = f"{less if less != STANDARD else more} of {planned}.md"
        assert sizes[less] < sizes[more], (
            f"{more} takes {sizes[more]:,} {what}, {less} {sizes[less]:,}: change sizes in {file} until {more} takes "
            "more than it, or let needs(...) grow with them"
        )


def test_parameters_survive_being_stored(planned: str) -> None:
    module = lab.experiment(planned)
    for which in PROFILES:
        parameters = module.Parameters.given(profile(planned, which))
        assert module.Parameters.given(parameters.model_dump(mode="json")) == parameters


FAR = 10**30


def too_much(name: str) -> Iterator[tuple[str, Any]]:
    """For each parameter of a chapter a value that is far beyond what anybody would ask for."""
    parameters: Any = lab.experiment(name).Parameters
    for field, value in parameters():
        if isinstance(value, tuple):
            yield field, [*value] * 10_000 or [1] * 10_000
            if not any(isinstance(each, str) for each in value):
                yield field, [FAR]
                yield field, [-FAR]
        elif not isinstance(value, bool):
            yield field, FAR
            yield field, -FAR


def test_a_value_far_beyond_use_is_refused(name: str) -> None:
    parameters: Any = lab.experiment(name).Parameters
    given = [*too_much(name)]
    assert given
    taken = [f"{field}={str(value)[:40]}" for field, value in given if takes(parameters, field, value)]
    assert taken == []


def takes(parameters: Any, field: str, value: Any) -> bool:
    try:
        parameters.given({field: value})
    except BenchbookError:
        return False
    return True


def test_a_list_of_many_values_is_refused_whatever_they_are() -> None:
    parameters: Any = lab.experiment("scale").Parameters
    with pytest.raises(BenchbookError, match="101 values, and 100 are the most"):
        parameters.given({"rows": [10_000 + each for each in range(101)]})


def test_a_plan_of_more_trials_than_anybody_would_wait_for_is_refused_before_it_is_made(planned: str) -> None:
    chapter = lab.experiment(planned)
    assert len(chapter.configurations(chapter.Parameters())) * record.MOST_BLOCKS <= MOST_TRIALS
    for blocks in (10**7, FAR):
        with pytest.raises(BenchbookError, match="trials"):
            chapter.plan(chapter.Parameters(), blocks=blocks)


def test_blocks_are_added_up_to_what_a_record_may_have() -> None:
    assert growth.MOST == record.MOST_BLOCKS
