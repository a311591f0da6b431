"""``list`` and ``show``: which experiments there are, and what can be set in one."""

from collections import defaultdict
from typing import Annotated, Any

import typer
import yaml

from benchbook import store
from benchbook.cli import json_output, mixed_hosts
from benchbook.cli.formatting import print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.errors import BenchbookError
from benchbook.experiments import catalogue
from benchbook.experiments.manifest import Chapter
from benchbook.parameters import wording
from benchbook.parameters.profiles import PROFILES, profile
from benchbook.store import Entry


def list_experiments(as_json: AS_JSON = False) -> None:
    """List the experiments and whether each has a stored run.

    Examples:

    benchbook list

    benchbook list --json
    """
    listed: list[dict[str, Any]] = []
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
        listed.append(
            {
                "experiment": name,
                "title": module.title,
                "engine": module.engine or ", ".join(sorted(engines)),
                "measures": name not in analyses,
                "local_runs": local,
                "published_runs": len(complete) - local,
            }
        )
    if as_json:
        json_output.echo(listed)
    else:
        print_table(["experiment", "title", "engine", "local runs", "published runs"], [*map(_row, listed)])
    for name, error in catalogue.unusable().items():
        typer.echo(f"{name} is left out: {error.problem}\nfix: {error.mend}", err=True)


def _row(listed: dict[str, Any]) -> list[str]:
    numbers = (listed["local_runs"], listed["published_runs"])
    runs = [str(each or "none") if listed["measures"] else "not needed" for each in numbers]
    return [listed["experiment"], listed["title"], listed["engine"], *runs]


def show(
    experiment: Annotated[str | None, typer.Argument(help="An experiment that `benchbook list` names.")] = None,
    as_yaml: Annotated[
        str | None,
        typer.Option("--yaml", metavar="|".join(PROFILES), help="Print what a profile sets, as `run -f` takes it."),
    ] = None,
    as_json: AS_JSON = False,
) -> None:
    """Show an experiment's parameters: meaning, type, unit, bounds, default and value in each profile.

    Units end the names: _mib is MiB (1,048,576 bytes), _percent is %, _ns is nanoseconds, _s is seconds. Where the
    runs that stand for the experiment were measured on several hosts, these are named in the end.

    Examples:

    benchbook show hot_cold_keys

    benchbook show hot_cold_keys --json

    benchbook show hot_cold_keys --yaml quick
    """
    if experiment is None:
        raise typer.BadParameter(f"name one of: {', '.join(catalogue.names())}", param_hint="EXPERIMENT")
    module = catalogue.experiment(experiment)
    if as_yaml is not None:
        typer.echo(yaml.safe_dump(profile(experiment, as_yaml), sort_keys=False), nl=False)
        return
    profiles: dict[str, dict[str, object]] = {}
    analysis = experiment in catalogue.analyses()
    for name in () if analysis else PROFILES:
        try:
            profiles[name] = module.Parameters.given(profile(experiment, name)).model_dump()
        except BenchbookError as error:
            typer.echo(f"profile {name}: {error.problem}", err=True)
    if as_json:
        json_output.echo(_declared(module, profiles))
        return
    typer.echo(f"{experiment}: {module.title}\n{(module.question or '').strip()}\n")
    for name, field in module.Parameters.model_fields.items():
        facts = [wording.kind(field.annotation), wording.unit(name), wording.bounds(field)]
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


def _declared(module: Chapter, profiles: dict[str, dict[str, object]]) -> dict[str, Any]:
    """The same for a program: of each parameter its JSON Schema, its unit and its value in each profile."""
    schema = module.Parameters.model_json_schema()["properties"]
    parameters = {
        name: {
            **schema[name],
            "unit": wording.unit(name),
            "profiles": {title: given[name] for title, given in profiles.items()},
        }
        for name in module.Parameters.model_fields
    }
    return {
        "experiment": module.name,
        "title": module.title,
        "question": (module.question or "").strip(),
        "measurement_version": module.version,
        "parameters": parameters,
    }
