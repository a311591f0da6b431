"""A chapter's session as it is, but that its errors name the chapter, and the configuration that was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchbook.experiments.mistakes import named

if TYPE_CHECKING:
    from benchbook.model import PlannedTrial, Trial


def naming(chapter: str, session: Any) -> Named:
    """The session with errors that name the chapter. One that measures a group in turns still does."""
    return (NamedSideBySide if hasattr(session, "side_by_side") else Named)(chapter, session)


@dataclass(frozen=True)
class Named:
    """What the runner asks of a session; everything else is the session's own."""

    chapter: str
    session: Any

    def provenance(self) -> dict[str, Any]:
        """Engine, version, effective settings, data set."""
        with named(self.chapter):
            found: dict[str, Any] = self.session.provenance()
            return found

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        with named(f"{self.chapter}, configuration {planned.configuration.name}"):
            trial: Trial = self.session.measure(planned)
            return trial

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)


class NamedSideBySide(Named):
    """A session that can measure a group of configurations in turns."""

    def side_by_side(
        self, planned: Sequence[PlannedTrial], between: Callable[[], None], say: Callable[[str], None]
    ) -> Iterator[Trial]:
        """Measure each once, in fresh processes that take turns.

        between: called between fillings and before each round. say: told where the group has to be divided. An arm that
        fails ends alone, and the error names those without a trial: the others are returned before it is raised.
        """
        left = [each.configuration.name for each in planned]
        with closing(self.session.side_by_side(planned, between, say)) as found:
            while True:
                with named(f"{self.chapter}, configuration{'s' if len(left) > 1 else ''} {', '.join(left)}"):
                    trial: Trial | None = next(found, None)
                if trial is None:
                    return
                left.remove(trial.planned.configuration.name)
                yield trial
