"""What a probe wrote, its line of JSON and its samples, checked; or one clear error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchbook.errors import BenchbookError

PROTOCOL = 2
BUILD = "build it again with `make probes`"


class _Series(BaseModel):
    model_config = ConfigDict(strict=True)
    name: str
    count: int = Field(ge=0)


class _Line(BaseModel):
    """What every probe says; some say more, such as the cost of their clock."""

    model_config = ConfigDict(strict=True)
    protocol: int
    probe: str
    engine: str
    engine_version: str
    settings: dict[str, Any]
    series: list[_Series]
    seconds: dict[str, Any]
    counters: dict[str, Any]
    timeline: list[Any]
    memory: dict[str, Any]
    checked_reads: int
    turns: list[dict[str, Any]] = Field(default_factory=list)


def parse(output: str) -> dict[str, Any]:
    """The one line of a probe's standard output, checked; raises BenchbookError when it is anything else."""
    lines = output.splitlines()
    if len(lines) != 1:
        raise BenchbookError(f"the probe wrote {len(lines)} lines instead of one", BUILD)
    try:
        record = json.loads(lines[0])
    except ValueError as error:
        raise BenchbookError(f"the probe's line is no JSON ({error})", BUILD) from error
    spoken = record.get("protocol") if isinstance(record, dict) else None
    if spoken != PROTOCOL:
        raise BenchbookError(f"the probe speaks protocol {spoken}, this package {PROTOCOL}", BUILD)
    try:
        _Line.model_validate(record)
    except ValidationError as error:
        found = (f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise BenchbookError(f"the probe's answer is not whole: {'; '.join(found)}", BUILD) from None
    return dict(record)


def read_samples(path: Path, series: list[Mapping[str, Any]]) -> dict[str, np.ndarray]:
    """The samples of each series; raises BenchbookError unless the file holds exactly what the answer says."""
    try:
        values = np.fromfile(path, dtype="<u8")
        size = path.stat().st_size
    except OSError as error:
        raise BenchbookError(f"the probe left no samples ({error.strerror})", "run it again") from error
    counts = [each["count"] for each in series]
    if size != 8 * sum(counts):
        raise BenchbookError(
            f"the probe announced {sum(counts):,} samples and wrote {size:,} bytes", "run it again; is the disk full?"
        )
    if len(values) and values.max() >= 2**63:
        raise BenchbookError("the probe wrote a latency beyond 292 years", BUILD)
    parts = np.split(values.astype(np.int64), np.cumsum(counts)[:-1]) if counts else []
    return {each["name"]: part for each, part in zip(series, parts, strict=True)}
