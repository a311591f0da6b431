"""The phases of a build as lines or a bar with the time left on standard error; nothing when quiet."""

from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar


class Progress:
    """How far a build is, measured in seconds of expected work."""

    def __init__(self, *, quiet: bool) -> None:
        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("about {task.fields[left]} left"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            disable=quiet or not self._console.is_terminal,
        )
        self._task = self._bar.add_task("book", total=0.0, left="0 s")
        self._left_s = 0.0

    def __enter__(self) -> Self:
        if not self._bar.disable:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if not self._bar.disable:  # it would write an empty line all the same
            self._bar.stop()

    def expect(self, seconds: float) -> None:
        """More work was found."""
        self._left_s += seconds
        total = self._bar.tasks[0].total or 0.0
        self._bar.update(self._task, total=total + seconds, left=self._left())

    def advance(self, seconds: float) -> None:
        """Work that was expected to take so long is done."""
        self._left_s = max(0.0, self._left_s - seconds)
        self._bar.update(self._task, advance=seconds, left=self._left())

    def phase(self, name: str) -> None:
        self._bar.update(self._task, description=name)
        if not self._console.is_terminal:
            self.say(f"{name} (about {self._left()} left)")

    def say(self, line: str) -> None:
        """A line that stays."""
        self._console.print(line, markup=False)

    def _left(self) -> str:
        seconds = round(self._left_s)
        return f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"
