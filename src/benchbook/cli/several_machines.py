"""``replicate``, ``combine``, ``pack`` and ``add``: the published numbers on another machine, and on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from benchbook import lab, store
from benchbook.book.records.drift import said
from benchbook.cli import json_output, output_files
from benchbook.cli.amounts import seconds
from benchbook.cli.formatting import duration, place, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.progress import RunProgress
from benchbook.cli.request import Asked
from benchbook.errors import BenchbookError, DisagreementError, NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.parameters import ExperimentParameters
from benchbook.experiments.shape.manifest import Chapter
from benchbook.figures.prose import digits
from benchbook.model import Run
from benchbook.reuse import combine as combining
from benchbook.reuse import foreign
from benchbook.reuse.combine import Together
from benchbook.reuse.replicate import Answer, Replicated, replicated, worst

NOT_DECIDED = 8
"""Exit code where nothing is contradicted, and a main claim that the book decides stays open here."""
LEAST_BLOCKS = 3


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    app.command("replicate")(replicate)
    app.command("combine")(combine)
    app.command("pack")(pack)
    app.command("add")(add)


def replicate(
    experiment: Annotated[str, typer.Argument(help="An experiment that has a published run.")],
    blocks: Annotated[
        int | None,
        typer.Option("--blocks", min=LEAST_BLOCKS, max=100, help="To measure; default: the published plan's."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="2h|90m", help="As many blocks as fit into this time instead.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before measuring.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the comparison and nothing else.")] = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure a published experiment on this machine, and say claim by claim whether it comes out the same.

    The parameters are those of the published run. Each number is held against the interval in which a further session
    is to be expected by the published sessions; a claim's verdict is the same, has the same direction, is not decided
    here, or is contradicted. Exits 7 when a main claim is contradicted, 8 when one is not decided here.

    Examples:

    benchbook replicate lru

    benchbook replicate hot_cold_keys --budget 30m --yes --json
    """
    if blocks is not None and budget is not None:
        raise typer.BadParameter("give blocks or a time", param_hint="--budget")
    limit_s = None if budget is None else seconds(budget)
    module = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so there is nothing to replicate", "name another one")
    published = chosen_runs.run(module)
    if published is None:
        raise NoStoredRunError(f"no run of {experiment} is published", f"measure it: `benchbook run {experiment}`")
    block_s = sum(store.measuring_s(part.trials) for part in store.parts(published)) / published.blocks
    wanted = _blocks(published, blocks, limit_s, block_s)
    parameters = module.Parameters.given({**published.parameters, "blocks": wanted})
    asked = Asked(module, cast(ExperimentParameters, parameters))
    asked.check()
    if asked.run is None:
        cost = f"{experiment}: {wanted} blocks, about {duration(wanted * block_s)} of measuring where it was published"
        typer.echo(cost, err=True)
        if not yes:
            typer.confirm("Measure now?", abort=True, err=True)
    here = asked.obtain(RunProgress(experiment, quiet=quiet), wait=True)
    found = replicated(module, published, here)
    if as_json:
        json_output.echo({"published": published.id, "here": here.id, "claims": [*map(_record, found)]})
    else:
        _tell(published, here, found)
    _end(experiment, found)


def _blocks(published: Run, blocks: int | None, limit_s: float | None, block_s: float) -> int:
    if limit_s is not None:
        fitting = int(limit_s / block_s)
        if fitting < LEAST_BLOCKS:
            raise BenchbookError(
                f"a block takes {duration(block_s)}, so that not even {LEAST_BLOCKS} fit", "give more time"
            )
        return min(100, fitting)
    return blocks or max(LEAST_BLOCKS, int(published.parameters["blocks"]))


def _tell(published: Run, here: Run, found: Sequence[Replicated]) -> None:
    typer.echo(f"published  {published.id}: {published.blocks} blocks\nhere       {here.id}: {here.blocks} blocks\n")
    rows = [
        [
            f"{each.claim}{' (main)' if each.main else ''}", said(each.published), _ends(each.predicted),
            said(each.here), _placed(each), each.outcome, each.outcome_here, str(each.answer),
        ]
        for each in found
    ]  # fmt: skip
    head = ["claim", "published", "expected", "here", "", "verdict published", "verdict here", "claim here"]
    print_table(head, rows)


