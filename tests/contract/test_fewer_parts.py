"""What every chapter draws of a run that measured fewer parts than the published one: no figure is empty."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from asking import Made, by_notebook

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.figures import Figure
from benchbook.model import FEWEST, Run
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import profile
from benchbook.store.schema import TRIAL_COLUMNS


def fewer(module: Any, run: Run) -> Run:
    """A run of the quick profile's shape with the published run's trials where it has them, else with empty ones."""
    parameters = module.Parameters.given(profile(module.name, "quick"))
    by_arm = {name: rows.sort_values("block") for name, rows in run.trials.groupby("configuration")}
    trials, samples = [], []
    for planned in module.plan(parameters).trials:
        known = by_arm.get(planned.configuration.name)
        row: dict[str, Any] = dict.fromkeys(run.trials.columns)
        if known is not None and planned.block < len(known):
            row = dict(known.iloc[planned.block])
            samples.append(run.samples[run.samples["trial"] == row["trial"]].assign(trial=planned.index))
        its_own = (
            planned.index,
            planned.block,
            planned.configuration.name,
            planned.seed,
            0,
            "2026-01-17T10:00:00",
            1.0,
        )
        trials.append(row | dict(zip(TRIAL_COLUMNS, its_own, strict=True)))
    numbers = {name: kind for name, kind in run.trials.dtypes.items() if kind.kind == "f" and name not in TRIAL_COLUMNS}
    return replace(
        run, id="0123456789ab-20260117T100000", parameters=parameters.model_dump(mode="json"), profile="quick",
        seed=parameters.seed, blocks=parameters.blocks, pool=(), trials=pd.DataFrame(trials).astype(numbers),
        samples=pd.concat(samples) if samples else run.samples.iloc[:0], published=False, machines=(),
        canary=run.canary[run.canary["block"] < parameters.blocks] if len(run.canary) else run.canary,
    )  # fmt: skip


def marks(figure: Figure) -> int:
    """How many points, bars and ends of lines are drawn beside those of the note."""
    own = [trace for trace in figure.plot.data if "note" not in (trace.name or "")]
    return sum(
        np.size(trace.y)
        for trace in own
        if getattr(trace, "mode", "") != "text" and np.size(trace.x) and trace.y is not None
    )


@pytest.fixture
def whole(planned: str, shown: Callable[[str], Run]) -> Run:
    """The run that stands for the chapter, or this machine's own where none is published."""
    if lab.experiment(planned).kind is Kind.SIMULATION:
        pytest.skip("it draws its numbers itself, and all of them")
    return shown(planned)


@pytest.fixture
def published(planned: str, whole: Run) -> Run:
    if not whole.published:
        pytest.skip(f"no run of {planned} is published yet")
    return whole


@cache
def smaller(name: str, shown: Callable[[str], Run]) -> tuple[Run, dict[str, Figure]]:
    """The run with fewer parts, and what a chapter draws of it."""
    module: Any = lab.experiment(name)
    run = fewer(module, shown(name))
    return run, module.figures(module.summarize(run))


@pytest.fixture
def few(planned: str, whole: Run, shown: Callable[[str], Run]) -> tuple[Run, dict[str, Figure]]:
    """The same of a chapter that measures."""
    return smaller(planned, shown)


def test_a_run_with_fewer_parts_has_each_word_of_the_page_or_says_why_not(planned: str, few: Any) -> None:
    module: Any = lab.experiment(planned)
    names, summary = module.page.names, module.summarize(few[0])
    for name in sorted(names.known()):
        with suppress(BenchbookError):  # whatever else is raised reaches the reader where the order of names is unlucky
            names.of(summary, name)


def test_a_notebook_gets_all_that_it_asks_for_of_a_run_with_fewer_parts(planned: str, few: Any, root: Path) -> None:
    module: Any = lab.experiment(planned)
    summary = module.summarize(few[0])
    asked = by_notebook(root, planned)
    assert asked
    for what, name in asked:
        getattr(module, what)(summary, *([name] if name else []))


def test_a_figure_of_a_run_with_fewer_parts_draws_something_or_says_what_the_run_lacks(few: Any) -> None:
    for figure in few[1].values():
        assert bool(marks(figure)) is not bool(figure.lacks), f"{figure.id}: draw a number, or say what the run lacks"
        assert not figure.lacks or figure.lacks.endswith("."), "say it in one sentence"


@pytest.mark.long
def test_what_a_run_did_not_measure_is_shown_of_the_published_run_which_is_named(
    planned: str, few: Any, of: Callable[[str], Made]
) -> None:
    module: Any = lab.experiment(planned)
    (run, own), whole = few, of(planned).figures
    for name, figure in lab.figures(module, module.summarize(run)).items():
        lacks = own[name].lacks
        if not marks(whole[name]):
            assert (figure.run_id, figure.lacks) == (run.id, lacks), "the published run did not measure it either"
            continue
        source = whole[name].run_id if lacks else run.id
        assert figure.run_id == source
        assert marks(figure)
        assert figure.caption.endswith(f"{lacks} Shown instead is the published run {source}." if lacks else "")


def test_what_a_figure_shows_is_told_in_a_short_sentence(
    planned: str, published: Run, few: Any, of: Callable[[str], Made]
) -> None:
    written = lab.experiment(planned).page.page.figures
    whole = of(planned).figures
    for name in (name for name, each in written.items() if each.findings):
        none = published.blocks < FEWEST or whole[name].lacks
        assert whole[name].finding or none, f"{name}: the published run fills none of its findings"
        for told in (whole[name].finding, few[1][name].finding):
            assert len(told.split()) <= 26, f"{name}: {told!r} is too long for a heading"
            assert not told.endswith("."), f"{name}: the page puts the full stop"
            assert not {"nan", "None", "inf"} & {*told.replace("%", " ").split()}, f"{name}: {told!r} tells no number"
