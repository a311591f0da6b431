"""An answered question on standard output: its notebook executed, and a few lines about the run."""

from __future__ import annotations

from pathlib import Path

import typer

from benchbook import lab, project, store
from benchbook.book.assembly import run_notebook
from benchbook.book.records import run_facts
from benchbook.cli.formatting import duration, place
from benchbook.cli.request import Asked, Recomputed
from benchbook.experiments.profiles import QUICK
from benchbook.model import Run


def of_run(asked: Asked, *, quiet: bool) -> None:
    """Where the run is, how its verdicts came out, how to publish it; with ``quiet`` its folder alone."""
    run = asked.run
    assert run is not None
    published = project.published() / run.experiment / run.id
    folder = published if run.published else project.runs() / run.experiment / run.id
    if quiet:
        run_notebook.executed(run)
        typer.echo(place(folder))
        return
    seconds = duration(store.measuring_s(run.trials))
    if asked.measured:
        typer.echo(f"{run.experiment}: run {run.id}, {len(run.trials)} trials measured in {seconds}")
    else:
        where = "is stored" if asked.stored else "was completed on this machine by this code"
        typer.echo(f"{run.experiment}: run {run.id} {where}, so nothing was measured; {_how(asked)} measures again")
        if reasons := _stale(run):
            typer.echo(f"  stale     {reasons}")
    typer.echo(f"  folder    {place(folder)}")
    path = run_notebook.executed(run, lambda: typer.echo(f"{run.experiment}: executing its notebook", err=True))
    typer.echo(f"  notebook  {place(path)}")
    typer.echo(f"  verdicts  {_verdicts(run, path)}")
    if unfilled := run_notebook.unfilled(path):
        many = "1 figure" if len(unfilled) == 1 else f"{len(unfilled)} figures"
        typer.echo(f"  empty     {many}, for which this run measured too little or nothing: {'; '.join(unfilled)}")
    typer.echo(f"  publish   {_publishing(run, published=published.is_dir())}")


def _how(asked: Asked) -> str:
    return "the same without --stored" if asked.stored else "--fresh"


def _verdicts(run: Run, notebook: Path) -> str:
    """How the claims came out; a quick run, whose numbers stand in its notebook, decides none."""
    if not lab.experiment(run.experiment).answers.given:
        return "none: the chapter has no claims"
    if run.profile == QUICK:
        return "none: a quick run decides nothing"
    return run_notebook.outcomes(notebook) or "none"


def _publishing(run: Run, *, published: bool) -> str:
    """How to publish it; of a quick run what to measure first, since no edition shows one beside a larger."""
    if published:
        return "it is published"
    if run.profile == QUICK:
        return f"to be published, measure more: benchbook run {run.experiment}"
    return f"benchbook publish {run.id}"


def _stale(run: Run) -> str:
    """Why it would be measured another way today; "" when it would not."""
    return " ".join(run_facts.facts(store.find_entry(run.id)).stale)


def of_analysis(asked: Recomputed, *, quiet: bool) -> None:
    """Where the executed notebook is and how its verdicts came out; with ``quiet`` its place alone."""
    path = run_notebook.recomputed(asked.name, asked.parameters.model_dump(mode="json"))
    if quiet:
        typer.echo(place(path))
        return
    typer.echo(f"{asked.name}: recomputed from the notes' numbers; nothing is measured or stored")
    typer.echo(f"  notebook  {place(path)}")
    typer.echo(f"  verdicts  {run_notebook.outcomes(path) or 'none'}")
