"""``combine``, ``pack`` and ``add``: the numbers of several machines as one, and runs that are passed on."""

from pathlib import Path
from typing import Annotated, Any

import typer

from benchbook import lab
from benchbook.book.records.own_runs import said
from benchbook.cli import json_output, output_files, parameter_options
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import place, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.parameter_options import NUMBER, SETTING
from benchbook.cli.replicating import ends
from benchbook.errors import BenchbookError, NoStoredRunError, printable
from benchbook.experiments.manifest import Chapter
from benchbook.figures.prose import digits
from benchbook.parameters.kinds import Kind
from benchbook.reuse import adding, named_runs, packs
from benchbook.reuse import combine as combining
from benchbook.reuse.combine import Together
from benchbook.store import Entry


def combine(
    experiment: Annotated[str, typer.Argument(help="An experiment that was measured on two machines or more.")],
    number: Annotated[str | None, NUMBER(help="Only this one of the chapter's numbers.")] = None,
    forest_plot: Annotated[
        Path | None,
        typer.Option("--forest", metavar="FILE.html", help="Also draw the number's forest plot; needs --number."),
    ] = None,
    setting: Annotated[list[str] | None, SETTING(help="Ask for runs with another value than usual.")] = None,
    force: output_files.FORCE = False,
    as_json: AS_JSON = False,
) -> None:
    """Combine a chapter's numbers over machines: the published runs, those made here and those that were added.

    Each machine's number counts once, however many blocks it has: a random-effects mean with a 95 % interval, tau (how
    far machines lie apart beyond their own errors) and I2. From five machines on a further one's interval is given.
    Only runs with the parameters of the published one count, or with those that -p sets; blocks and seed may differ.
    What is left out is listed with the reason, and machines of added runs are marked as foreign.

    Examples:

    benchbook combine hot_cold_keys

    benchbook combine lru --json -p zipf_exponent=0.8

    benchbook combine lru --number gain_zipf --forest gain.html
    """
    wrong_use(forest_plot and not number, "a forest plot shows one number: name it with --number", "--forest")
    output_files.check(forest_plot)
    module: Chapter = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so it has no machines", "name one that measures")
    by_machine, left_out = combining.gathered(module, dict(map(parameter_options.setting, setting or ())))
    for identity, why in left_out.items():
        typer.echo(printable(f"left out {identity}: {why}"), err=True)
    if not by_machine:
        raise NoStoredRunError(f"no run of {experiment} is stored", f"measure it: `benchbook run {experiment}`")
    found = combining.combine(module, by_machine)
    if number is not None:
        found = [combining.named(found, number)]
    if forest_plot is not None:
        page = combining.drawing(found[0]).to_html(include_plotlyjs=True, full_html=True)
        output_files.write(forest_plot, page.encode(), force=force)
    if as_json:
        runs = {
            name: {"runs": [part.id for part in run.parts], "blocks": run.blocks, "foreign": name.endswith("foreign)")}
            for name, run in by_machine.items()
        }
        json_output.echo({"machines": runs, "left_out": left_out, "numbers": [*map(_numbers, found)]})
        return
    for name, run in by_machine.items():
        typer.echo(f"{name}: {run.blocks} blocks in {len(run.parts)} run{'' if len(run.parts) == 1 else 's'}")
    typer.echo("")
    print_table(
        ["number", "claims", "machines", "combined", "tau", "I2", "a further machine", "each"], [*map(_row, found)]
    )
    typer.echo("tau is on the scale of logarithms for ratios, where 0.1 is about 10 %, and of logits for shares.")


def _row(each: Together) -> list[str]:
    whole = each.combined
    middle, low, high = [each.back(value) for value in (whole.point, whole.low, whole.high)]
    further = tuple(map(each.back, whole.predicted)) if whole.predicted else None
    own = "; ".join(said(estimate) for estimate in each.each.values())
    return [
        each.name, ", ".join(each.claims), str(len(each.each)),
        f"{digits(middle)} [{digits(low)}, {digits(high)}]", f"{whole.tau:.2g}", f"{100 * whole.i2:.0f} %",
        ends((further[0], further[1])) if further else "", own,
    ]  # fmt: skip


def _numbers(each: Together) -> dict[str, Any]:
    whole = each.combined
    return {
        "number": each.name,
        "claims": list(each.claims),
        "scale": each.scale,
        "point": each.back(whole.point),
        "low": each.back(whole.low),
        "high": each.back(whole.high),
        "tau": whole.tau,
        "i2": whole.i2,
        "predicted": [each.back(end) for end in whole.predicted] if whole.predicted else None,
        "machines": {name: json_output.estimate(estimate) for name, estimate in each.each.items()},
    }


def pack(
    run: Annotated[str, typer.Argument(help="The id of a complete run, or the beginning of the id.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Zip file to write.")],
    force: output_files.FORCE = False,
) -> None:
    """Write a run as one file that another clone can `benchbook add`: its record and tables, sealed as they are.

    Example: benchbook pack 965802492b26 --out hot-cold-here.zip
    """
    output_files.check(out)
    output_files.write(out, packs.packed(named_runs.complete_entry(run)), force=force)


def add(file: Annotated[list[Path], typer.Argument(help="Files that `benchbook pack` wrote.")]) -> None:
    """Take in runs of other machines: each is checked, and kept apart from those made here and those published.

    Seal, parameters, sizes, words and metrics are looked at before a run is here; an id that is here with other content
    is refused. Added runs are called foreign wherever they are shown. They are compared by their ids and combined with
    `benchbook combine`; no page shows them.

    Example: benchbook add hot-cold-there.zip
    """
    for each in file:
        entry = adding.add(each, _problems)
        typer.echo(f"{entry.id} ({entry.folder.parent.name}, foreign): {place(entry.folder)}")


def _problems(entry: Entry) -> tuple[str, ...]:
    """What `benchbook verify` would say; against which ledger a run was planned elsewhere is no matter here."""
    from benchbook import verification

    return verification.verify(entry, frozenset({str(entry.provenance["ledger_sha256"])})).problems
