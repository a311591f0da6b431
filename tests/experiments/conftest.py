"""The tiny run that a test module measures once, the checks that such modules share, and machines that hold still."""

from pathlib import Path

import busy
import pytest
import representatives

from benchbook import lab, store
from benchbook.claims import rules
from benchbook.model import Run
from benchbook.numbers import environment, judging
from benchbook.statistics import Movement

pytest.register_assert_rewrite("tiny_runs")

CALLER = {
    "PGHOSTADDR": "127.0.0.1",
    "PGPORT": "1",
    "PGOPTIONS": "-c enable_indexscan=off",
    "PGSERVICE": "none",
    "PGDATABASE": "elsewhere",
    "PGUSER": "somebody",
    "PGSSLMODE": "verify-full",
    "PGREQUIREAUTH": "scram-sha-256",
    "PGDATESTYLE": "German",
}


def pytest_itemcollected(item: pytest.Function) -> None:
    """Chapters that do not stand for their family are measured by the long test run alone."""
    if item.get_closest_marker("engine"):
        chapter = representatives.measured_by(item)
        if chapter is not None and representatives.is_long(chapter):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="module")
def run(request: pytest.FixtureRequest, module_home: Path) -> Run:
    """The run of the module's CHAPTER with its PARAMETERS, or one of its RUNS, measured in a project of its own.

    Its caller has a server of its own in mind, where nobody listens; a run that heeds that fails.
    """
    chapter = lab.experiment(getattr(request, "param", None) or request.module.CHAPTER)
    if hasattr(request, "param"):
        parameters = chapter.Parameters.given(request.module.RUNS[request.param].parameters)
    else:
        parameters = request.module.PARAMETERS
    with pytest.MonkeyPatch.context() as caller, busy.allowed():
        for name, value in CALLER.items():
            caller.setenv(name, value)
        return lab.obtain(chapter, parameters)


@pytest.fixture
def no_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is planted judges the claims, although the notes' own reports would judge some of them first."""
    whole = judging._without_interval
    monkeypatch.setattr(
        judging, "_without_interval", lambda summary, claim, answer: whole(summary, claim, answer.but(report=None))
    )


@pytest.fixture
def still_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of a known processor, which planted runs do not name, whose numbers no visit carries.

    So a chapter's own arithmetic decides.
    """
    quiet = Movement(0.0, "the canary stayed within 0.45 % of its quiet level")
    monkeypatch.setattr(environment, "movement", lambda run, *, device: quiet)
    monkeypatch.setattr(store, "model_known", lambda provenance: True)
    monkeypatch.setattr(rules, "carried", lambda pair, ground: [pair])