def _placed(each: Replicated) -> str:
    return {None: "", True: "as expected", False: "elsewhere"}[each.as_predicted]


def _end(experiment: str, found: Sequence[Replicated]) -> None:
    answer = worst(found)
    if answer is Answer.CONTRADICTED:
        names = ", ".join(each.claim for each in found if each.answer is answer)
        raise DisagreementError(f"{experiment}: {names} came out the other way here", "see the table above")
    if answer is Answer.OPEN:
        raise typer.Exit(NOT_DECIDED)


def _record(each: Replicated) -> dict[str, Any]:
    return {
        "claim": each.claim,
        "main": each.main,
        "answer": str(each.answer),
        "verdict": each.outcome,
        "verdict_here": each.outcome_here,
        "published": json_output.estimate(each.published) if each.published else None,
        "here": json_output.estimate(each.here) if each.here else None,
        "predicted": list(each.predicted) if each.predicted else None,
        "as_predicted": each.as_predicted,
    }


def _ends(ends: tuple[float, float] | None) -> str:
    return f"{digits(ends[0])} to {digits(ends[1])}" if ends else ""


def combine(
    experiment: Annotated[str, typer.Argument(help="An experiment that was measured on two machines or more.")],
    as_json: AS_JSON = False,
) -> None:
    """Combine a chapter's numbers over machines: the published runs, those made here and those that were added.

    Each machine's number counts once, however many blocks it has: a random-effects mean with a 95 % interval, tau (how
    far machines lie apart beyond their own errors) and I2. From five machines on a further one's interval is given.

    Examples:

    benchbook combine hot_cold_keys

    benchbook combine lru --json
    """
    module: Chapter = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so it has no machines", "name one that measures")
    by_machine = combining.machines(combining.runs(module))
    if not by_machine:
        raise NoStoredRunError(f"no run of {experiment} is stored", f"measure it: `benchbook run {experiment}`")
    found = combining.combine(module, by_machine)
    if as_json:
        runs = {name: {"runs": [p.id for p in run.parts], "blocks": run.blocks} for name, run in by_machine.items()}
        json_output.echo({"machines": runs, "numbers": [*map(_numbers, found)]})
        return
    for name, run in by_machine.items():
        typer.echo(f"{name}: {run.blocks} blocks in {len(run.parts)} run{'' if len(run.parts) == 1 else 's'}")
    typer.echo("")
    print_table(
        ["number", "claims", "machines", "combined", "tau", "I2", "a further machine", "each"], [*map(_row, found)]
    )
    typer.echo("tau is on the scale of logarithms for ratios: 0.1 is about 10 %.")


def _row(each: Together) -> list[str]:
    whole = each.combined
    ends = [each.back(value) for value in (whole.point, whole.low, whole.high)]
    further = tuple(map(each.back, whole.predicted)) if whole.predicted else None
    own = "; ".join(said(estimate) for estimate in each.each.values())
    return [
        each.name, ", ".join(each.claims), str(len(each.each)),
        f"{digits(ends[0])} [{digits(ends[1])}, {digits(ends[2])}]", f"{whole.tau:.2g}", f"{100 * whole.i2:.0f} %",
        _ends((further[0], further[1])) if further else "", own,
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
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Zip file to write; it must not exist yet.")],
) -> None:
    """Write a run as one file that another clone can `benchbook add`: its record and tables, sealed as they are.

    Example: benchbook pack 965802492b26 --out hot-cold-here.zip
    """
    output_files.check_absent(out)
    foreign.pack(store.find_entry(run), out)
    typer.echo(place(out.resolve()))


def add(
    file: Annotated[list[Path], typer.Argument(help="Files that `benchbook pack` wrote.")],
) -> None:
    """Take in runs of other machines: each is checked, and kept apart from those made here and those published.

    They are compared by their ids and combined with `benchbook combine`; no page shows them.

    Example: benchbook add hot-cold-there.zip
    """
    for each in file:
        entry = foreign.add(each)
        typer.echo(f"{entry.id} ({entry.folder.parent.name}): {place(entry.folder)}")
