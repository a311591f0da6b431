"""``runs``, ``publish``, ``verify``: the stored runs, copied to where the book cites them, checked."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from benchbook import store
from benchbook.cli import json_output
from benchbook.cli.failures import DAMAGED, complain
from benchbook.cli.formatting import duration, moment, place, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.errors import printable
from benchbook.experiments import catalogue
from benchbook.reuse import foreign, named_runs
from benchbook.store import Entry


def runs(
    experiment: Annotated[str | None, typer.Argument(help="Only its runs; default: all.")] = None,
    as_json: AS_JSON = False,
) -> None:
    """List the stored runs, local and published, oldest first, and why a run counts as damaged. Times are UTC.

    Examples:

    benchbook runs

    benchbook runs hot_cold_keys

    benchbook runs --json
    """
    if experiment is not None:
        catalogue.experiment(experiment)
    entries = [*map(store.checked, (*store.catalogue(experiment), *foreign.entries(experiment)))]
    if as_json:
        json_output.echo([_facts(entry) for entry in entries])
        return
    if not entries:
        typer.echo("no run is stored here; `benchbook run EXPERIMENT` measures one", err=True)
        return
    published = {entry.id for entry in entries if entry.published}
    twice = [each for each in entries if not each.published and not each.foreign and each.id in published]
    shown = [entry for entry in entries if entry not in twice or entry.record is None]
    columns = ["run", "experiment", "profile", "state", "blocks", "begun", "measuring took"]
    print_table(columns, [_row(entry) for entry in shown])
    for entry in shown:
        if entry.record is None:
            typer.echo(printable(f"{entry.id} is damaged: {entry.damage}"))


def _row(entry: Entry) -> list[str]:
    name, record = entry.folder.parent.name, entry.record
    if record is None:
        return [entry.id, name, "", f"damaged{', published' if entry.published else ''}", "", "", ""]
    took = duration(float(record["duration_s"])) if record.get("duration_s") is not None else ""
    blocks = str(record["blocks"])
    return [entry.id, name, record["profile"], _state(entry, record), blocks, moment(record["started_at"]), took]


def _facts(entry: Entry) -> dict[str, Any]:
    """One stored run for a program; a run that was published from here is there twice, once of each kind."""
    kept = ("profile", "parameters", "seed", "blocks", "first_block", "key", "measurement_version", "started_at")
    record = entry.record or {}
    return {
        "run": entry.id,
        "experiment": entry.folder.parent.name,
        "published": entry.published,
        "origin": entry.place,
        "folder": str(entry.folder),
        "state": record.get("state", "damaged"),
        "damage": entry.damage or None,
        **{name: record.get(name) for name in kept},
        "duration_s": record.get("duration_s"),
        "trials_stored": entry.trials_stored if entry.record else None,
    }


def _state(entry: Entry, record: dict[str, Any]) -> str:
    if record["state"] != "measuring":
        return f"{record['state']}{'' if entry.place == 'local' else f', {entry.place}'}"
    doing = "unfinished" if entry.measured_since is None else "being measured"
    planned = [each["trials_planned"] for each in record["sessions"] if each.get("trials_planned")]
    total = f" of {planned[-1]}" if planned else ""  # none before its first session, and in runs of earlier versions
    return f"{doing}, {entry.trials_stored}{total} trials"


def publish(
    run: Annotated[
        str, typer.Argument(help="The id of a complete run, or the beginning of the id; see `benchbook runs`.")
    ],
) -> None:
    """Copy a complete local run of at most 5 MB to data/published, where the book cites it. It never changes again.

    Example: benchbook publish 67de82aa37c9
    """
    folder = store.publish(run)
    typer.echo(f"published {place(folder)}; `benchbook build --edition` shows it, a commit keeps it")
    for remark in _remarks(store.find_entry(folder.name)):
        typer.echo(f"  remark: {remark}", err=True)


def _remarks(entry: Entry) -> Iterator[str]:
    """What readers will see of a published run and its publisher may not want."""
    from benchbook.book.records import run_facts  # late, as in verify: listing the runs needs none of it
    from benchbook.parameters.profiles import QUICK, STANDARD

    facts = run_facts.facts(entry)
    yield from facts.stale
    if facts.profile != STANDARD:
        quick = "; an edition shows it as long as no other run of its chapter is published"
        shown = quick if facts.profile == QUICK else ""
        yield f"It has the {facts.profile} profile; the book's own published runs have the {STANDARD} one{shown}."
    origin = (entry.record or {})["provenance"]
    if not origin.get("commit"):
        why = f" ({origin['commit_unknown']})" if origin.get("commit_unknown") else ""
        yield f"It names no commit{why}, so nobody can look up the code that measured; measure in a clone of its own."
    if origin.get("dirty"):
        yield "The code had uncommitted changes, so nobody else can have the same code; commit, then measure."


def verify(
    run: Annotated[list[str] | None, typer.Argument(help="Ids of runs; default: all complete ones.")] = None,
) -> None:
    """Check stored runs: seals, hashes, schema, completeness, metrics recomputed from the samples (to 1e-9, relative).

    In a clone every published run is compared with the commit that brought it. All are checked before the command ends;
    it exits 6 when any is damaged, and names each, and when git refuses to answer for the clone. A crate of an edition,
    unpacked, is a project folder: its runs are checked by the same command there.

    Examples:

    benchbook verify

    benchbook verify 67de82aa37c9
    """
    from benchbook import verification

    entries = [named_runs.found_entry(identity) for identity in run or []]
    if not run:
        every = [*store.catalogue(), *foreign.entries()]
        entries = [entry for entry in every if entry.record is None or entry.record["state"] == "complete"]
    if not entries:
        typer.echo("no complete run is stored here", err=True)
    failed = 0
    introduced = verification.first_committed()
    compared = any(entry.published for entry in entries)
    if introduced.unknown and compared:
        typer.echo(f"not compared with the commits that added the published runs: {introduced.unknown}", err=True)
    for entry in entries:
        result = verification.verify(entry, introduced=introduced)
        failed += bool(result.problems)
        typer.echo(printable(f"{entry.id} ({entry.folder.parent.name}, {entry.place}): {result.summary}"))
        for problem in result.problems:
            typer.echo(printable(f"  {problem}"))
    if failed:
        typer.echo(f"error: {failed} of {len(entries)} runs did not pass; they are listed above", err=True)
        typer.echo("fix: restore published runs from git, others from a copy or by measuring again", err=True)
    if compared and introduced.refusal is not None:
        complain(introduced.refusal)
    if failed or (compared and introduced.refusal is not None):
        raise typer.Exit(DAMAGED)
