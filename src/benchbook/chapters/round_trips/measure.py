"""Trials on the family's tables over ways of several lengths, and a trial in which nothing is timed but counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from benchbook.chapters.round_trips import bench
from benchbook.chapters.round_trips.arms import Parameters
from benchbook.chapters.round_trips.reduction import reduce
from benchbook.measuring.features import bench as family
from benchbook.measuring.features.surroundings import usable
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's, and what makes the way longer."""
    mend = "read the published run: every comparison of this chapter is over a longer way"
    return family.needs(parameters, partial(usable, reads=False, trips=True, mend=mend))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[bench.Bench]:
    """A loaded private cluster on which trials are measured; ``progress`` is told of the loading."""
    with family.session(parameters, progress) as made, bench.session(made) as found:
        yield found
