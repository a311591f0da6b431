"""``replicate``: the published numbers measured once more on this machine, and each claim held against them."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer

from benchbook.book.records.own_runs import said
from benchbook.cli import json_output, to_replicate
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import duration, print_table, seconds, share
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.progress import RunProgress
from benchbook.cli.to_replicate import LEAST_BLOCKS, MOST_BLOCKS, Within
from benchbook.errors import DisagreementError, NoStoredRunError, UndecidedError
from benchbook.experiments import chosen_runs
from benchbook.figures.prose import digits
from benchbook.model import Run
from benchbook.parameters.profiles import QUICK
from benchbook.reuse.replicate import Answer, Replicated, replicated, worst


def replicate(
    experiment: Annotated[
        str | None, typer.Argument(help="An experiment that has a published run.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every experiment with a published run that this machine can measure.")
    ] = False,
    blocks: Annotated[
        int | None,
        typer.Option("--blocks", min=LEAST_BLOCKS, max=MOST_BLOCKS, help="To measure; default: the published plan's."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="2h|90m", help="As many blocks as fit into this time instead.")
    ] = None,
    precision: Annotated[
        str | None,
        typer.Option(
            "--precision", metavar="3%", help="As many blocks as the published spread needs for intervals so narrow."
        ),
    ] = None,
    made: Annotated[
        bool, typer.Option("--made", help="Measure nothing: take the newest run that was made here.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before measuring.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the comparison and nothing else.")] = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure a published experiment on this machine, and say claim by claim whether it comes out the same.

    The parameters are those of the published run. Each number is held against the interval in which a further session
    is to be expected by the published sessions; a claim's verdict is the same, has the same direction, is not decided
    here, or is contradicted. Exits 7 when a main claim is contradicted, 8 when one is not decided here.

    With --budget measuring stops after its first block where this machine is too slow for the time; what is stored is
    kept.

    Examples:

    benchbook replicate lru

    benchbook replicate hot_cold_keys --budget 30m --yes --json

    benchbook replicate --all --budget 4h

    benchbook replicate lru --made
    """
    sizes = [each for each in (blocks, budget, precision) if each is not None]
    wrong_use(len(sizes) > 1, "give one of blocks, a time and a precision", "--blocks")
    wrong_use((experiment is None) != everything, "name one experiment, or give --all", "EXPERIMENT")
    wrong_use(made and (everything or sizes), "name one experiment and nothing to measure", "--made")
    if made:
        return _made(str(experiment), as_json=as_json)
    limit_s = None if budget is None else seconds(budget)
    half_width = None if precision is None else share(precision)
    wanted = to_replicate.every(quiet) if experiment is None else [to_replicate.published(experiment)]
    wanted = to_replicate.sized(wanted, blocks, limit_s, half_width)
    for each in wanted:
        each.asked.check()
    missing = [each for each in wanted if each.asked.run is None]
    for each in missing:
        cost = f"about {duration(each.seconds)} of measuring where it was published"
        typer.echo(f"{each.module.name}: {each.blocks} blocks, {cost}", err=True)
    if missing and not yes:
        total = f" {duration(sum(each.seconds for each in missing))} in all." if len(missing) > 1 else ""
        typer.confirm(f"Measure now?{total}", abort=True, err=True)
    found: dict[str, list[Replicated]] = {}
    within = None if limit_s is None else Within(limit_s)
    for each in wanted:
        progress = RunProgress(each.module.name, quiet=quiet)
        if within is not None:
            progress.keep_to(partial(within.check, each.module.name, each.blocks))
        here = each.asked.obtain(progress, wait=True)
        found[each.module.name] = own = replicated(each.module, each.published, here)
        if not (as_json and everything):
            tell(each.published, here, own, as_json=as_json)
    if everything:
        _sum_up(found, as_json=as_json)
    end(found)


def _made(experiment: str, *, as_json: bool) -> None:
    """What the run that was made here says of each claim."""
    wanted = to_replicate.published(experiment)
    here = chosen_runs.own_run(wanted.module, None)
    if here is None or here.profile == QUICK:
        raise NoStoredRunError(
            f"no run of {experiment} that decides anything was made here", f"`benchbook replicate {experiment}`"
        )
    found = replicated(wanted.module, wanted.published, here)
    tell(wanted.published, here, found, as_json=as_json)
    end({experiment: found})


def tell(published: Run, here: Run, found: Sequence[Replicated], *, as_json: bool) -> None:
    """A row for each claim: its numbers, what was to be expected here, and both verdicts."""
    if as_json:
        json_output.echo({"published": published.id, "here": here.id, "claims": [*map(_record, found)]})
        return
    typer.echo(f"published  {published.id}: {published.blocks} blocks\nhere       {here.id}: {here.blocks} blocks\n")
    placed = {None: "", True: "as expected", False: "elsewhere"}
    rows = [
        [
            f"{each.claim}{' (main)' if each.main else ''}", said(each.published), ends(each.predicted),
            said(each.here), placed[each.as_predicted], each.outcome, each.outcome_here, str(each.answer),
        ]
        for each in found
    ]  # fmt: skip
    head = ["claim", "published", "expected", "here", "", "verdict published", "verdict here", "claim here"]
    print_table(head, rows)


def _sum_up(found: dict[str, list[Replicated]], *, as_json: bool) -> None:
    """A row for each experiment, with how many claims came out how."""
    if as_json:
        json_output.echo({name: [*map(_record, own)] for name, own in found.items()})
        return
    rows = [[name, *(str(sum(each.answer is a for each in own)) for a in Answer)] for name, own in found.items()]
    print_table(["experiment", *map(str, Answer)], rows)


def end(found: dict[str, list[Replicated]]) -> None:
    """Exit as the claims ask: 7 where a main one is contradicted, 8 where one is not decided here."""
    every = [each for own in found.values() for each in own]
    answer = worst(every)
    if answer is Answer.CONTRADICTED:
        names = ", ".join(each.claim for each in every if each.answer is answer)
        raise DisagreementError(f"{', '.join(found)}: {names} came out the other way here", "see the table above")
    if answer is Answer.OPEN:
        raise typer.Exit(UndecidedError.code)


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


def ends(found: tuple[float, float] | None) -> str:
    """Such as "0.9 to 1.2"; "" without."""
    return f"{digits(found[0])} to {digits(found[1])}" if found else ""
