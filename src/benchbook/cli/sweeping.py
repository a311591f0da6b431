"""``sweep``: one experiment at every point of a grid of parameters."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from benchbook import lab
from benchbook.book.records.own_runs import said
from benchbook.cli import json_output, output_files, parameter_options
from benchbook.cli.failures import wrong_use
from benchbook.cli.formatting import duration, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.cli.parameter_options import FILE, PROFILE, SETTING
from benchbook.cli.progress import RunProgress
from benchbook.cli.request import Asked
from benchbook.errors import BenchbookError, NoStoredRunError
from benchbook.experiments.manifest import Chapter
from benchbook.figures.prose import digits
from benchbook.parameters import profiles
from benchbook.parameters.kinds import Kind
from benchbook.parameters.profiles import STANDARD
from benchbook.reuse import grid as grids
from benchbook.reuse.sweep import FIRST_BLOCKS, Point, Response, measure, responses, table, workflow
from benchbook.reuse.swept import points as points_of
from benchbook.runner import queue

BLOCKS = 6


def sweep(
    experiment: Annotated[str, typer.Argument(help="An experiment that `benchbook list` names.")],
    grid: Annotated[
        list[str] | None,
        typer.Option("-g", "--grid", metavar="NAME=VALUES", help="Values of one parameter; may be repeated."),
    ] = None,
    grid_file: Annotated[
        Path | None, typer.Option("--grid-file", metavar="FILE", help="A YAML file with `name: [values]` a line.")
    ] = None,
    setting: Annotated[list[str] | None, SETTING(help="The same at all points; may be repeated.")] = None,
    file: Annotated[Path | None, FILE(help="A YAML file with a `name: value` per line.")] = None,
    profile: Annotated[str, PROFILE(help="The values that the others are set over.")] = STANDARD,
    blocks: Annotated[int, typer.Option("--blocks", min=FIRST_BLOCKS, max=100, help="Of each point.")] = BLOCKS,
    dry: Annotated[
        bool, typer.Option("--dry-run", help="Check every point, say what it would take, and measure nothing.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--table", metavar="FILE", help="Also write every number of every point as CSV.")
    ] = None,
    force: output_files.FORCE = False,
    only: Annotated[
        int | None,
        typer.Option("--point", min=1, metavar="N", help="Measure the Nth point alone, for a job of its own."),
    ] = None,
    stored: Annotated[
        bool, typer.Option("--stored", help="Measure nothing; exits 5 where a block of a point is not stored.")
    ] = False,
    emit: Annotated[
        Path | None,
        typer.Option("--emit", metavar="FILE", help="Measure nothing; write what workflow/Snakefile takes, as YAML."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the numbers and nothing else.")] = False,
    as_json: AS_JSON = False,
) -> None:
    """Measure an experiment at every point of a grid of parameters, and say how its numbers respond.

    Values are 64,128,256 or a range: 512..4096*2 by a factor, 0..100+25 by a step. All points are checked before any
    is measured. They are measured in passes, the first of two blocks and each other of one, in a random order each, so
    that no value goes with the hour; all have one seed, hence the same keys. What is stored is not measured again:
    after Ctrl-C the same command goes on. Intervals hold for all points of a number together, with 95 %.

    Examples:

    benchbook sweep hot_cold_keys -g n_tables=2,4,8 --profile quick --blocks 4 --dry-run

    benchbook sweep lru -g zipf_exponent=0.6,0.8,0.99 --profile quick --blocks 3 --table response.csv
    """
    profiles.check(profile)
    module = lab.experiment(experiment)
    if module.kind is not Kind.MEASUREMENT:
        raise BenchbookError(f"{experiment} measures nothing, so there is nothing to sweep", "name one that measures")
    output_files.check(out)
    both = {**(grids.read_file(grid_file) if grid_file else {}), **grids.read(grid or [])}
    points = _points(module, both, profile, file, setting or [])
    if only is not None:
        wrong_use(only > len(points), f"there are {len(points)} points", "--point")
        points = [points[only - 1]]
    left = [max(0, blocks - point.blocks(module)) for point in points]
    if stored and any(left):
        first = next(point for point, missing in zip(points, left, strict=True) if missing)
        raise NoStoredRunError(f"of {first.words} not all blocks are stored", "repeat it without --stored")
    for point, missing in zip(points, left, strict=True):
        if missing:
            _check(point, Asked(module, point.parameters))
    if not quiet:
        typer.echo(_cost(module, points, left, blocks), err=True)
    if emit is not None:
        arguments = _arguments(experiment, both, profile, file, setting or [], blocks)
        minutes = [Asked(module, point.parameters, more=blocks).record()["minutes"] for point in points]
        output_files.write(emit, yaml.safe_dump(workflow(module, points, arguments, minutes)).encode(), force=force)
    if dry or emit is not None:
        return
    if any(left):
        _measure(module, points, left, blocks, quiet=quiet)
    found = responses(module, points)
    if out is not None:
        output_files.write(out, table(points, found).to_csv(index=False).encode(), force=force)
    if as_json:
        json_output.echo(_record(module, points, found))
    else:
        _tell(points, found)


def _arguments(
    experiment: str, grid: dict[str, list[Any]], profile: str, file: Path | None, settings: Sequence[str], blocks: int
) -> list[str]:
    """The same sweep on a command line: its grid written out, so that no other file has to stay as it is."""
    found = [experiment, "--profile", profile, "--blocks", str(blocks)]
    for name, values in grid.items():
        found += ["-g", f"{name}={','.join(json.dumps(value) for value in values)}"]
    for each in settings:
        found += ["-p", each]
    return [*found, *(["-f", str(file)] if file else [])]


def _points(
    module: Chapter, grid: dict[str, list[Any]], profile: str, file: Path | None, settings: Sequence[str]
) -> list[Point]:
    """All of them, checked; raises BenchbookError that names the first that the experiment does not take."""
    usual = parameter_options.parameters(module, profile, file, settings).model_dump()
    chosen = {name for name, _ in map(parameter_options.setting, settings)}
    wrong_use("blocks" in chosen, "they are set with --blocks, for all points together", "-p blocks")
    swept = {name: value for name, value in usual.items() if name not in {*grid, "blocks"} or name in chosen}
    return points_of(module, grid, swept)


def _check(point: Point, asked: Asked) -> None:
    try:
        asked.check()
    except BenchbookError as error:
        raise type(error)(f"{point.words}: {error.problem}", error.mend) from error


def _cost(module: Chapter, points: Sequence[Point], left: Sequence[int], blocks: int) -> str:
    """What is left to measure, how long that takes as far as it is known, and the disk of the largest point."""
    start = f"{len(points)} points of {blocks} blocks, {sum(left)} blocks left to measure"
    if not sum(left):
        return f"{start}: nothing is measured"
    costs = _costs(module, points, left)
    minutes = [cost["minutes"] for cost in costs]
    known_s, unknown = 60 * sum(each or 0.0 for each in minutes), minutes.count(None)
    time = f"about {duration(known_s)} of measuring" if known_s else "a time that is not known"
    more = f", and that of {unknown} points more" if known_s and unknown else ""
    return f"{start}: {time}{more}, up to {max(cost['disk_bytes'] for cost in costs) / 1e9:.1f} GB of disk at once"


def _costs(module: Chapter, points: Sequence[Point], left: Sequence[int]) -> list[dict[str, Any]]:
    """What each point lacks, of those that lack any block."""
    lacking = zip(points, left, strict=True)
    return [Asked(module, point.parameters, more=more).record() for point, more in lacking if more]


def _measure(module: Chapter, points: Sequence[Point], left: Sequence[int], blocks: int, *, quiet: bool) -> None:
    """In one place of the machine's queue; Ctrl-C says what is stored of all points, and of the one under way."""
    minutes = [cost["minutes"] for cost in _costs(module, points, left)]
    at = ""

    def obtain(point: Point, more: int | None) -> None:
        nonlocal at
        at = point.words
        _obtain(module, point, more, quiet=quiet)

    try:
        with queue.kept(None if None in minutes else 60 * sum(minutes)):
            measure(module, points, blocks, obtain)
    except KeyboardInterrupt as stopped:
        stored = [min(blocks, point.blocks(module)) for point in points]
        complete, every = sum(each == blocks for each in stored), blocks * len(points)
        own, *notes = str(stopped).splitlines() or [""]
        of_one = own.removeprefix("stopped: ").partition(";")[0]
        said = [
            f"stopped: {complete} of {len(points)} points complete, {sum(stored)} of {every} blocks stored",
            *([f"at {at}, {of_one}"] if of_one else []),
            "the same command goes on",
        ]
        raise KeyboardInterrupt("\n".join(["; ".join(said), *notes])) from None


