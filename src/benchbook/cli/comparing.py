"""``compare``: two runs of one experiment, number by number."""

from dataclasses import asdict
from typing import Annotated, Any

import typer

from benchbook import store
from benchbook.book.records.own_runs import said
from benchbook.cli import json_output
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.parameter_options import NUMBER
from benchbook.errors import BenchbookError, DisagreementError
from benchbook.figures.prose import digits
from benchbook.model import Run
from benchbook.parameters import wording
from benchbook.reuse import named_runs
from benchbook.reuse.compare import Compared, Pair, compare

APART = "apart"
_ENOUGH = 4
"""Visits of a run, so that they are its replicates."""


def compare_runs(
    first: Annotated[str, typer.Argument(help="A run's id, or an experiment: its published runs, pooled.")],
    second: Annotated[str, typer.Argument(help="Another run of the same experiment.")],
    number: Annotated[
        list[str] | None, NUMBER(help="Only this number, or that of this claim; may be repeated.")
    ] = None,
    claims: Annotated[bool, typer.Option("--claims", help="Also how each claim comes out by either run.")] = False,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", metavar=APART, help="Exit 7 where a number is apart.")
    ] = None,
    as_json: AS_JSON = False,
) -> None:
    """Compare two runs of one experiment, number by number: how far they are apart, with a 95 % interval.

    Compared are the chapter's own numbers, which are ratios and shares within each run, so that the runs may be of two
    machines, versions or settings; times of different machines are never compared. A number is apart where Holm's p,
    adjusted for all numbers shown, lies below 0.05: intervals that overlap may be apart all the same.

    Examples:

    benchbook compare hot_cold_keys 965802492b26

    benchbook compare hot_cold_keys 965802492b26 --number L001 --claims --fail-on apart
    """
    wrong_use(fail_on not in (None, APART), f"give {APART}", "--fail-on")
    module, one = named_runs.run(first)
    same, other = named_runs.run(second)
    if module.name != same.name:
        raise BenchbookError(
            f"run {one.id} is one of {module.name} and run {other.id} one of {same.name}",
            "compare runs of one experiment",
        )
    found = compare(module, one, other, number or [])
    if as_json:
        json_output.echo(_record(found, claims=claims))
    else:
        _tell(found, claims=claims)
    apart = [pair.first.name for pair in found.pairs if pair.apart]
    if fail_on and apart:
        raise DisagreementError(f"apart: {', '.join(apart)}", "see the table; leave out --fail-on to compare only")


def _tell(found: Compared, *, claims: bool) -> None:
    for name, run in _both(found):
        typer.echo(f"{name:6}  {_of(run)}")
    for name, (a, b) in wording.shape(found.parameters).items():
        typer.echo(f"  {name}: {wording.value(a)}, then {wording.value(b)}")
    typer.echo("")
    one, other = (f"{name}{' (foreign)' * run.foreign}" for name, run in _both(found))
    head = ["number", "claims", one, other, "second against first", "p (Holm)", ""]
    print_table(head, [_row(pair) for pair in found.pairs])
    for which, names in zip(("first", "second"), found.alone, strict=True):
        if names:
            typer.echo(f"in the {which} run alone: {', '.join(names)}")
    if found.times:
        typer.echo(f"times, which are not compared: {', '.join(found.times)}")
    apart = sum(pair.apart for pair in found.pairs)
    typer.echo(f"\n{apart or 'none'} of {len(found.pairs)} numbers {'is' if apart < 2 else 'are'} apart")
    if any(_visits(run) < _ENOUGH for run in (found.first, found.second)):
        typer.echo(
            f"A run of fewer than {_ENOUGH} visits does not know how its machine moves between visits: what is "
            "apart may be another hour and no other machine or setting."
        )
    if claims and found.outcomes:
        typer.echo("")
        print_table(["claim", one, other], [[claim, *both] for claim, both in found.outcomes.items()])


def _both(found: Compared) -> tuple[tuple[str, Run], ...]:
    return ("first", found.first), ("second", found.second)


def _of(run: Run) -> str:
    visits = _visits(run)
    name = f"{run.id}: {'foreign, ' if run.foreign else ''}{run.blocks} blocks"
    return f"{name} in {visits} visit{'' if visits == 1 else 's'}, profile {run.profile}"


def _visits(run: Run) -> int:
    return int(store.visits_of(run).max()) + 1


def _row(pair: Pair) -> list[str]:
    between = pair.between
    against = f"{'×' if between.scale == 'ratio' else ''}{digits(between.point)}"
    if between.low < between.high:
        against += f" [{digits(between.low)}, {digits(between.high)}]"
    p = "" if pair.p is None else f"{pair.p:.2g}"
    claims = ", ".join(pair.first.claims)
    shown = [said(each.estimate) for each in (pair.first, pair.second)]
    return [pair.first.name, claims, *shown, against, p, APART if pair.apart else ""]


def _record(found: Compared, *, claims: bool) -> dict[str, Any]:
    """The same for a program."""
    runs = [
        {"run": run.id, "origin": run.origin, "blocks": run.blocks, "visits": _visits(run), "profile": run.profile}
        for run in (found.first, found.second)
    ]
    numbers = [
        {
            "number": pair.first.name,
            "claims": list(pair.first.claims),
            "first": json_output.estimate(pair.first.estimate),
            "second": json_output.estimate(pair.second.estimate),
            "second_against_first": asdict(pair.between),
            "p_holm": pair.p,
            "apart": pair.apart,
        }
        for pair in found.pairs
    ]
    content = {"runs": runs, "parameters": found.parameters, "numbers": numbers, "alone": list(map(list, found.alone))}
    return content | ({"claims": {claim: list(both) for claim, both in found.outcomes.items()}} if claims else {})
