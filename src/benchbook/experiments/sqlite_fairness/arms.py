"""The configurations: what is measured, at how many rows, in which use of SQLite or of the note's engine."""

from __future__ import annotations

from benchbook.experiments.planning import blocked
from benchbook.experiments.sqlite_fairness.parameters import Parameters
from benchbook.experiments.sqlite_fairness.uses import AFTER, AS_RUN, BEFORE, BEST, LOOKUPS, ONCE, WRITES
from benchbook.model import Configuration, Plan

NOTE, WARM, DEPENDENT, TIMED, COMMITS, ONE_WRITE = "note", "warm", "dependent", "timed", "commits", "one_write"
"""What a trial measures: the note's benchmark; batches of warm look-ups; look-ups that wait for each other; look-ups
with a time stamp each; a writer of many commits, or of one, that is killed."""
NOTE_USES = (AS_RUN, ONCE, BEST, BEFORE, AFTER)
WARM_USES = tuple(LOOKUPS)
DEPENDENT_USES = (ONCE, BEST, AFTER)
TIMED_USES = (AS_RUN, ONCE, BEST, AFTER)
WRITTEN = (COMMITS, ONE_WRITE)


def note(use: str, rows: int) -> str:
    """Configuration name of the note's benchmark in one use at one size."""
    return f"{use}_{rows}"


def at(part: str, use: str) -> str:
    """Configuration name of another part in one use."""
    return f"{part}_{use}"


def note_again(parameters: Parameters) -> str:
    """The A/A arm of the note's benchmark: prepared once, at the largest size, a second time."""
    return f"{note(ONCE, parameters.largest)}_again"


ONCE_WARM = at(WARM, ONCE)
WARM_AGAIN = f"{ONCE_WARM}_again"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """Every arm that the claims of this chapter name, in the order of the figures."""
    p = parameters
    found = []
    for rows in p.sizes:
        found += [_arm(note(use, rows), NOTE, use, rows) for use in NOTE_USES]
    found.append(_arm(note_again(p), NOTE, ONCE, p.largest, again=True))
    for part, uses in ((WARM, WARM_USES), (DEPENDENT, DEPENDENT_USES), (TIMED, TIMED_USES)):
        found += [_arm(at(part, use), part, use, p.ladder_rows) for use in uses]
    found.append(_arm(WARM_AGAIN, WARM, ONCE, p.ladder_rows, again=True))
    found += [_arm(at(COMMITS, use), COMMITS, use, p.commits * p.commit_rows) for use in WRITES]
    found += [_arm(at(ONE_WRITE, use), ONE_WRITE, use, p.one_write_rows) for use in WRITES]
    return tuple(found)


def _arm(name: str, part: str, use: str, rows: int, *, again: bool = False) -> Configuration:
    known = WRITES if part in WRITTEN else LOOKUPS
    label = known[use].label + (" (A/A)" if again else "")
    return Configuration(name, label, {"part": part, "use": use, "rows": rows})


def plan(parameters: Parameters) -> Plan:
    """All configurations once per block, in an order drawn from the seed."""
    return blocked(configurations(parameters), parameters.blocks, parameters.seed)
