"""News of a run as a bar with the time left on standard error; a line now and then where that is no terminal."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from rich import progress as bars
from rich.console import Console

from benchbook.cli.formatting import duration
from benchbook.runner import Progress

EVERY_S = 30.0
"""Where no terminal draws the progress, a line is written about so often."""


class RunProgress(Progress):
    """What ``benchbook run`` shows while it measures; drawn between trials, never inside a timed region.

    measured: a trial was announced, so the answer is not a stored run. run: the id of the one that is written to.
    """

    def __init__(self, experiment: str, *, quiet: bool) -> None:
        self._console = Console(stderr=True, quiet=quiet, highlight=False, soft_wrap=True)
        self._drawn = self._console.is_terminal and not quiet
        self._experiment = experiment
        # No refresh of its own: a thread that redraws would take time from what is being measured.
        self._bar = bars.Progress(
            bars.TextColumn("{task.description}"),
            bars.BarColumn(),
            bars.TextColumn("{task.fields[state]}"),
            bars.TimeElapsedColumn(),
            console=self._console,
            auto_refresh=False,
            transient=True,
            disable=not self._drawn,
        )
        self._task: bars.TaskID | None = None
        self._told_to_stop: Callable[[], bool] = lambda: False
        self._keep: Callable[[int, int, float | None], None] = lambda done, total, left_s: None
        self._said_at = time.monotonic()
        self.measured = False
        self.run: str | None = None

    @contextmanager
    def shown(self) -> Iterator[Self]:
        """Draw until the end of the block."""
        if not self._drawn:  # the bar would write an empty line all the same
            yield self
            return
        self._bar.start()
        try:
            yield self
        finally:
            self._bar.stop()

    def stop_when(self, told: Callable[[], bool]) -> None:
        """Let no trial begin once ``told`` is true, even where a library swallowed the interruption."""
        self._told_to_stop = told

    def keep_to(self, check: Callable[[int, int, float | None], None]) -> None:
        """Ask this before each trial, with those that are stored, all, and the seconds left; it may raise."""
        self._keep = check

    def say(self, text: str) -> None:
        """A line that stays."""
        self._console.print(text, markup=False)

    def prepare(self, what: str, share: float) -> None:
        """Share of the preparation that is done."""
        self._keep(0, 1, None)
        self._draw(what, share, 1.0, f"{share:.0%}")

    def opened(self, run: str) -> None:
        self.run = run

    def trial(self, done: int, total: int, name: str, left_s: float | None) -> None:
        """Which trial comes next, and when all will be done; raises KeyboardInterrupt where none shall come."""
        if self._told_to_stop():
            raise KeyboardInterrupt
        self._keep(done, total, left_s)
        if not self.measured and not self._drawn:
            already = f", {done} of them stored already" if done else ""
            self.say(f"{self._experiment}: measuring {total} trials{already}")
        self.measured = True
        left = "" if left_s is None else f", about {duration(left_s)} left"
        if done == total and not self._drawn:
            self.say(f"{self._experiment}: all {total} trials are stored")
        elif not self._drawn and time.monotonic() - self._said_at >= EVERY_S:
            self._said_at = time.monotonic()
            self.say(f"{self._experiment}: {done} of {total} trials stored{left}")
        self._draw(name, done, total, f"{done} of {total} trials stored{left}")

    def _draw(self, what: str, done: float, total: float, state: str) -> None:
        if self._task is None:
            self._task = self._bar.add_task(what, total=total, state=state)
        self._bar.update(self._task, description=what, completed=done, total=total, state=state)
        if self._drawn:
            self._bar.refresh()


@contextmanager
def bar(what: str, total: float | None, *, quiet: bool) -> Iterator[Callable[[float], None]]:
    """A bar with the time left for work on files; the caller tells how much more is done. On a terminal alone."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:  # the bar would write an empty line all the same
        yield lambda more: None
        return
    with bars.Progress(transient=True, console=console) as drawn:
        task = drawn.add_task(what, total=total)
        yield lambda more: drawn.advance(task, more)
