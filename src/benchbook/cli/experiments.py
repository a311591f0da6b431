"""``list`` and ``show``: which experiments there are, and what can be set in one."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated

import typer

from benchbook import store
from benchbook.cli import mixed_hosts
from benchbook.cli.formatting import print_table
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue, wording
from benchbook.experiments.profiles import PROFILES, profile
from benchbook.store import Entry


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    app.command("list")(list_experiments)
    app.command("show")(show)


def list_experiments() -> None:
    """List the experiments and whether each has a stored run.

    Example: benchbook list
    """
    rows = []
    analyses = catalogue.analyses()
    stored: dict[str, list[Entry]] = defaultdict(list)
    for entry in store.catalogue():
        if entry.record and entry.record["state"] == "complete":
            stored[entry.folder.parent.name].append(entry)
    for name in catalogue.names():
        module = catalogue.experiment(name)
        complete = stored[name]
        engines = {str(e.record["provenance"].get("engine", "")) for e in complete if e.record}
        local = sum(not entry.published for entry in complete)
        rows.append(
            [
                name,
                module.title,
                module.engine or ", ".join(sorted(engines)),
                *(
                    ["not needed"] * 2
                    if name in analyses
                    else [str(local or "none"), str(len(complete) - local or "none")]
                ),
            ]
        )
    print_table(["experiment", "title", "engine", "local runs", "published runs"], rows)
    for name, error in catalogue.unusable().items():
        typer.echo(f"{name} is left out: {error.problem}\nfix: {error.mend}", err=True)


def show(
    experiment: Annotated[str | None, typer.Argument(help="An experiment that `benchbook list` names.")] = None,
) -> None:
    """Show an experiment's parameters: meaning, type, unit, bounds, default and value in each profile.

    Units end the names: _mib is MiB (1,048,576 bytes), _percent is %, _ns is nanoseconds, _s is seconds. Where the
    runs that stand for the experiment were measured on several hosts, these are named in the end.

    Example: benchbook show hot_cold_keys
    """
    if experiment is None:
        raise typer.BadParameter(f"name one of: {', '.join(catalogue.names())}", param_hint="EXPERIMENT")
    module = catalogue.experiment(experiment)
    profiles: dict[str, dict[str, object]] = {}
    analysis = experiment in catalogue.analyses()
    for name in () if analysis else PROFILES:
        try:
            profiles[name] = module.Parameters.given(profile(experiment, name)).model_dump()
        except BenchbookError as error:
            typer.echo(f"profile {name}: {error.problem}", err=True)
    typer.echo(f"{experiment}: {module.title}\n{(module.question or '').strip()}\n")
    for name, field in module.Parameters.model_fields.items():
        facts = [wording.kind(field), wording.unit(name), wording.bounds(field)]
        facts.append(f"default {wording.value(field.default)}")
        typer.echo(f"{name}: {field.description}")
        typer.echo(f"    {', '.join(fact for fact in facts if fact)}")
        values = {title: wording.value(given[name]) for title, given in profiles.items()}
        same = len(set(values.values())) == 1
        each = "the same" if same else ", ".join(f"{title} {value}" for title, value in values.items())
        if not analysis:
            typer.echo(f"    profiles: {each}")
    typer.echo(f"\nSet them with: benchbook run {experiment} -p name=value")
    for sentence in () if analysis else mixed_hosts.of_pools(module):
        typer.echo(sentence)
