"""What tests of several chapters share: planted runs of a plan, visits, verdicts, and the notes' raw tables."""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchbook import lab, store
from benchbook.model import PlannedTrial, Run
from benchbook.numbers import judging


def raw_rows(name: str) -> list[dict[str, str]]:
    """A raw table of the notes, read without the package."""
    with (Path(__file__).parents[2] / "data" / "notes" / "raw" / f"{name}.csv").open(
        newline="", encoding="utf-8"
    ) as file:
        return list(csv.DictReader(file))


def planted(name: str, parameters: Any, values: Callable[[PlannedTrial], Mapping[str, Any]], **origin: Any) -> Run:
    """A run of a chapter's plan whose trials have these values. origin: of its provenance."""
    chapter = lab.experiment(name)
    rows = [
        {"trial": trial.index, "block": trial.block, "configuration": trial.configuration.name, "session": 0}
        | dict(values(trial))
        for trial in chapter.plan(parameters).trials
    ]
    tables = pd.DataFrame(rows), pd.DataFrame(columns=["trial", "series", "latency_ns"]), pd.DataFrame()
    given, origin = parameters.model_dump(mode="json"), {"engine_version": "0"} | origin
    seed, blocks = parameters.seed, parameters.blocks
    return Run("x", name, chapter.version, given, "custom", seed, blocks, origin, *tables)


def summary(name: str, parameters: Any, values: Callable[[PlannedTrial], Mapping[str, Any]], **origin: Any) -> Any:
    """What the chapter makes of such a run."""
    return lab.experiment(name).summarize(planted(name, parameters, values, **origin))


def verdicts(summary: Any, *claims: str) -> dict[str, Any]:
    """What the chapter says of these claims, or of all where none is named, by claim."""
    chapter = lab.experiment(summary.run.experiment)
    if not claims:
        return {each.claim_id: each for each in chapter.judge(summary)}
    of_chapter = judging.chapter_claims(chapter.name)
    asked = {claim: of_chapter[claim] for claim in claims}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "chapter_claims", lambda name: asked)
        # Of a copy, since a summary keeps its verdicts.
        return {each.claim_id: each for each in chapter.judge(replace(summary))}


def in_turn(values: Mapping[str, Sequence[Any]], trial: PlannedTrial) -> dict[str, Any]:
    """Of each metric the value of the trial's block, from the first again where there are fewer."""
    return {metric: each[trial.block % len(each)] for metric, each in values.items()}


def of_block(values: Mapping[str, Any], trial: PlannedTrial) -> dict[str, Any]:
    """Of each metric its value, or of a list the value of the trial's block."""
    return {metric: each[trial.block] if isinstance(each, list) else each for metric, each in values.items()}


def visits(*runs: Run) -> Run:
    """Runs of one plan as the visits of one run, a day apart."""
    return store.pooled([_begun(run, f"2026-01-{17 + place}T10:00:00+00:00") for place, run in enumerate(runs)])


def _begun(run: Run, at: str) -> Run:
    """The run with a start of its own, of which its id and its trials know."""
    times = run.trials.assign(started_at=at, duration_s=1.0)
    started = at.partition("+")[0].replace("-", "").replace(":", "")
    return replace(run, id=f"k-{started}", provenance={**run.provenance, "started_at": at}, trials=times)
