"""``run``: parameters checked, measured unless stored, the chapter's notebook executed, and where it all is."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from benchbook import lab
from benchbook.book.assembly import run_notebook
from benchbook.cli import json_output, mixed_hosts, own_tables, parameter_options, pilot_run, report
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import share
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.parameter_options import FILE, NUMBER, PROFILE, SETTING
from benchbook.cli.progress import RunProgress
from benchbook.cli.request import Asked, Recomputed
from benchbook.errors import BenchbookError, FullDiskError, MachineError, NoEngineError, shortened
from benchbook.parameters import profiles
from benchbook.parameters.base import ExperimentParameters
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import STANDARD
from benchbook.runner.growth import MOST

_SHOWN_INSTEAD = "the book shows what is published"


def run(
    experiment: Annotated[str | None, typer.Argument(help="An experiment that `benchbook list` names.")] = None,
    setting: Annotated[list[str] | None, SETTING(help="Set one parameter; may be repeated.")] = None,
    file: Annotated[list[Path] | None, FILE(help="A YAML file with a `name: value` per line.")] = None,
    profile: Annotated[str, PROFILE(help="The values that the others are set over.")] = STANDARD,
    every: Annotated[bool, typer.Option("--all", help="Run every experiment, one after the other.")] = False,
    leading: Annotated[
        bool, typer.Option("--leading", help="Run those that lead the book's questions, some twenty.")
    ] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Measure nothing: use a stored run with these, a published one too.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Measure anew, even if this machine has completed the same run.")
    ] = False,
    more: Annotated[
        str | None, typer.Option("--blocks", metavar="+N", help="Add N blocks to the stored run with these parameters.")
    ] = None,
    half_width: Annotated[
        str | None,
        typer.Option("--half-width", metavar="3%", help="Add as many blocks as intervals of this half-width lack."),
    ] = None,
    number: Annotated[
        list[str] | None, NUMBER(help="With --half-width: this number, or that of this claim; may be repeated.")
    ] = None,
    another_host: Annotated[
        bool,
        typer.Option(mixed_hosts.OPTION, help="Let --blocks mix in another kind of host than the stored runs have."),
    ] = False,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, say what would be measured, and measure nothing.")
    ] = False,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables", metavar="SCHEMA.TABLE,...", help="With own_server: watch your own load on these tables instead."
        ),
    ] = None,
    window: Annotated[
        str | None, typer.Option("--window", metavar="60s", help="With --tables: how long to watch.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="With --tables: write the answers as one HTML page.")
    ] = None,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Refuse while another run measures here.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the run's folder and nothing else.")] = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure an experiment and execute its notebook.

    Where the same run was completed on this machine, by the same version of the measurement and with the same engine,
    nothing is measured and that run is used, unless --fresh is given. With --stored nothing is measured in any case:
    the newest stored run with these parameters and this engine is used, a published one too.

    A value given with -p goes before one from -f, and that before the profile's. Units end the names: _mib is MiB,
    _percent is %, _ns is nanoseconds, _s is seconds; `benchbook show` lists them all. Every finished trial is kept:
    after Ctrl-C or a crash the same command goes on where it stopped.

    With --blocks +N the plan of a stored run, a published one too, goes on where it stopped: N further blocks are
    measured as a run of their own, and all are pooled. A second visit, half a day later or on another kind of
    processor, decides more than the same blocks in one. On another kind of host than the stored runs have this is
    refused, unless --another-host is given: the pages then say which kinds the numbers mix.

    With --half-width the stored blocks say how many more the numbers that the chapter begins with lack, or those named
    with --number, and these are added, in one session; `benchbook plan` shows them first.

    With --tables the server that BENCHBOOK_PG_SERVICE names is watched while your own load runs, by its counters, and
    nothing is made or measured: whether hot keys were asked for, and whether a larger buffer pool could help. The word
    busiest stands for the tables with most requests.

    Examples:

    benchbook run hot_cold_keys --profile quick

    benchbook run read_path --blocks +3

    benchbook run read_path --half-width 3%

    benchbook run hot_cold_keys -p n_tables=10 -p "hot_shares_percent=[90,50]"

    benchbook run hot_cold_keys -f my.yaml -p shared_buffers_mib=512 --fresh

    benchbook run hot_cold_keys --stored

    benchbook run io_cliff --dry-run

    benchbook run --leading --profile quick

    benchbook run own_server --tables shop.orders,shop.items --window 60s
    """
    if tables is not None:
        wrong_use(experiment != own_tables.CHAPTER, f"it belongs to {own_tables.CHAPTER}", "--tables")
        others = setting or file or stored or fresh or more or half_width
        wrong_use(others, "nothing is measured; give --window, --out and --json alone", "--tables")
        own_tables.answer(tables, window, out, as_json=as_json, dry=dry)
        return
    wrong_use(window or out, "it says how tables are watched; give --tables", "--window or --out")
    several, chosen = every or leading, (experiment is not None) + every + leading
    wrong_use(chosen != 1, "name one experiment, or give --all or --leading", "EXPERIMENT")
    wrong_use(file and len(file) > 1, "give one file", "-f")
    wrong_use(several and (setting or file), "-p and -f set the parameters of one experiment, not of --all", "--all")
    wrong_use(fresh and stored, "--fresh measures anew, --stored measures nothing", "--stored")
    alone, adds = fresh or stored or several, "it adds to one stored run; leave out --fresh, --stored"
    wrong_use(more and alone, f"{adds} and --all", "--blocks")
    adds_none = not (more or half_width)
    wrong_use(another_host and adds_none, "it says on what blocks are added; give --blocks +N", mixed_hosts.OPTION)
    wrong_use(number and not half_width, "it says of what the half-width is; give --half-width", "--number")
    wrong_use(half_width and (alone or more), f"{adds}, --all and --blocks", "--half-width")
    added, own = None if more is None else blocks_to_add(more), file[0] if file else None
    profiles.check(profile)
    if half_width is not None:
        asked_for = pilot_run.Asked(profile, own, setting or [])
        lacks = pilot_run.lacking(lab.experiment(experiment or ""), asked_for, share(half_width), number or [])
        added, stored, setting = lacks.blocks or None, not lacks.blocks, lacks.settings
        typer.echo(f"{experiment}: {lacks.said(share(half_width))}", err=True)
    names = lab.leading() if leading else lab.names() if every else [experiment or ""]
    kept = []
    how = {"fresh": fresh, "stored": stored, "more": added, "another_host": another_host}
    wanted = [_asked(name, profile, own, setting or [], how) for name in names]
    for each in wanted:
        missing = each.missing_engine() if several else None
        if missing is None:
            each.check()
            kept.append(each)
            continue
        _say_why(each.name, "left out", missing)
    if dry and as_json:
        json_output.echo([each.record() for each in kept])
        return
    if dry:
        for each in kept:
            typer.echo(each.foreseen())
            for departure in parameter_options.departures(lab.experiment(each.name), profile, each.parameters):
                typer.echo(f"  {departure}")
        return
    measured, told = [each for each in kept if isinstance(each, Asked)], not quiet and not as_json
    failed: list[Asked] = []
    if several:
        failed = _every(measured, quiet=quiet, told=told, wait=not no_wait)
    for asked in [] if several else measured:
        asked.obtain(RunProgress(asked.name, quiet=quiet), wait=not no_wait)
        if told:
            report.of_run(asked)
    kept = [each for each in kept if each not in failed]
    report.of_notebooks(kept, quiet=quiet, as_json=as_json)
    if failed:
        names = [each.name for each in failed]
        raise MachineError(
            f"{len(failed)} of {len(measured)} experiments could not be measured here: {', '.join(names)}",
            f"the same command tries them again; until then {_SHOWN_INSTEAD}",
        )


