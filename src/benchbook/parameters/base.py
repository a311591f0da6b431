"""Parameters of an experiment: typed, bounded, described; refused with a mend before anything starts."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchbook.errors import BenchbookError, suggestion

Limit = int | float | None
_BLOCKS = "complete blocks of a session; each measures every configuration once; further sessions add more"
COMMON: Mapping[str, tuple[Limit, Limit, str]] = {
    "blocks": (2, 100, _BLOCKS),
    "kept_samples": (100, 1_000_000, "times stored per trial, evenly taken from all of them"),
    "pilot_blocks": (1, 10, "first blocks, which choose the best setting and do not judge it"),
    "rows": (1, 100_000_000, "rows of each store"),
    "lookups": (256, 100_000_000, "look-ups of a trial that count at least"),
    "warm_lookups": (0, 1_000_000_000, "look-ups that warm a store before its first turn"),
    "value_bytes": (1, 1_000_000, "length of a value"),
    "scale": (1, 20_000, "pgbench scale factor: 100,000 accounts each, 15 MB with indexes"),
    "clients": (2, 1_000, "pgbench clients (the note: 100)"),
    "threads": (1, 256, "pgbench threads"),
    "trial_seconds": (1, 36_000, "length of a trial (the note: 60)"),
    "fill_seconds": (0, 3_600, "discarded TPC-B run before a trial, on a pool that pg_prewarm filled; 0: none"),
    "warm_fill_seconds": (
        0,
        3_600,
        "discarded TPC-B run before a warm trial, on a pool that pg_prewarm filled; 0: none",
    ),
    "zipf_exponent": (0.01, 19.99, "exponent of the Zipf pattern"),
}
"""Parameters that several chapters have, described once: smallest and largest value, and what it means."""


def param(
    default: Any, low: Limit = None, high: Limit = None, words: str = "", *, above: Limit = None, below: Limit = None,
    asks: str = "", wanted: Any = None,
) -> Any:  # fmt: skip
    """A Field: default, bounds (low and high may be taken, above and below may not) and what it means.

    asks: what the claims ask of it, in words that follow the number, such as "rows in the row cache": a run that has
    another number than ``wanted``, by default the default, departs from their design and says so.
    """
    extra = {"asked": default if wanted is None else wanted, "counts": asks} if asks else None
    return Field(default, ge=low, le=high, gt=above, lt=below, description=words, json_schema_extra=extra)


def common(name: str, default: Any, low: Limit = None, high: Limit = None, words: str = "", **more: Any) -> Any:
    """The same of a parameter that several chapters have: what is not given is as ``COMMON`` describes it."""
    usual_low, usual_high, usual = COMMON[name]
    return param(
        default, usual_low if low is None else low, usual_high if high is None else high, words or usual, **more
    )  # fmt: skip


def refuse(wrong: bool, why: str) -> None:
    """Refuse parameters that contradict each other; of a ``model_validator``."""
    if wrong:
        raise ValueError(why)


MOST_VALUES = 100
"""Of a list; each is measured."""
MEDIAN_OPERATIONS = 200
"""Of a trial; fewer have no P50 (protocol, item 2)."""


class AnalysisParameters(BaseModel):
    """Base of the Parameters of a chapter that recomputes the notes' numbers: no blocks, no seed."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, allow_inf_nan=False)

    @classmethod
    def given(cls, values: Mapping[str, Any]) -> Self:
        """The defaults with ``values`` over them.

        Raises BenchbookError that names every wrong parameter, with the nearest known name for an unknown one.
        """
        unknown = [name for name in values if name not in cls.model_fields]
        if unknown:
            hints = [f"{name!r}{suggestion(name, cls.model_fields)}" for name in unknown]
            raise BenchbookError(
                f"unknown parameter {', '.join(hints)}", "see `benchbook show` for the names and their meaning"
            )
        mend = "give values of the types and within the bounds that `benchbook show` lists"
        # Pydantic would take true for 1.
        flags = [name for name, value in values.items() if _is_flag(value) and not _takes_flag(cls, name)]
        if flags:
            raise BenchbookError(
                "; ".join(f"{name}={values[name]!r}: input should not be true or false" for name in flags), mend
            )
        try:
            return cls(**values)
        except ValidationError as error:
            raise BenchbookError("; ".join(_explain(item) for item in error.errors(include_url=False)), mend) from None

    @model_validator(mode="after")
    def _lists_are_short(self) -> Self:
        for name, value in self:
            if isinstance(value, tuple) and len(value) > MOST_VALUES:
                raise ValueError(f"{name} has {len(value):,} values, and {MOST_VALUES} are the most")
        return self

    def key(self, experiment: str, measurement_version: int) -> str:
        """Hash of what decides a measurement: equal keys mean that a stored run answers the question."""
        return key_of(experiment, measurement_version, self.model_dump(mode="json"))


class ExperimentParameters(AnalysisParameters):
    """Base of every experiment's Parameters. Defaults are the standard profile; units end the names."""

    blocks: int = common("blocks", 8)
    seed: int = Field(20260117, ge=0, lt=2**63, description="seed of everything random: keys, orders, mixes")


def other_numbers(parameters: BaseModel) -> Iterator[str]:
    """A departure, as half a sentence, for each parameter that is not as the claims ask."""
    for name, field in type(parameters).model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and "asked" in extra and getattr(parameters, name) != extra["asked"]:
            yield f"{getattr(parameters, name):,} {extra['counts']} where {extra['asked']:,} are asked"


def key_of(experiment: str, measurement_version: int, values: Mapping[str, Any]) -> str:
    """The key of stored parameter values, of this or an older version of the measurement."""
    text = json.dumps([experiment, measurement_version, values], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool) or (
        isinstance(value, list | tuple) and any(isinstance(each, bool) for each in value)
    )


def _takes_flag(model: type[BaseModel], name: str) -> bool:
    annotation = model.model_fields[name].annotation
    return bool in (annotation, *get_args(annotation))


def _explain(item: Any) -> str:
    names = [str(part) for part in item["loc"]]
    message = item["msg"].removeprefix("Value error, ").replace("valid tuple", "list, such as [1, 2]")
    if not names:
        return str(message)
    message = message[0].lower() + message[1:]
    return f"{'.'.join(names)}={item['input']!r}: {message}"
