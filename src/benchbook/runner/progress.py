"""What a run tells of itself while it goes on; told between trials, outside every timed region."""


class Progress:
    """Receives news and says nothing; others print to standard error."""

    def say(self, text: str) -> None:
        """One sentence, such as what is being waited for."""

    def prepare(self, what: str, share: float) -> None:
        """Preparation, share done from 0 to 1."""

    def opened(self, run: str) -> None:
        """The id of the run that is written to from now on."""

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """``done`` of ``total`` trials are stored and ``name`` is next; left_s: expected seconds to the end."""


def time_left(names: list[str], seconds: dict[str, list[float]]) -> float | None:
    """Expected seconds for the trials named, from those seen; None before the first."""
    seen = [value for values in seconds.values() for value in values]
    if not seen:
        return None
    mean = sum(seen) / len(seen)
    return sum(sum(seconds[name]) / len(seconds[name]) if seconds.get(name) else mean for name in names)
