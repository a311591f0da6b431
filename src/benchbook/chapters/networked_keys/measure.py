"""Trials on the family's tables, all with slower reads and over a longer way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from benchbook.chapters.networked_keys import bench
from benchbook.chapters.networked_keys.arms import Parameters
from benchbook.measuring.features import bench as family
from benchbook.measuring.features.reduction import reduce
from benchbook.measuring.features.surroundings import usable
from benchbook.parameters.needs import Needs

__all__ = ["needs", "reduce", "session"]


def needs(parameters: Parameters) -> Needs:
    """The family's, and what slows reads and makes the way longer."""
    mend = "read the published run: every comparison of this chapter is over a network that is added"
    return family.needs(parameters, partial(usable, reads=True, trips=True, mend=mend))


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[bench.Bench]:
    """A loaded private cluster on which trials are measured; ``progress`` is told of the loading."""
    with family.session(parameters, progress) as made:
        yield bench.of(made)
