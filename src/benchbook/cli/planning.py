"""``plan``: how many blocks, trials and minutes a half-width needs, by the spread that a pilot run shows."""

from pathlib import Path
from typing import Annotated

import typer

from benchbook import lab, store
from benchbook.cli import json_output, pilot, pilot_run
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import duration, print_table, seconds, share
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.parameter_options import FILE, NUMBER, PROFILE, SETTING
from benchbook.cli.pilot import Aim
from benchbook.cli.planned import Planned
from benchbook.errors import BenchbookError
from benchbook.figures.numbers import with_interval
from benchbook.model import Run
from benchbook.numbers.sentences import WANTED_BLOCKS
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import STANDARD
from benchbook.runner.growth import MOST
from benchbook.statistics.estimates import chi_square_bounds
from benchbook.statistics.planning import BLOCKS_LIMIT

HALF_WIDTHS = (0.01, 0.02, 0.05, 0.10)
VISITS = 2
"""Of a plan that names no other number: two decide most."""


def plan(
    experiment: Annotated[str, typer.Argument(help="An experiment that `benchbook list` names.")],
    half_width: Annotated[
        str, typer.Option("--half-width", metavar="2%|0.02", help="How far an interval may reach above its point.")
    ] = "2%",
    number: Annotated[
        list[str] | None, NUMBER(help="Plan for this number, or that of this claim; may be repeated.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", help="Plan for this metric, of every configuration against the first."),
    ] = None,
    arm: Annotated[
        list[str] | None,
        typer.Option("--arm", metavar="NAME", help="With --metric: this configuration alone; may be repeated."),
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", metavar="ID", help="The pilot run, instead of the stored blocks that fit.")
    ] = None,
    setting: Annotated[list[str] | None, SETTING(help="A parameter of the pilot; may be repeated.")] = None,
    file: Annotated[Path | None, FILE(help="A YAML file with the pilot's parameters.")] = None,
    profile: Annotated[str, PROFILE(help="The pilot's profile; its blocks may differ.")] = STANDARD,
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

    Planned are the chapter's own numbers: those that its page begins with, or those named with --number. Their spread
    comes from a pilot: all stored blocks with these parameters, whatever their number and seed. 2% means that the 95 %
    interval of a ratio ends at most 2 % above its point, and that of a share two percentage points away. With --metric
    each configuration is compared with the first one of the plan instead. Nothing is measured.

    With --budget the time decides, and the half-widths that it gives are said. Blocks are divided into visits, 12 hours
    apart or on another processor model. --fix writes visits and blocks down: commit the file, then measure with
    `benchbook run NAME --blocks +N`. A plan is not changed later; --because adds visits to it, and the page says that
    data had been seen.

    Examples:

    benchbook plan lru --half-width 3%

    benchbook plan read_path --budget 3h --fix

    benchbook plan lru --number O059 --half-width 0.05

    benchbook plan lru --metric query_mean_ns --arm zipf_large
    """
    wrong_use(as_json and fix, "a plan is fixed by a reader, not by a program", "--json")
    wrong_use(because and not (fix and because.strip()), "give a reason, and --fix with it", "--because")
    wrong_use(metric and number, "give numbers or metrics, not both", "--metric")
    wrong_use(arm and not metric, "it says of which configurations; name a --metric", "--arm")
    wanted, limit_s = share(half_width), None if budget is None else seconds(budget)
    module = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing", "plan an experiment that measures")
    others = setting or file or profile != STANDARD
    wrong_use(run and others, "a run has its parameters already; leave out -p, -f and --profile", "--run")
    profiles.check(profile)
    asked = pilot_run.Asked(profile, file, setting or [])
    found = pilot_run.named(module, run) if run is not None else pilot_run.newest(module, asked)
    arms = pilot_run.arms(module, found)
    if metric:
        names = pilot.metrics(found, metric)
        aims = pilot.chosen([each for name in names for each in pilot.comparisons(found, arms, name)], arm or [])
    else:
        aims = pilot.numbers(module, found, number or [])
    if as_json:
        _print_json(found, aims, wanted, limit_s, asked.command(module, found))
        return
    took = duration(store.measuring_s(found.trials))
    typer.echo(f"{experiment}: pilot {found.id}, {found.blocks} blocks of {len(arms)} trials, {took} of measuring\n")
    columns = sorted({*HALF_WIDTHS, wanted})
    head = ["metric", "configuration, against the first"] if metric else ["number", "what it is"]
    print_table([*head, "now", "± now", *(f"±{_percent(each)}" for each in columns)], [_row(a, columns) for a in aims])
    if limit_s is None:
        blocks, aim = _print_needs(found, len(arms), aims, wanted), f"half-width {_percent(wanted)}"
    else:
        blocks, aim = _fitting(found, aims, limit_s), f"budget {budget}"
    planned = Planned(module, found, blocks, visits, aim, asked.command(module, found))
    planned.say()
    if fix:
        planned.fix(because)


def _print_json(run: Run, aims: list[Aim], wanted: float, limit_s: float | None, command: str) -> None:
    block_s = store.measuring_s(run.trials) / run.blocks
    planned = [
        {
            "number": each.name,
            "of": each.of,
            "now": json_output.estimate(each.estimate),
            "half_width_now": each.half_width,
            "blocks_needed": each.blocks_for(wanted),
        }
        for each in aims
    ]
    content = {"pilot": run.id, "blocks": run.blocks, "block_s": block_s, "half_width": wanted, "numbers": planned}
    budget = {} if limit_s is None else {"budget_s": limit_s, "blocks_in_budget": int(limit_s / block_s)}
    json_output.echo({**content, **budget, "command": command})


def _row(aim: Aim, columns: list[float]) -> list[str]:
    needed = (aim.blocks_for(each) for each in columns)
    return [
        aim.name, aim.of, with_interval(aim.estimate), _percent(aim.half_width),
        *(f"over {BLOCKS_LIMIT:,}" if blocks is None else f"{blocks:,}" for blocks in needed),
    ]  # fmt: skip


def _print_needs(run: Run, arms: int, aims: list[Aim], wanted: float) -> int | None:
    """The blocks that all of them take; None where that is more than can be measured."""
    worst, needed = pilot.widest(aims, wanted)
    start = f"\n±{_percent(wanted)} for {'all of them' if len(aims) > 1 else 'it'}"
    most = f" ({worst.name}{f', {worst.of}' if worst.of else ''}, takes most)" if len(aims) > 1 else ""
    if needed is None or needed > MOST:
        typer.echo(f"{start}: more than the {MOST:,} blocks of a plan{most}")
        return None
    blocks = max(needed, WANTED_BLOCKS)
    took = _minutes(blocks * store.measuring_s(run.trials) / run.blocks)
    least = f"; fewer would do, but the protocol asks for at least {WANTED_BLOCKS}" if blocks > needed else ""
    typer.echo(f"{start}: {blocks:,} blocks in all, {blocks * arms:,} trials, about {took}{most}{least}")
    low, high = chi_square_bounds(1.0, run.blocks, 0.95)
    typer.echo(
        f"{run.blocks} blocks know a spread to a factor of {low:.2g} to {high:.2g} (95 %). Choose the number of blocks "
        "now, measure that many, and do not look in between."
    )
    return blocks


def _fitting(run: Run, aims: list[Aim], limit_s: float) -> int:
    """How many blocks fit into a time, and how narrow their intervals will be; raises BenchbookError below two."""
    block_s = store.measuring_s(run.trials) / run.blocks
    blocks = int(limit_s / block_s)
    if blocks < 2:
        raise BenchbookError(f"a block takes {_minutes(block_s)}, so that not even two fit", "give more time")
    typer.echo(f"\n{blocks:,} blocks of {_minutes(block_s)} fit into {_minutes(limit_s)}.")
    for name in dict.fromkeys(each.name for each in aims):
        worst = max((each for each in aims if each.name == name), key=lambda each: each.after(blocks))
        which = f" or less ({worst.of} varies most)" if sum(each.name == name for each in aims) > 1 else ""
        typer.echo(f"{name}: within ±{_percent(worst.after(blocks))}{which}")
    return blocks


def _minutes(seconds: float) -> str:
    minutes = f"{seconds / 60:,.0f} minutes" if seconds >= 600 else f"{seconds / 60:.1f} minutes"
    return f"{minutes} or {seconds / 3600:.1f} hours" if seconds >= 7200 else minutes


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
