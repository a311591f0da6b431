"""The record of an edition; one that was damaged is refused before any of its paths is followed."""

from pathlib import PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from benchbook.errors import StoredRunError

NAME = r"[a-z0-9][a-z0-9.-]{0,39}"
"""What an edition may be called."""


def _inside(path: str) -> str:
    """A path below the project's folder, as it is written in records: relative, forward slashes, no way up."""
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\\" in path or ":" in parts[0]:
        raise ValueError("the path leads outside the folder")
    return path


_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Word = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$")]
_Path = Annotated[str, AfterValidator(_inside)]


class _Run(BaseModel):
    model_config = ConfigDict(strict=True)
    run_id: _Word
    experiment: _Word
    measured: str
    commit: str
    ledger_sha256: _Digest | None
    record_sha256: _Digest
    files: dict[_Word, _Digest] = Field(min_length=1)


class _Edition(BaseModel):
    model_config = ConfigDict(strict=True)
    number: int = Field(alias="schema", ge=1, le=1)
    name: Annotated[str, Field(pattern=f"^{NAME}$")]
    created: str
    version: str
    commit: str | None
    dirty: bool | None
    ledger_sha256: _Digest
    lock_sha256: _Digest | None
    files: dict[_Path, _Digest]
    runs: list[_Run] = Field(min_length=1)
    figures: dict[_Word, _Digest]
    figures_sha256: _Digest


def parse(text: bytes, name: str) -> dict[str, Any]:
    """The record of the edition ``name``; raises StoredRunError that says what of it cannot be so."""
    mend = "restore it with `git checkout`, or download the crate or clone again"
    try:
        record = _Edition.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise StoredRunError(f"the record of the edition {name} is damaged: {place}: {first['msg']}", mend) from None
    if record.name != name:
        raise StoredRunError(f"the record of the edition {name} calls it {record.name}", mend)
    return record.model_dump(by_alias=True)
