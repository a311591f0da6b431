"""A tiny real run in, what the tests of every chapter ask of it: whole blocks, its own metrics, figures, verdicts."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asking import made, wordless

from benchbook import lab, store
from benchbook.claims.ledger import load_claims
from benchbook.errors import MachineError
from benchbook.model import UNTIMED, PlannedTrial, Run, Trial
from benchbook.pages.names import NOTHING
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.kinds import Kind
from benchbook.verification import verify


def needing(versions: Callable[[], object]) -> list[pytest.MarkDecorator]:
    """The marks of tests that need a measuring program. versions: asks it, and raises MachineError without it."""
    try:
        versions()
    except MachineError as missing:
        return [pytest.mark.engine, pytest.mark.skip(reason=f"{missing.problem}; {missing.mend}")]
    return [pytest.mark.engine]


@dataclass(frozen=True)
class Tiny:
    """A run in a table of RUNS. parameters: its small ones. sentences: parts of the page that it fills."""

    parameters: Mapping[str, Any]
    sentences: tuple[str, ...]
    marks: tuple[pytest.MarkDecorator, ...] = (pytest.mark.engine,)


def given(runs: Mapping[str, Tiny], *names: str) -> pytest.MarkDecorator:
    """Gives a test the runs of these chapters of a table, or of all."""
    params = [pytest.param(name, marks=runs[name].marks) for name in names or runs]
    return pytest.mark.parametrize("run", params, indirect=True)


def planned(name: str, chapter: str, parameters: ExperimentParameters) -> PlannedTrial:
    """A trial of a configuration, in the first block."""
    return PlannedTrial(0, 0, lab.experiment(chapter).configurations(parameters)[name], 5)


def number(found: Trial, metric: str) -> float:
    """A metric that this trial has."""
    value = found.metrics[metric]
    assert value is not None, metric
    return value


def trials(run: Run, *names: str) -> pd.DataFrame:
    """The trials of these configurations."""
    return run.trials[run.trials["configuration"].isin(names)]


def times(run: Run) -> pd.DataFrame:
    """The stored times of operations, without what turns took and what was counted."""
    return run.samples[~run.samples["series"].isin(UNTIMED)]


def check_whole(run: Run, sentences: Iterable[str] = ()) -> Any:
    """It verifies as it is stored, no trial failed, both sides count alike, and see ``check_chapter``."""
    [entry] = [each for each in store.catalogue(run.experiment) if each.id == run.id and not each.published]
    assert verify(entry).problems == ()
    if "state" in run.trials:
        assert set(run.trials["state"]) == {"measured"}
    if "server_transactions" in run.trials:
        counts = run.trials[["server_transactions", "transactions"]].astype(float).to_numpy()
        assert np.array_equal(*counts.T, equal_nan=True)
    summary = check_chapter(run, sentences)
    chapter = lab.experiment(run.experiment)
    for block in chapter.page.page.blocks:
        if block.kind == "table" and block.name != "earlier":  # of runs that are published
            assert len(chapter.table(summary, block.name)), block.name
    return summary


def check_chapter(run: Run, sentences: Iterable[str] = ()) -> Any:
    """Whole figures, one verdict per claim, and sentences with all their numbers; gives the summary."""
    module: Any = lab.experiment(run.experiment)
    found = made(module, run)
    summary, figures = found.summary, list(found.figures.values())
    assert len({figure.id for figure in figures}) == len(figures)
    for figure in figures:
        assert figure.caption.strip().endswith("."), figure.id
        assert len(figure.alt) > 35, figure.id
        assert figure.run_id == run.id
        assert len(figure.data), figure.id
        assert figure.data.columns.is_unique, figure.id
        json.dumps(figure.record(), allow_nan=False)
    if module.kind is not Kind.SIMULATION:
        lacking = wordless(summary.METRICS, found.asked)
        assert lacking == [], "give it words in the metric_words.py of its family or chapter"
    claimed = [claim.id for claim in load_claims().values() if claim.chapter == run.experiment]
    assert [verdict.claim_id for verdict in module.judge(summary)] == claimed
    said = {name: module.say(summary, name).text for name in sentences}
    assert [name for name, text in said.items() if text.strip() in ("", NOTHING) or "nan" in text.split()] == []
    return summary


def check_run(run: Run, sentences: Iterable[str]) -> Any:
    """The same, each configuration was measured once in each block, and metrics are those of the stored latencies."""
    module: Any = lab.experiment(run.experiment)
    cells = run.trials.groupby(["block", "configuration"]).size()
    assert len(cells) == run.blocks * len(module.configurations(module.Parameters.given(run.parameters)))
    assert (cells == 1).all()
    operations = times(run)
    for row in run.trials.to_dict("records"):
        samples = operations.loc[operations["trial"] == row["trial"], "latency_ns"].to_numpy().astype(np.int64)
        if any(str(value).startswith("left out: ") for value in row.values()):
            assert not len(samples)
            continue
        for name, value in module.reduce(samples).items():
            assert row[name] == pytest.approx(np.nan if value is None else value, rel=1e-12, nan_ok=True), name
    return check_whole(run, sentences)
