"""What a look at one thing of this machine found."""

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """How a check came out."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True)
class Check:
    """One thing looked at. detail: what was found. mend: what to do unless it is ok. required: nothing runs without."""

    name: str
    state: State
    detail: str
    mend: str = ""
    required: bool = False
