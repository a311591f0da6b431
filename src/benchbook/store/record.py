"""What cannot be so in a run's record: fields, kinds of values, and values that no run can have."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchbook import plain


def _moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("the time has no time zone")
    return text


_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Commit = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
_Text = Annotated[str, Field(pattern=plain.WORD)]
_Told = Annotated[Any, AfterValidator(plain.told)]
_Moment = Annotated[str, AfterValidator(_moment)]
_Count = Annotated[int, Field(ge=0)]
_Duration = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Reading = Annotated[float, Field(ge=0, allow_inf_nan=False)] | None


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Look(BaseModel):
    """One look at the machine; beside this, readings in ns."""

    model_config = ConfigDict(strict=True, extra="allow")
    __pydantic_extra__: dict[str, _Reading] = Field(init=False)
    block: _Count
    moment: _Text
    trial: _Count | None = None


class _File(_Strict):
    sha256: _Digest
    size: int = Field(alias="bytes", ge=1)


class _Provenance(BaseModel):
    """What says how the numbers came about; engines add fields of their own."""

    model_config = ConfigDict(strict=True, extra="allow")
    __pydantic_extra__: dict[str, _Told] = Field(init=False)
    processor: _Text
    cores: int = Field(ge=1)
    memory_gib: float = Field(gt=0, allow_inf_nan=False)
    system: _Text
    filesystem: _Text
    direct_reads: bool
    python: _Text
    timer_cost_ns: _Duration
    benchbook_version: _Text
    commit: _Commit | None
    dirty: bool | None
    lock_sha256: _Digest | None
    ledger_sha256: _Digest
    measurement_sha256: _Digest
    engine: _Text
    engine_version: _Text


class _Run(_Strict):
    number: int = Field(alias="schema")
    id: _Text
    key: _Text
    experiment: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    measurement_version: _Count
    parameters: dict[str, Any]
    profile: _Text
    seed: _Count
    blocks: int = Field(ge=1)
    first_block: _Count
    started_at: _Moment
    canary: list[_Look]

    @model_validator(mode="after")
    def _looks_are_at_blocks(self) -> _Run:
        if any(look.block >= self.blocks for look in self.canary):
            raise ValueError("the canary has readings in a block that the run does not have")
        return self


class _Measuring(_Run):
    state: Literal["measuring"]
    provenance: dict[str, _Told]
    finished_at: None
    sessions: list[dict[str, _Told]]
    files: dict[str, Any] = Field(max_length=0)


class _Tables(_Strict):
    trials: _File = Field(alias="trials.parquet")
    samples: _File = Field(alias="samples.parquet")


class _Complete(_Run):
    state: Literal["complete"]
    provenance: _Provenance
    finished_at: _Moment
    duration_s: _Duration
    sessions: list[dict[str, _Told]] = Field(min_length=1)
    files: _Tables
    seal: _Digest | None = None

    @model_validator(mode="after")
    def _ends_after_its_beginning(self) -> _Complete:
        if datetime.fromisoformat(self.finished_at) < datetime.fromisoformat(self.started_at):
            raise ValueError("the run finished before it started")
        return self


def problem(record: dict[str, Any]) -> str:
    """The first thing in a record of the current schema that cannot be so, with its place; "" where there is none."""
    model = _Complete if record.get("state") == "complete" else _Measuring
    try:
        model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"{place}: {first['msg']}" if place else first["msg"].removeprefix("Value error, ")
    return ""
