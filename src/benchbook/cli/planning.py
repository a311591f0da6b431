"""``plan``: how many blocks, trials and minutes a half-width needs, by the spread that a pilot run shows."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from benchbook import lab, statistics, store
from benchbook.cli import json_output, pilot, pilot_run
from benchbook.cli.amounts import seconds, share
from benchbook.cli.formatting import duration, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.pilot import Comparison
from benchbook.cli.planned import Planned
from benchbook.errors import BenchbookError
from benchbook.experiments import profiles
from benchbook.experiments.chapter_kinds import Kind
from benchbook.experiments.profiles import PROFILES, STANDARD
from benchbook.model import Run
from benchbook.runner.growth import MOST
from benchbook.statistics.estimates import chi_square_bounds
from benchbook.statistics.planning import BLOCKS_LIMIT

HALF_WIDTHS = (0.01, 0.02, 0.05, 0.10)
VISITS = 2
"""Of a plan that names no other number: two decide most."""
LEAST_PUBLISHED = 6
"""Blocks that the published edition has at least, whatever a plan says."""


def add_to(app: typer.Typer) -> None:
    """Declare the command."""
    app.command("plan")(plan)


def plan(
    experiment: Annotated[str, typer.Argument(help="An experiment that `benchbook list` names.")],
    half_width: Annotated[
        str, typer.Option("--half-width", metavar="2%|0.02", help="How far an interval may reach above its point.")
    ] = "2%",
    metric: Annotated[
        list[str] | None, typer.Option("--metric", help="Plan for this metric; may be repeated. Else P50, P99, TPS.")
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option("--arm", metavar="NAME", help="Plan for this configuration against the first; may be repeated."),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="The pilot run, instead of the stored blocks that fit.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="A parameter of the pilot; may be repeated."),
    ] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", metavar="FILE", help="A YAML file with the pilot's parameters.")
    ] = None,
    profile: Annotated[
        str, typer.Option("--profile", metavar="|".join(PROFILES), help="The pilot's profile; its blocks may differ.")
    ] = STANDARD,
    budget: Annotated[
        str | None, typer.Option("--budget", metavar="3h|90m", help="As many blocks as fit into this time instead.")
    ] = None,
    visits: Annotated[
        int, typer.Option("--visits", min=1, max=20, help="Visits in all: 12 hours apart, or another processor model.")
    ] = VISITS,
    fix: Annotated[
        bool, typer.Option("--fix", help="Write the plan to data/plans.csv, before its data are seen.")
    ] = False,
    as_json: AS_JSON = False,
    because: Annotated[
        str, typer.Option("--because", metavar="TEXT", help="With --fix: why visits are added to an earlier plan.")
    ] = "",
) -> None:
    """Say how many blocks, trials and minutes a confidence interval of a given half-width needs.

    The spread comes from a pilot: all stored blocks with these parameters, whatever their number and seed. Each
    configuration, or those named with --arm, is compared with the first one of the plan, block by block. Half-widths
    are shares of the ratio: 2% means that the 95 % interval ends at most 2 % above its point. Nothing is measured.

    With --budget the time decides, and the half-widths that it gives are said. Blocks are divided into visits, 12 hours
    apart or on another processor model. --fix writes visits and blocks down: commit the file, then measure with
    `benchbook run NAME --blocks +N`. A plan is not changed later; --because adds visits to it, and the page says that data had been seen.

    Examples:

    benchbook plan read_path --metric query_mean_ns --budget 3h --fix

    benchbook plan hot_cold_keys --half-width 2% --arm disjoint

    benchbook plan hot_cold_keys --half-width 0.05 --metric p50_ns --profile quick
    """
    if as_json and fix:
        raise typer.BadParameter("a plan is fixed by a reader, not by a program", param_hint="--json")
    if because and not (fix and because.strip()):
        raise typer.BadParameter("give a reason, and --fix with it", param_hint="--because")
    wanted, limit_s = share(half_width), None if budget is None else seconds(budget)
    module = lab.experiment(experiment)
    if module.kind is Kind.ANALYSIS:
        raise BenchbookError(
            f"{experiment} recomputes the notes' numbers and has no trials", "plan an experiment that measures"
        )
    if run is not None and (setting or file or profile != STANDARD):
        raise typer.BadParameter("a run has its parameters already; leave out -p, -f and --profile", param_hint="--run")
    profiles.check(profile)
    asked = pilot_run.Asked(profile, file, setting or [])
    found = pilot_run.named(module, run) if run is not None else pilot_run.newest(module, asked)
    arms = pilot_run.arms(module, found)
    names = pilot.metrics(found, metric or [])
    for name in pilot.left_out(found, metric or []):
        typer.echo(f"{name}: left out, because it is not estimable above 0 in every trial", err=True)
    compared = pilot.chosen([each for name in names for each in pilot.comparisons(found, arms, name)], arm or [])
    if as_json:
        _print_json(found, arms, compared, wanted, limit_s, asked.command(module, found))
        return
    _print_head(found, arms, names)
    columns = sorted({*HALF_WIDTHS, wanted})
    head = ["metric", f"against {arms[0]}", "sd of ratio", "± now", *(f"±{_percent(each)}" for each in columns)]
    print_table(head, [_row(each, columns) for each in compared])
    if limit_s is None:
        blocks, aim = _print_needs(found, arms, compared, wanted, names), f"half-width {_percent(wanted)}"
    else:
        blocks, aim = _fitting(found, compared, limit_s), f"budget {budget}"
    planned = Planned(module, found, blocks, visits, aim, asked.command(module, found))
    planned.say()
    if fix:
        planned.fix(because)


def _print_json(
    run: Run, arms: list[str], compared: list[Comparison], wanted: float, limit_s: float | None, command: str
) -> None:
    block_s = store.measuring_s(run.trials) / run.blocks
    ratios = [
        {
            "metric": each.metric,
            "configuration": each.configuration,
            "against": arms[0],
            "sd_log": each.effect.sd,
            "half_width_now": each.half_width,
            "blocks_needed": each.blocks_for(wanted),
        }
        for each in compared
    ]
    content = {"pilot": run.id, "blocks": run.blocks, "block_s": block_s, "half_width": wanted, "ratios": ratios}
    budget = {} if limit_s is None else {"budget_s": limit_s, "blocks_in_budget": int(limit_s / block_s)}
    json_output.echo({**content, **budget, "command": command})


def _print_head(run: Run, arms: list[str], names: list[str]) -> None:
    took = duration(store.measuring_s(run.trials))
    blocks = run.trials["block"].nunique()
    typer.echo(f"{run.experiment}: pilot {run.id}, {blocks} blocks of {len(arms)} trials, {took} of measuring")
    for name in names:
        spread = pilot.spread(run, arms, name)
        typer.echo(
            f"{name}: standard deviation {_percent(spread.between_block)} between blocks, "
            f"{_percent(spread.between_trial)} between trials of a block{_of(run, arms, name)}"
        )
    typer.echo("\nBlocks that a half-width needs:")


def _of(run: Run, arms: list[str], name: str) -> str:
    number = len(pilot.having(run, arms, name))
    return "" if number == len(arms) else f"; {number} of the {len(arms)} configurations have it"


def _row(compared: Comparison, columns: list[float]) -> list[str]:
    needed = (compared.blocks_for(each) for each in columns)
    return [
        compared.metric,
        compared.configuration,
        _percent(compared.effect.sd),
        _percent(compared.half_width),
        *(f"over {BLOCKS_LIMIT:,}" if blocks is None else f"{blocks:,}" for blocks in needed),
    ]


def _print_needs(run: Run, arms: list[str], compared: list[Comparison], wanted: float, names: list[str]) -> int | None:
    """What every metric needs; the most blocks of all, None where one needs more than can be measured."""
    most: int | None = LEAST_PUBLISHED
    blocks_there = run.trials["block"].nunique()
    block_s = store.measuring_s(run.trials) / blocks_there
    typer.echo("")
    for name in names:
        worst = max((each for each in compared if each.metric == name), key=lambda each: each.effect.sd)
        blocks = worst.blocks_for(wanted)
        start = f"{name}, ±{_percent(wanted)} for every ratio"
        if blocks is None or blocks > MOST:
            typer.echo(f"{start}: more than the {MOST:,} blocks of a plan ({worst.configuration} varies most)")
            most = None
            continue
        most = None if most is None else max(most, blocks)
        typer.echo(
            f"{start}: {blocks:,} blocks, {blocks * len(arms):,} trials, about {_minutes(blocks * block_s)} "
            f"({worst.configuration} varies most)"
        )
    low, high = chi_square_bounds(1.0, blocks_there, 0.95)
    typer.echo(
        f"The pilot's {blocks_there} blocks give a standard deviation that is known to a factor of {low:.2g} to "
        f"{high:.2g} (95 %).\nThe published edition has at least {LEAST_PUBLISHED} blocks. After a 3-block pilot n is "
        "fixed: choose it now, measure that many, and do not look in between."
    )
    return most


def _fitting(run: Run, compared: list[Comparison], limit_s: float) -> int:
    """How many blocks fit into a time, and how narrow their intervals will be; raises BenchbookError below two."""
    block_s = store.measuring_s(run.trials) / run.trials["block"].nunique()
    blocks = int(limit_s / block_s)
    if blocks < 2:
        raise BenchbookError(f"a block takes {_minutes(block_s)}, so that not even two fit", "give more time")
    typer.echo(f"\n{blocks:,} blocks of {_minutes(block_s)} fit into {_minutes(limit_s)}.")
    for name in dict.fromkeys(each.metric for each in compared):
        worst = max((each for each in compared if each.metric == name), key=lambda each: each.effect.sd)
        half = math.expm1(statistics.half_width(worst.effect.sd, blocks))
        typer.echo(f"{name}: every ratio within ±{_percent(half)} or less ({worst.configuration} varies most)")
    return blocks


def _minutes(seconds: float) -> str:
    minutes = f"{seconds / 60:,.0f} minutes" if seconds >= 600 else f"{seconds / 60:.1f} minutes"
    return f"{minutes} or {seconds / 3600:.1f} hours" if seconds >= 7200 else minutes


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
