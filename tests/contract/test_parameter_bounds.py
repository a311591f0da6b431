"""Every parameter of every chapter has bounds, and so has the plan that any of their values gives."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchbook import lab
from benchbook.errors import BenchbookError
from benchbook.parameters.planning import MOST_TRIALS
from benchbook.runner import growth
from benchbook.store import record

FAR = 10**30


def too_much(name: str) -> Iterator[tuple[str, Any]]:
    """For each parameter of a chapter a value that is far beyond what anybody would ask for."""
    parameters: Any = lab.experiment(name).Parameters
    for field, value in parameters():
        if isinstance(value, tuple):
            yield field, [*value] * 10_000 or [1] * 10_000
            if not any(isinstance(each, str) for each in value):
                yield field, [FAR]
                yield field, [-FAR]
        elif not isinstance(value, bool):
            yield field, FAR
            yield field, -FAR


def test_a_value_far_beyond_use_is_refused(name: str) -> None:
    parameters: Any = lab.experiment(name).Parameters
    given = [*too_much(name)]
    assert given
    taken = [f"{field}={str(value)[:40]}" for field, value in given if takes(parameters, field, value)]
    assert taken == []


def takes(parameters: Any, field: str, value: Any) -> bool:
    try:
        parameters.given({field: value})
    except BenchbookError:
        return False
    return True


def test_a_list_of_many_values_is_refused_whatever_they_are() -> None:
    parameters: Any = lab.experiment("scale").Parameters
    with pytest.raises(BenchbookError, match="101 values, and 100 are the most"):
        parameters.given({"rows": [10_000 + each for each in range(101)]})


def test_a_plan_of_more_trials_than_anybody_would_wait_for_is_refused_before_it_is_made(planned: str) -> None:
    chapter = lab.experiment(planned)
    assert len(chapter.configurations(chapter.Parameters())) * record.MOST_BLOCKS <= MOST_TRIALS
    for blocks in (10**7, FAR):
        with pytest.raises(BenchbookError, match="trials"):
            chapter.plan(chapter.Parameters(), blocks=blocks)


def test_blocks_are_added_up_to_what_a_record_may_have() -> None:
    assert growth.MOST == record.MOST_BLOCKS
