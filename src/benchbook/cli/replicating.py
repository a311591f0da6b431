"""``replicate``: the published numbers measured once more on this machine, and each claim held against them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, cast

import typer

from benchbook import lab, store
from benchbook.book.records.drift import said
from benchbook.cli import json_output
from benchbook.cli.amounts import seconds, share
from benchbook.cli.formatting import duration, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.progress import RunProgress
from benchbook.cli.request import Asked
from benchbook.errors import BenchbookError, DisagreementError, MachineError, NoStoredRunError
from benchbook.experiments import chosen_runs
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.parameters import ExperimentParameters
from benchbook.experiments.shape.manifest import Chapter
from benchbook.figures.prose import digits
from benchbook.model import Run
from benchbook.reuse.estimates import estimates
from benchbook.reuse.replicate import Answer, Replicated, replicated, worst

NOT_DECIDED = 8
"""Exit code where nothing is contradicted, and a main claim that the book decides stays open here."""
LEAST_BLOCKS, MOST_BLOCKS = 3, 100


@dataclass(frozen=True)
class Wanted:
    """A published run and how many blocks of it are measured here. block_s: of one, where it was published."""

    module: Chapter
    published: Run
    block_s: float
    blocks: int

    @cached_property
    def asked(self) -> Asked:
        """The same parameters, so many blocks."""
        given = {**self.published.parameters, "blocks": self.blocks}
        return Asked(self.module, cast(ExperimentParameters, self.module.Parameters.given(given)))

    @property
    def seconds(self) -> float:
        """Of measuring, where it was published."""
        return self.blocks * self.block_s


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    app.command("replicate")(replicate)


def replicate(
    experiment: Annotated[
        str | None, typer.Argument(help="An experiment that has a published run.", show_default=False)
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every experiment with a published run that this machine can measure.")
    ] = False,
    blocks: Annotated[
        int | None,
        typer.Option("--blocks", min=LEAST_BLOCKS, max=100, help="To measure; default: the published plan's."),
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

    benchbook replicate --all --budget 4h
    """
    if sum(each is not None for each in (blocks, budget, precision)) > 1:
        raise typer.BadParameter("give one of blocks, a time and a precision", param_hint="--blocks")
    if (experiment is None) != everything:
        raise typer.BadParameter("name one experiment, or give --all", param_hint="EXPERIMENT")
    limit_s = None if budget is None else seconds(budget)
    half_width = None if precision is None else share(precision)
    wanted = _every(quiet) if experiment is None else [_published(experiment)]
    wanted = _sized(wanted, blocks, limit_s, half_width)
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
    for each in wanted:
        here = each.asked.obtain(RunProgress(each.module.name, quiet=quiet), wait=True)
        found[each.module.name] = own = replicated(each.module, each.published, here)
        if not as_json:
            _tell(each.published, here, own)
        elif not everything:
            json_output.echo({"published": each.published.id, "here": here.id, "claims": [*map(_record, own)]})
    if everything:
        _sum_up(found, as_json=as_json)
    _end(found)


def _published(experiment: str) -> Wanted:
    module = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so there is nothing to replicate", "name another one")
    published = chosen_runs.run(module)
    if published is None:
        raise NoStoredRunError(f"no run of {experiment} is published", f"measure it: `benchbook run {experiment}`")
    block_s = sum(store.measuring_s(part.trials) for part in store.parts(published)) / published.blocks
    return Wanted(module, published, block_s, max(LEAST_BLOCKS, int(published.parameters["blocks"])))


def _every(quiet: bool) -> list[Wanted]:
    """Those that this machine can measure; of the others it is said why not."""
    found = []
    for name in lab.names():
        try:
            each = _published(name)
            each.asked.check()
        except MachineError as lacking:
            if not quiet:
                typer.echo(f"{name} is left out: {lacking.problem}", err=True)
        except BenchbookError:  # nothing is measured, or nothing published
            continue
        else:
            found.append(each)
    if not found:
        raise NoStoredRunError("no published run can be measured here", "`benchbook doctor` says what is missing")
    return found