def _every(asked: Sequence[Asked], *, quiet: bool, told: bool, wait: bool) -> list[Asked]:
    """Measure all; those that this machine could not measure, also not a second time. told: each says where it is.

    Raises FullDiskError at once: what else fails then may follow from it.
    """
    failed = _tried(asked, quiet=quiet, told=told, wait=wait)
    again = [each for each, error in failed if not isinstance(error, NoEngineError)]
    if again:
        typer.echo(f"once more, now that the others are done: {', '.join(each.name for each in again)}", err=True)
    missing = [each for each, _ in failed if each not in again]
    return missing + [each for each, _ in _tried(again, quiet=quiet, told=told, wait=wait)]


def _say_why(name: str, what: str, error: MachineError) -> None:
    """Why the others go on without this experiment."""
    typer.echo(f"{name}: {what}, {error.problem}; {error.mend}; {_SHOWN_INSTEAD}", err=True)


def _tried(asked: Sequence[Asked], *, quiet: bool, told: bool, wait: bool) -> list[tuple[Asked, MachineError]]:
    failed = []
    for place, each in enumerate(asked, start=1):
        if not quiet:
            typer.echo(f"experiment {place} of {len(asked)}: {each.name}", err=True)
        try:
            each.obtain(RunProgress(each.name, quiet=quiet), wait=wait)
        except FullDiskError:
            raise
        except MachineError as error:
            failed.append((each, error))
            _say_why(each.name, "not measured", error)
            continue
        if told:
            report.of_run(each)
    return failed


def _asked(
    name: str, profile: str, file: Path | None, settings: list[str], how: Mapping[str, Any]
) -> Asked | Recomputed:
    """how: whether a stored run counts, and what is added to one, by the names of ``Asked``."""
    module = lab.experiment(name)
    run_notebook.source(name)
    parameters = parameter_options.parameters(module, profile, file, settings)
    if how["more"] is not None and module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{name} measures nothing, so it has no blocks to add", "leave out --blocks")
    if module.kind is Kind.ANALYSIS:
        return Recomputed(name, parameters)
    return Asked(module, cast(ExperimentParameters, parameters), **how)


def blocks_to_add(text: str) -> int:
    """The number in "+12"; raises BenchbookError for anything else."""
    if text.startswith("+") and text[1:].isdecimal() and 1 <= int(text[1:]) <= MOST:
        return int(text[1:])
    hint = f"; the blocks of a new run are set with -p blocks={text}" if text.isdecimal() else ""
    raise BenchbookError(f"--blocks {shortened(text)} is not a number of blocks to add", f"give one such as +12{hint}")
