"""What can be set, and the configurations: the note's one write, and one row more, by number of rows and options."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from benchbook.measuring.kv import options
from benchbook.measuring.kv.options import ENGINE, Options
from benchbook.measuring.kv.parameters import TurnParameters
from benchbook.model import Configuration, Scalar

MOST_ROWS = 100_000_000


class Parameters(TurnParameters):
    """Defaults are the standard profile: the note's ten million rows, and the sizes that it did not measure."""

    blocks: int = Field(
        2, ge=2, le=100, description="complete blocks of a session; each measures every configuration once"
    )
    rows: tuple[Annotated[int, Field(ge=1_000, le=MOST_ROWS)], ...] = Field(
        (10_000_000, 25_000_000, 50_000_000), min_length=2, description="numbers of rows, growing"
    )
    lookups: int = Field(
        20_000, ge=100, le=10_000_000, description="look-ups a trial at least, after a tenth as many that do not count"
    )
    slow_lookups: int = Field(
        200, ge=50, le=1_000_000, description="of these where a filter in the block cache can make each slow"
    )
    write_buffer_mib: int = Field(
        256, ge=1, le=4_096, description="in MiB, the note's write_buffer_size: what a memtable holds before it is full"
    )
    kept_samples: int = Field(
        500, ge=100, le=1_000_000, description="times stored per trial, evenly taken from all of them"
    )

    @model_validator(mode="after")
    def _no_contradiction(self) -> Self:
        if list(self.rows) != sorted(set(self.rows)):
            raise ValueError(f"rows={list(self.rows)} must grow")
        if self.rows[0] < self.lookups:
            raise ValueError(
                f"rows={list(self.rows)} must each hold the lookups={self.lookups} rows that are asked for"
            )
        return self


ONE, MORE = "one", "more"
STATES = {ONE: "one write", MORE: "one row more"}
"""The note's load, and the same with its last row as a write of its own."""
BEFORE, AFTER = "before", "after"
OPTIONS: dict[str, Options] = {BEFORE: options.BEFORE, AFTER: options.AFTER}
LABELS = {BEFORE: "before the options", AFTER: "with the options"}
SQLITE, AGAIN = "sqlite", "again"
# The note's client library opens SQLite without a mutex; all else is SQLite's default.
AS_RUN: Options = {"engine": "sqlite", "prepare": "get", "mutex": "none"}


def at(state: str, use: str, rows: int) -> str:
    """Configuration name."""
    return f"{state}_{use}_{rows}"


def sqlite(rows: int) -> str:
    """Name of SQLite's configuration."""
    return f"{SQLITE}_{rows}"


def configurations(parameters: Parameters) -> tuple[Configuration, ...]:
    """At each size both states with both sets of options, and SQLite; at the first size one of them twice."""
    p = parameters
    return (
        *(
            arm
            for rows in p.rows
            for arm in (*(_engine(state, use, rows) for state in STATES for use in OPTIONS), _sqlite(rows))
        ),
        _engine(ONE, BEFORE, p.rows[0], AGAIN),
    )


def options_of(parameters: Parameters, arm: Configuration) -> Options:
    """What the probe is asked to open."""
    use = str(arm.settings["use"])
    if use == SQLITE:
        return AS_RUN
    return {
        **ENGINE, **OPTIONS[use], "index_load": "single", "write_buffer_bytes": parameters.write_buffer_mib << 20,
    }  # fmt: skip


def millions(rows: int) -> str:
    """A number of rows for labels: 50 million; with all digits where it has no whole number of them."""
    return f"{rows // 1_000_000} million" if rows % 1_000_000 == 0 else f"{rows:,}"


def _engine(state: str, use: str, rows: int, named: str = "") -> Configuration:
    label = f"{STATES[state]}, {LABELS[use]}, {millions(rows)} rows" + (" (A/A)" if named else "")
    return _arm(named or at(state, use, rows), label, state, use, rows)


def _sqlite(rows: int) -> Configuration:
    return _arm(sqlite(rows), f"SQLite as run, {millions(rows)} rows", ONE, SQLITE, rows)


def _arm(name: str, label: str, state: str, use: str, rows: int) -> Configuration:
    settings: dict[str, Scalar] = {"state": state, "use": use, "rows": rows}
    return Configuration(name, label, settings, f"{rows} rows")
