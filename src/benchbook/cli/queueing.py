"""``queue``: who measures on this machine and who waits for it."""

from itertools import count
from typing import Any

import typer

from benchbook.cli import json_output
from benchbook.cli.formatting import moment, print_table
from benchbook.cli.json_output import AS_JSON
from benchbook.runner import lock, queue
from benchbook.runner.queue import Turn

NOBODY = "nobody measures on this machine, and nobody waits"
UNSEEN = "a program measures on this machine that says nothing of itself: of an earlier version, or in a container"


def show(as_json: AS_JSON = False) -> None:
    """Show who measures on this machine, until when, and who waits for it. Times are UTC.

    One measurement runs at a time, whichever clone and account it is of; who comes first is served first. A sweep keeps
    its place until its last point, `run --all` takes a new one for each experiment. What a program expects is an
    estimate, and none is known before the first trial of some experiments.

    Examples:

    benchbook queue

    benchbook queue --json
    """
    found = queue.turns()
    unseen = not any(turn.measures for turn in found) and lock.is_taken()
    if as_json:
        json_output.echo({"measured": unseen or any(turn.measures for turn in found), "places": [*map(_record, found)]})
        return
    if unseen:
        typer.echo(UNSEEN)
    elif not found:
        typer.echo(NOBODY)
    if found:
        print_table(["place", "state", "since", "ends about", "command"], [*map(_row, count(1), found)])


def _row(place: int, turn: Turn) -> list[str]:
    state, since = ("measuring", turn.measures) if turn.measures else ("waiting", turn.came)
    return [str(place), state, moment(since), moment(turn.ends), turn.command]


def _record(turn: Turn) -> dict[str, Any]:
    return {
        "command": turn.command,
        "came": turn.came or None,
        "measuring_since": turn.measures or None,
        "expected_end": turn.ends or None,
    }
