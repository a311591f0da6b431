"""Mapped files without an engine: which configurations there are, and what is refused and said."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

from benchbook.chapters.mapped_files import (
    MACHINES,
    WORDS,
    Parameters,
    configurations,
    refused,
    volume_mib,
)

P = Parameters()


def test_without_a_volume_there_is_one_read_ahead_which_is_the_machines() -> None:
    own = Parameters(allow_slow_storage=False)
    assert own.sizes == (MACHINES,)
    assert volume_mib(own) == 0 < volume_mib(P)
    assert "value_file_own_50" in {arm.name for arm in configurations(own)}


@pytest.mark.parametrize(
    ("trials", "filtered", "why"),
    [
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.01]}, True, ""),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 0.02]}, True, "missed 0.02 times"),
        ({"share": ["as asked for"] * 2, "filter_misses_per_lookup": [0.0, 1.0]}, False, ""),
        ({"share": ["as asked for", "another"]}, False, "in 1 trials"),
        ({"share": ["as asked for"], "filter_misses_per_lookup": [None]}, False, ""),
        ({"share": ["as asked for"]}, True, "not counted"),
    ],
)
def test_a_time_is_refused_at_another_share_and_where_filters_were_read(
    trials: dict[str, list[Any]], filtered: bool, why: str
) -> None:
    assert why in (said := refused(pd.DataFrame(trials), filtered=filtered))
    assert bool(said) == bool(why)


def test_trials_that_held_another_share_are_counted() -> None:
    for shares, off in ((["as asked for", "another", "another"], 2), (["as asked for"], 0)):
        assert WORDS["off"](SimpleNamespace(run=SimpleNamespace(trials=pd.DataFrame({"share": shares})))) == off
    assert WORDS["off"](SimpleNamespace(run=SimpleNamespace(trials=pd.DataFrame({"block": [1]})))) == 0
