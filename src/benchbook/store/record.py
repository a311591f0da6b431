"""What cannot be so in a run's record: fields, kinds of values, values that no run can have, and more than any has.

Whatever reads a record may make as much of it as it says that there is: as many blocks, looks and settings. So nothing
in it is without an upper bound, chosen far above every run that somebody would wait for.
"""

import math
from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchbook import plain
from benchbook.errors import printable, shortened

MOST_BLOCKS = 1_000
"""Of one plan, by all runs that add to it together."""
MOST_LOOKS, MOST_SESSIONS = 300_000, 10_000
_MOST_S, _MOST_NS = 10 * 366 * 86_400, 1e15
_MOST = {"names": 1_000, "values": 10_000, "characters": 100_000}
_MOST_LEVELS, _LARGEST = 8, 2**63
"""Of whatever a chapter or an engine puts into a record."""


def _moment(text: str) -> str:
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("the time has no time zone")
    if not 2000 <= found.year < 2200:
        raise ValueError("the time is in no year in which anybody measures")
    return text


def _bounded(value: Any, level: int = 0) -> Any:
    """The same value, as JSON has it; ValueError where it is larger than any that is recorded."""
    if level > _MOST_LEVELS:
        raise ValueError("values are nested too deep")
    if isinstance(value, str):
        _few("characters", len(value))
    elif isinstance(value, dict):
        _few("names", len(value))
        for name, each in value.items():
            _few("characters", len(name))
            plain.told(name)
            _bounded(each, level + 1)
    elif isinstance(value, list):
        _few("values", len(value))
        for each in value:
            _bounded(each, level + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number is not finite")
    elif isinstance(value, int) and abs(value) > _LARGEST:
        raise ValueError("a whole number has more than 64 bits")
    return value


def _told(values: dict[str, Any]) -> dict[str, Any]:
    """The same values; ValueError where one is a text that a page could take for its own."""
    for each in values.values():
        plain.told(each)
    return values


def _few(what: str, number: int) -> None:
    if number > _MOST[what]:
        raise ValueError(f"{number:,} {what} are more than the {_MOST[what]:,} that a record may have in one place")


_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Commit = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
_Machine = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
_Text = Annotated[str, Field(pattern=plain.WORD)]
_Moment = Annotated[str, Field(max_length=40), AfterValidator(_moment)]
_Count = Annotated[int, Field(ge=0, lt=2**63)]
_Place = Annotated[int, Field(ge=0, lt=MOST_BLOCKS)]
_Cost = Annotated[float, Field(ge=0, le=_MOST_NS, allow_inf_nan=False)]
_Settings = Annotated[dict[str, Any], AfterValidator(_bounded)]
_Said = Annotated[dict[str, Any], AfterValidator(_bounded), AfterValidator(_told)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _More(BaseModel):
    """What chapters and engines add fields of their own to."""

    model_config = ConfigDict(strict=True, extra="allow")

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        _told(_bounded(self.__pydantic_extra__))
        return self


class _Look(BaseModel):
    """One look at the machine; beside this, readings in ns."""

    model_config = ConfigDict(strict=True, extra="allow")
    __pydantic_extra__: dict[str, _Cost | None] = Field(init=False)
    block: _Place
    moment: _Text
    trial: _Count | None = None

    @model_validator(mode="after")
    def _is_named_plainly(self) -> Self:
        for name in self.__pydantic_extra__:
            plain.told(name)
        return self


class _File(_Strict):
    sha256: _Digest
    size: int = Field(alias="bytes", ge=1, le=2**50)


class _Provenance(_More):
    """What says how the numbers came about.

    machine_id: missing in runs of before machines were told apart. measurement_sha256: a hash over the code that
    measured, in runs of before 2026-11-29; nothing reads it any more.
    """

    processor: _Text
    cores: int = Field(ge=1, le=2**20)
    memory_gib: float = Field(gt=0, le=2**30, allow_inf_nan=False)
    machine_id: _Machine | None = None
    system: _Text
    filesystem: _Text
    direct_reads: bool
    python: _Text
    timer_cost_ns: _Cost
    benchbook_version: _Text
    commit: _Commit | None
    dirty: bool | None
    lock_sha256: _Digest | None
    ledger_sha256: _Digest
    measurement_sha256: _Digest | None = None
    engine: _Text
    engine_version: _Text


class _Session(_More):
    """What held when measuring began, or began again. trials_planned: of the whole run; missing in earlier ones."""

    machine_id: _Machine | None = None
    trials_planned: _Count | None = None


class _Run(_Strict):
    number: int = Field(alias="schema", ge=1, le=1_000)
    id: _Text
    key: _Text
    experiment: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
    measurement_version: int = Field(ge=0, le=100_000)
    parameters: _Settings
    profile: _Text
    seed: _Count
    blocks: int = Field(ge=1, le=MOST_BLOCKS)
    first_block: _Place
    started_at: _Moment
    canary: list[_Look] = Field(max_length=MOST_LOOKS)

    @model_validator(mode="after")
    def _looks_are_at_blocks(self) -> Self:
        if self.first_block + self.blocks > MOST_BLOCKS:
            raise ValueError(f"its blocks end beyond the {MOST_BLOCKS:,} that a plan may have")
        if any(look.block >= self.blocks for look in self.canary):
            raise ValueError("the canary has readings in a block that the run does not have")
        return self


class _Measuring(_Run):
    state: Literal["measuring"]
    provenance: _Said
    finished_at: None
    sessions: list[_Session] = Field(max_length=MOST_SESSIONS)
    files: dict[str, Any] = Field(max_length=0)


class _Tables(_Strict):
    trials: _File = Field(alias="trials.parquet")
    samples: _File = Field(alias="samples.parquet")


class _Complete(_Run):
    state: Literal["complete"]
    provenance: _Provenance
    finished_at: _Moment
    duration_s: float = Field(gt=0, le=_MOST_S, allow_inf_nan=False)
    sessions: list[_Session] = Field(min_length=1, max_length=MOST_SESSIONS)
    files: _Tables
    seal: _Digest | None = None

    @model_validator(mode="after")
    def _ends_after_its_beginning(self) -> Self:
        if datetime.fromisoformat(self.finished_at) < datetime.fromisoformat(self.started_at):
            raise ValueError("the run finished before it started")
        return self

    @model_validator(mode="after")
    def _is_of_one_machine(self) -> Self:
        ids = {self.provenance.machine_id, *(each.machine_id for each in self.sessions)} - {None}
        if len(ids) > 1:
            raise ValueError("the run names two machines, and another machine begins another run")
        return self


def problem(record: dict[str, Any]) -> str:
    """The first thing in a record of the current schema that cannot be so, with its place; "" where there is none."""
    model = _Complete if record.get("state") == "complete" else _Measuring
    try:
        model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = printable(shortened(".".join(str(part) for part in first["loc"])))
        return f"{place}: {first['msg']}" if place else first["msg"].removeprefix("Value error, ")
    return ""
