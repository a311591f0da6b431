"""Answered questions on standard output: their notebooks executed, and a few lines about each run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer

from benchbook import lab, project, store
from benchbook.book.assembly import run_notebook
from benchbook.book.assembly.progress import Progress
from benchbook.book.records import run_facts
from benchbook.cli import json_output
from benchbook.cli.formatting import duration, place
from benchbook.cli.request import Asked, Recomputed
from benchbook.errors import BenchbookError
from benchbook.model import FEWEST, Run
from benchbook.parameters.profiles import PAPER, QUICK, STANDARD, profile

_EXPECTED_S = 5.0
"""Of one notebook, two being executed at once."""


def of_run(asked: Asked) -> None:
    """Where the run is, and whether it was measured just now."""
    run = asked.run
    assert run is not None
    if asked.measured:
        seconds = duration(store.measuring_s(run.trials))
        typer.echo(f"{run.experiment}: run {run.id}, {len(run.trials)} trials measured in {seconds}")
    else:
        where = "is stored" if asked.stored else "was completed on this machine"
        how = "the same without --stored" if asked.stored else "--fresh"
        typer.echo(f"{run.experiment}: run {run.id} {where}, so nothing was measured; {how} measures again")
        if reasons := run_facts.facts(store.find_entry(run.id)).stale:
            typer.echo(f"  stale     {' '.join(reasons)}")
    typer.echo(f"  folder    {place(_folder(run))}")


def of_notebooks(answered: Iterable[Asked | Recomputed], *, quiet: bool, as_json: bool = False) -> None:
    """Execute what is not up to date; then where the notebooks are, how verdicts came out, and how to publish the runs.

    quiet: only the folders of the runs, and the notebooks where none is stored. as_json: all of it for a program.
    Raises BenchbookError that names each failed cell after it has told of the others.
    """
    notebooks = [(each, _notebook(each)) for each in answered]
    failed = None
    try:
        _execute([notebook for _, notebook in notebooks], quiet=quiet)
    except BenchbookError as error:
        failed = error
    if as_json:
        json_output.echo([_record(each, notebook.path) for each, notebook in notebooks if notebook.is_current])
    else:
        for each, notebook in notebooks:
            if notebook.is_current:
                _tell(each, notebook.path, alone=len(notebooks) == 1, quiet=quiet)
    if failed is not None:
        raise failed


def _notebook(answered: Asked | Recomputed) -> run_notebook.Execution:
    if isinstance(answered, Recomputed):
        return run_notebook.of_analysis(answered.name, answered.parameters.model_dump(mode="json"))
    assert answered.run is not None
    return run_notebook.of_run(answered.run)


def _execute(notebooks: list[run_notebook.Execution], *, quiet: bool) -> None:
    waiting = [each for each in notebooks if not each.is_current]
    if not waiting:
        return
    which = f"the notebook of {waiting[0].experiment}" if len(waiting) == 1 else f"{len(waiting)} notebooks"
    with Progress(quiet=quiet) as progress:
        progress.expect(_EXPECTED_S * len(waiting))
        progress.phase(f"executing {which}")
        run_notebook.execute(waiting, lambda _: progress.advance(_EXPECTED_S))


def _tell(answered: Asked | Recomputed, path: Path, *, alone: bool, quiet: bool) -> None:
    run = None if isinstance(answered, Recomputed) else answered.run
    if quiet:
        typer.echo(place(_folder(run) if run else path))
        return
    if run is None:
        typer.echo(f"{answered.name}: recomputed from the notes' numbers; nothing is measured or stored")
    elif not alone:
        typer.echo(f"{answered.name}: run {run.id}")
    typer.echo(f"  notebook  {place(path)}")
    typer.echo(f"  verdicts  {_verdicts(run, path) if run else run_notebook.outcomes(path) or 'none'}")
    if run is None:
        return
    if unfilled := run_notebook.unfilled(path):
        many = "1 figure" if len(unfilled) == 1 else f"{len(unfilled)} figures"
        typer.echo(f"  empty     {many}, for which this run measured too little or nothing: {'; '.join(unfilled)}")
    typer.echo(f"  publish   {_publishing(run)}")


def _record(answered: Asked | Recomputed, path: Path) -> dict[str, Any]:
    """run: None where nothing is measured. verdicts: how many came out how; none of a quick run or of two blocks."""
    run = None if isinstance(answered, Recomputed) else answered.run
    decides = run is None or (run.profile != QUICK and run.blocks >= FEWEST)
    return {
        "experiment": answered.name,
        "run": run.id if run else None,
        "measured_now": isinstance(answered, Asked) and answered.measured,
        "folder": str(_folder(run)) if run else None,
        "notebook": str(path),
        "profile": run.profile if run else None,
        "blocks": run.blocks if run else None,
        "verdicts": run_notebook.outcome_counts(path) if decides else {},
        "empty_figures": run_notebook.unfilled(path),
    }


def _folder(run: Run) -> Path:
    return (project.published() if run.published else project.runs()) / run.experiment / run.id


def _verdicts(run: Run, notebook: Path) -> str:
    """How the claims came out; a quick run and one of two blocks, whose numbers stand in the notebook, decide none."""
    if not lab.experiment(run.experiment).answers.given:
        return "none: the chapter has no claims"
    if run.profile == QUICK:
        return "none: a quick run decides nothing"
    if run.blocks < FEWEST:
        return f"none: {run.blocks} blocks decide nothing"
    return run_notebook.outcomes(notebook) or "none"


def _publishing(run: Run) -> str:
    """How to publish it; of one that is no profile's for publishing what to measure, since a chapter shows no other."""
    if (project.published() / run.experiment / run.id).is_dir():
        return "it is published"
    if any(_is_of(run, name) for name in (STANDARD, PAPER)):
        return f"benchbook publish {run.id}"
    return f"to be published, measure the {STANDARD} profile: benchbook run {run.experiment}"


def _is_of(run: Run, name: str) -> bool:
    """Whether a run has a profile's parameters, and at least as many blocks."""
    own = lab.experiment(run.experiment).Parameters.given(profile(run.experiment, name)).model_dump(mode="json")
    least = int(own["blocks"])
    return run.blocks >= least and {**run.parameters, "blocks": least} == own