def _sized(
    wanted: Sequence[Wanted], blocks: int | None, limit_s: float | None, half_width: float | None
) -> list[Wanted]:
    """With the blocks asked for; a time is divided as the published plans divide theirs."""
    if limit_s is None:
        return [_resized(each, blocks or _precise(each, half_width) or each.blocks) for each in wanted]
    least_s = sum(LEAST_BLOCKS * each.block_s for each in wanted)
    if limit_s < least_s:
        raise BenchbookError(
            f"{LEAST_BLOCKS} blocks{' of each' if len(wanted) > 1 else ''} take {duration(least_s)}, so that not even "
            f"{LEAST_BLOCKS} fit",
            "give more time",
        )
    spare = (limit_s - least_s) / sum(each.seconds for each in wanted)
    return [_resized(each, LEAST_BLOCKS + int(spare * each.blocks)) for each in wanted]


def _resized(each: Wanted, blocks: int) -> Wanted:
    return Wanted(each.module, each.published, each.block_s, min(MOST_BLOCKS, max(LEAST_BLOCKS, blocks)))


def _precise(each: Wanted, half_width: float | None) -> int | None:
    """Blocks for ratios so narrow, by the published intervals, whose width shrinks as the root of the blocks grows.

    None where nothing is asked. Raises BenchbookError where that takes more than a run has.
    """
    if half_width is None:
        return None
    whole = estimates(each.module, each.module.summarize(each.published))
    ratios = [found for found in whole if found.claims and found.scale == "ratio" and found.estimate.low > 0]
    widths = {found.name: math.log(found.estimate.high / found.estimate.low) / 2 for found in ratios}
    for name, width in widths.items():
        blocks = each.published.blocks * (width / math.log1p(half_width)) ** 2
        if blocks > MOST_BLOCKS:
            raise BenchbookError(
                f"{each.module.name}: {name} needs more than {MOST_BLOCKS} blocks for ±{100 * half_width:g} %",
                "give a wider one, or --blocks",
            )
    widest = max(widths.values(), default=0.0)
    return math.ceil(each.published.blocks * (widest / math.log1p(half_width)) ** 2)


def _tell(published: Run, here: Run, found: Sequence[Replicated]) -> None:
    typer.echo(f"published  {published.id}: {published.blocks} blocks\nhere       {here.id}: {here.blocks} blocks\n")
    rows = [
        [
            f"{each.claim}{' (main)' if each.main else ''}", said(each.published), ends(each.predicted),
            said(each.here), _placed(each), each.outcome, each.outcome_here, str(each.answer),
        ]
        for each in found
    ]  # fmt: skip
    head = ["claim", "published", "expected", "here", "", "verdict published", "verdict here", "claim here"]
    print_table(head, rows)


def _placed(each: Replicated) -> str:
    return {None: "", True: "as expected", False: "elsewhere"}[each.as_predicted]


def _sum_up(found: dict[str, list[Replicated]], *, as_json: bool) -> None:
    """A row for each experiment, with how many claims came out how."""
    if as_json:
        json_output.echo({name: [*map(_record, own)] for name, own in found.items()})
        return
    rows = [[name, *(str(sum(each.answer is a for each in own)) for a in Answer)] for name, own in found.items()]
    print_table(["experiment", *map(str, Answer)], rows)


def _end(found: dict[str, list[Replicated]]) -> None:
    every = [each for own in found.values() for each in own]
    answer = worst(every)
    if answer is Answer.CONTRADICTED:
        names = ", ".join(each.claim for each in every if each.answer is answer)
        raise DisagreementError(f"{', '.join(found)}: {names} came out the other way here", "see the table above")
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


def ends(found: tuple[float, float] | None) -> str:
    """Such as "0.9 to 1.2"; "" without."""
    return f"{digits(found[0])} to {digits(found[1])}" if found else ""