def _obtain(module: Chapter, point: Point, more: int | None, *, quiet: bool) -> None:
    progress = RunProgress(f"{module.name}, {point.words}", quiet=quiet)
    # Each is a run like any other: locked, resumed, stored trial by trial.
    Asked(module, point.parameters, more=more).obtain(progress, wait=True)


def _tell(points: Sequence[Point], found: Sequence[Response]) -> None:
    for response in found:
        typer.echo("")
        rows = [
            [*map(str, point.values.values()), said(own.estimate if own else None), _change(response, place)]
            for place, (point, own) in enumerate(zip(points, response.found, strict=True))
        ]
        print_table([*points[0].values, response.name, ""], rows)


def _change(response: Response, place: int) -> str:
    step = response.changes.get(place)
    if step is None:
        return ""
    return f"{'×' if step.scale == 'ratio' else 'by '}{digits(step.point)}"


def _record(module: Chapter, points: Sequence[Point], found: Sequence[Response]) -> dict[str, Any]:
    runs = [point.run(module) for point in points]
    return {
        "experiment": module.name,
        "points": [
            {"values": point.values, "runs": [part.id for part in run.parts], "blocks": run.blocks}
            for point, run in zip(points, runs, strict=True)
            if run is not None
        ],
        "numbers": {
            response.name: [None if own is None else json_output.estimate(own.estimate) for own in response.found]
            for response in found
        },
        "changes": {response.name: sorted(response.changes) for response in found if response.changes},
    }
