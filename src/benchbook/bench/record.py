"""The record of the performance measurement: checked when it is read, its ratios made by the book's own statistics.

performance.json, format 1 (first): host, parts. A part has name, title, measured_at (UTC, ISO 8601), commit, dirty,
load (processes that wanted a processor in the minute before it began), settings, versions, timings (one value per
repeat, in seconds), comparisons (ratio of two timings with its 95 % interval) and skipped (why it was not measured).
"""

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from benchbook import nofollow
from benchbook.errors import BenchbookError
from benchbook.model import Scalar
from benchbook.store import atomic

FILE = Path("data") / "performance.json"
"""Where the published measurement lies, below the project's folder."""
SAME = ("processor", "cores", "memory_gib", "system")
"""What must be the same for numbers to stand in one record."""
_DIGITS = 6


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Timing(_Record):
    """seconds: of one operation, which the label names, one value > 0 per repeat, in the order of the repeats.

    short: the label in two or three words, for a figure. target_s: what it should take at most, None where nothing was
    set.
    """

    name: str
    label: str
    short: str
    seconds: tuple[float, ...] = Field(min_length=1)
    target_s: float | None = None

    @model_validator(mode="after")
    def _are_above_zero(self) -> Self:
        if not min(self.seconds) > 0:
            raise ValueError(f"{self.name} took {min(self.seconds):g} s")
        return self


class Comparison(_Record):
    """Time of ``name`` over time of ``peer``, both timings of one part; 1 = the same, below 1 = less time.

    main: one of the few that the book's figure shows.
    """

    name: str
    peer: str
    ratio: float
    low: float
    high: float
    main: bool = False


class Part(_Record):
    """What one part found, or in ``skipped`` why it was left out, with the mend."""

    name: str
    title: str
    measured_at: str
    commit: str | None
    dirty: bool | None
    load: float
    settings: dict[str, Scalar] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    timings: tuple[Timing, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    skipped: str = ""

    @model_validator(mode="after")
    def _ratios_follow_from_the_timings(self) -> Self:
        if len({timing.name for timing in self.timings}) < len(self.timings):
            raise ValueError(f"{self.name} has two timings of one name")
        if bool(self.timings) == bool(self.skipped):
            raise ValueError(f"{self.name} must either have timings or say why it has none")
        for stored in self.comparisons:
            found = compare(self.timings, stored.name, stored.peer, main=stored.main)
            for name in ("ratio", "low", "high"):
                if not math.isclose(getattr(found, name), getattr(stored, name), rel_tol=1e-6):
                    raise ValueError(f"{stored.name} / {stored.peer} does not follow from its timings")
        return self


class Performance(_Record):
    """All parts, in the order in which they are shown. host: see ``provenance.host``."""

    format: Literal[1] = 1
    host: dict[str, Scalar]
    parts: tuple[Part, ...]


def timing(
    name: str, label: str, seconds: Iterable[float], target_s: float | None = None, *, short: str = ""
) -> Timing:
    """A timing whose values are rounded to six digits, as they are stored: ratios are made from these."""
    rounded = tuple(float(f"{each:.{_DIGITS}g}") for each in seconds)
    return Timing(name=name, label=label, short=short or label, seconds=rounded, target_s=target_s)


def compare(timings: Iterable[Timing], name: str, peer: str, *, main: bool = False) -> Comparison:
    """The ratio of two timings, repeat by repeat, with its interval; raises ValueError for names that are not there.

    Source of the interval: ``statistics.ratio``, Student t on paired log differences.
    """
    from benchbook import statistics  # the book's pages import this module, and few of them need it

    known = {each.name: each.seconds for each in timings}
    for wanted in (name, peer):
        if wanted not in known:
            raise ValueError(f"there is no timing {wanted!r}")
    try:
        effect = statistics.ratio(known[name], known[peer])
    except BenchbookError as error:
        raise ValueError(f"{name} / {peer}: {error.problem}") from error
    return Comparison(name=name, peer=peer, ratio=effect.point, low=effect.low, high=effect.high, main=main)


def read(path: Path) -> Performance | None:
    """The record, or None where there is no file. Raises BenchbookError when it is damaged or contradicts itself."""
    if not path.is_file():
        return None
    try:
        return Performance.model_validate_json(nofollow.content(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise BenchbookError(
            f"{path.name} is damaged at {place or 'its top'}: {first['msg']}", "restore it from git, or measure again"
        ) from None


def write(path: Path, performance: Performance) -> None:
    """Put the record in place at once."""
    atomic.write_json(path, performance.model_dump(mode="json"))


def check_same_host(before: Performance, host: Mapping[str, Scalar]) -> None:
    """Raise BenchbookError when a record holds numbers of another machine: they are never mixed."""
    if different := [name for name in SAME if before.host.get(name) != host.get(name)]:
        name = different[0]
        raise BenchbookError(
            f"the record is of another machine ({name}: {before.host.get(name)}, here {host.get(name)})",
            "name another file with --out, or measure all parts into a new one",
        )


def with_part(before: Performance | None, part: Part, host: Mapping[str, Scalar], order: Iterable[str]) -> Performance:
    """The record with this part in the place of an older one of its name. order: names of all parts that there are.

    Raises BenchbookError as ``check_same_host`` does.
    """
    if before is not None:
        check_same_host(before, host)
    kept = {each.name: each for each in before.parts} if before else {}
    kept[part.name] = part
    return Performance(host=dict(host), parts=tuple(kept[name] for name in order if name in kept))
