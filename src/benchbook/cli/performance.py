"""``bench`` and ``drift``: what the book's machinery costs, and whether runs made here agree with the published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchbook import project
from benchbook.bench.record import FILE, Performance
from benchbook.cli import output_files
from benchbook.cli.formatting import place, print_table
from benchbook.errors import NoStoredRunError
from benchbook.parameters import profiles
from benchbook.parameters.profiles import PROFILES, QUICK


def add_to(app: typer.Typer) -> None:
    """Declare the commands."""
    app.command("bench")(bench)
    app.command("drift")(drift)


def bench(
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="PART", help="Measure this part; may be repeated. Default: all but `book`."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="JSON file to write; default: data/performance.json.")
    ] = None,
    small: Annotated[
        bool,
        typer.Option("--small", help="Only try the parts with little work; these are not measurements; needs --out."),
    ] = False,
) -> None:
    """Measure the book's own speed beside named peers, on a quiet machine; takes half an hour or more.

    Parts: book (make book in a fresh clone, needs a network), build, analysis, clients, engines, catalogue. Every
    repeat runs all contestants in shuffled order, and ratios get intervals over the repeats. The file holds each part
    as soon as it is measured, beside those that it held before. A part that needs what the machine lacks is left out,
    and the reason is stored.

    Examples:

    benchbook bench

    benchbook bench --only analysis --only clients

    benchbook bench --only book

    benchbook bench --small --out /tmp/tried.json
    """
    from benchbook.bench import parts  # brings every engine, which no other command needs
    from benchbook.bench.sizes import FULL, SMALL

    if small and out is None:
        raise typer.BadParameter(
            "numbers from little work are not published; name a file with --out", param_hint="--small"
        )
    target = out if out is not None else project.root() / FILE
    output_files.check_file(target)
    names = parts.chosen(only or [])
    found = parts.measure(names, SMALL if small else FULL, target, lambda line: typer.echo(line, err=True))
    print_table(["part", "timed", "peer", "time / peer's", "from", "to"], _rows(found, names))
    typer.echo(place(target.resolve()))


def _rows(found: Performance, names: list[str]) -> list[list[str]]:
    """The main ratios of the parts that were measured now."""
    rows = []
    for part in found.parts:
        labels = {each.name: each.label for each in part.timings}
        for each in part.comparisons:
            if part.name in names and each.main:
                numbers = (each.ratio, each.low, each.high)
                rows.append([part.name, labels[each.name], labels[each.peer], *(f"{value:.3g}" for value in numbers)])
    return rows


def drift(
    experiment: Annotated[
        str | None, typer.Argument(help="Its claims one by one, as `replicate` tells them.", show_default=False)
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="|".join(PROFILES),
            help="Only runs of this profile; by default standard before paper before quick.",
        ),
    ] = None,
) -> None:
    """Say whether the intervals of runs made here overlap the published ones; nothing is measured.

    With an experiment, each claim is held against what the published sessions let expect, with the exit codes of
    `replicate`, which measures first. Without one, each chapter is compared that has a published run and one made here.
    A quick run decides nothing: it has few blocks and often smaller data sets, and its verdicts are not told.

    Examples:

    benchbook drift

    benchbook drift --profile standard

    benchbook drift lru
    """
    from benchbook.book.assembly import own_drift
    from benchbook.book.records.drift import State, counts, said, sentence

    if profile is not None:
        profiles.check(profile)
    if experiment is not None:
        _claims(experiment, profile)
        return
    owns = [own for own in own_drift.of_runs(project.root(), profile) if own.published]
    if not owns:
        raise NoStoredRunError(
            "no chapter has both a published run and one made here",
            f"measure with `benchbook run --all --profile {profile or QUICK}`, then the same command",
        )
    rows = [
        [own.chapter, own.profile, str(own.blocks), *(str(number) for number in counts(own.numbers).values())]
        for own in owns
    ]
    print_table(["chapter", "profile", "blocks", *State], rows)
    apart = [
        [each.claim_id, own.chapter, said(each.published), said(each.here), each.verdict, each.verdict_here]
        for own in owns
        for each in own.numbers
        if each.state is State.APART
    ]
    if apart:
        typer.echo("")
        print_table(["claim", "chapter", "published", "here", "verdict published", "verdict here"], apart)
    typer.echo(f"\n{sentence(owns)}")


def _claims(experiment: str, profile: str | None) -> None:
    """What the run made here says of each claim."""
    from benchbook.cli import replicating, to_replicate
    from benchbook.experiments import chosen_runs
    from benchbook.reuse.replicate import replicated

    wanted = to_replicate.published(experiment)
    here = chosen_runs.own_run(wanted.module, profile)
    if here is None or here.profile == QUICK:
        raise NoStoredRunError(
            f"no run of {experiment} that decides anything was made here",
            f"measure one: `benchbook replicate {experiment}`",
        )
    found = replicated(wanted.module, wanted.published, here)
    replicating.tell(wanted.published, here, found)
    replicating.end({experiment: found})
