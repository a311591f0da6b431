"""What files of measurements say, whichever tool wrote them: repetitions of a benchmark, and what is within one."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from benchbook.errors import BenchbookError

RUN = "a run of {tool}, which is one file or one summary within a file"
MOST = 1_000_000
"""Repetitions of a benchmark; who has more has counted what happens within one."""

Told = Callable[[float], None]


def silent(more: float) -> None:
    """Nobody waits for what more is done."""


@dataclass(frozen=True)
class Repetition:
    """One independent repetition. value: above 0, in the unit of its series. course: the same of each stretch of it.

    stretch_s: the length of these stretches in s. started: in s since 1970. block, session, host: "" where not told.
    samples: what the value is the mean of, measured by one process, if there is any. source: the file's name.
    """

    value: float
    source: str
    started: float | None = None
    block: str = ""
    session: str = ""
    host: str = ""
    course: np.ndarray = field(default_factory=lambda: np.zeros(0))
    stretch_s: float = 1.0
    samples: np.ndarray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class Series:
    """All repetitions of one quantity of one benchmark.

    more: whether more of it is better; None where nobody knows. repeats: what a repetition is. within: what is in one
    and no repetition.
    """

    tool: str
    benchmark: str
    metric: str
    unit: str
    more: bool | None
    repeats: str
    within: str
    repetitions: tuple[Repetition, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.benchmark, self.metric

    @property
    def name(self) -> str:
        """Its benchmark and its metric, as far as it has them."""
        return " ".join(filter(None, self.key))

    @property
    def values(self) -> np.ndarray:
        return values(self.repetitions)

    @property
    def sources(self) -> list[str]:
        """The files, each once."""
        return list(dict.fromkeys(each.source for each in self.repetitions))


def values(repetitions: Iterable[Repetition]) -> np.ndarray:
    """What each came to, shape (repetitions,)."""
    return np.array([each.value for each in repetitions])


def positive(value: object, where: str) -> float:
    """A measured number; raises BenchbookError for what is none: text, NaN, 0, a negative or an endless one."""
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise BenchbookError(
            f"{where} is {value!r}, and no number above 0", "look at what wrote it; leave a failed repetition out"
        )
    return number


def moment(text: object) -> float | None:
    """A date with a time, in s since 1970; one without a zone is taken as UTC. None for anything else."""
    if ":" not in str(text):
        return None
    try:
        found = datetime.fromisoformat(str(text).strip())
    except ValueError:
        return None
    return found.timestamp() if found.tzinfo else (found - datetime(1970, 1, 1)).total_seconds()


def merged(series: Iterable[Series], side: str) -> dict[tuple[str, str], Series]:
    """The series of all files of one side, by benchmark and metric.

    Raises BenchbookError where files of one side disagree about a unit or come from different tools.
    """
    found: dict[tuple[str, str], Series] = {}
    for each in series:
        known = found.get(each.key)
        if known is None:
            found[each.key] = each
            continue
        if (known.unit, known.tool) != (each.unit, each.tool):
            raise BenchbookError(
                f"{side}: {each.metric} is in {known.unit} ({known.tool}, {known.sources[0]}) and in {each.unit} "
                f"({each.tool}, {each.sources[0]})",
                "give files of one tool with one unit",
            )
        found[each.key] = replace(known, repetitions=known.repetitions + each.repetitions)
    for each in found.values():
        if len(each.repetitions) > MOST:
            raise BenchbookError(
                f"{side}: {len(each.repetitions):,} repetitions of {each.benchmark or each.metric}",
                f"give one number a run; up to {MOST:,} are judged",
            )
    return found
