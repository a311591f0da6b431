"""What a run tells of itself while it goes on; told between trials, outside every timed region."""

from __future__ import annotations

from typing import Protocol

from benchbook.runner.queue import Place


class Progress(Protocol):
    """Receives news; implementations print to standard error, or nothing."""

    def say(self, text: str) -> None:
        """One sentence, such as what is being waited for."""
        ...

    def prepare(self, what: str, share: float) -> None:
        """Preparation, share done from 0 to 1."""
        ...

    def opened(self, run: str) -> None:
        """The id of the run that is written to from now on."""
        ...

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """``done`` of ``total`` trials are stored and ``name`` is next; left_s: expected seconds to the end."""
        ...


class Quiet:
    """Says nothing."""

    def say(self, text: str) -> None:
        """Nothing."""

    def prepare(self, what: str, share: float) -> None:
        """Nothing."""

    def opened(self, run: str) -> None:
        """Nothing."""

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """Nothing."""


class Expecting:
    """Passes news on, and says in the queue when the run expects to end."""

    def __init__(self, told: Progress, place: Place) -> None:
        self.say, self.prepare, self.opened = told.say, told.prepare, told.opened
        self._told, self._place = told, place

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """The same, with what is expected; before the first trial of a run that stays as it was estimated."""
        if left_s is not None:
            self._place.expect(left_s)
        self._told.trial(done, total, name, left_s)


def time_left(names: list[str], seconds: dict[str, list[float]]) -> float | None:
    """Expected seconds for the trials named, from those seen; None before the first."""
    seen = [value for values in seconds.values() for value in values]
    if not seen:
        return None
    mean = sum(seen) / len(seen)
    return sum(sum(seconds[name]) / len(seconds[name]) if seconds.get(name) else mean for name in names)
